// Where checkpoints are published, and how often one is signed.
import { z } from 'zod'
import { shape } from '../request/field.js'
import { isLoopback } from './loopback.js'

/** A day: what is signed more rarely comes too late for anybody who compares. */
const LONGEST_SECONDS = 86_400
const SECONDS = { s: 1, m: 60, h: 3600 } as const
const EVERY_WORDS = 'a whole number and s, m or h, such as 30s, 1m or 1h, from 1s to 24h'
const every = z
  .string({ error: EVERY_WORDS })
  .regex(/^[0-9]{1,5}[smh]$/, { error: EVERY_WORDS })
  .transform(text => Number(text.slice(0, -1)) * SECONDS[text.slice(-1) as keyof typeof SECONDS])
  .refine(seconds => seconds >= 1 && seconds <= LONGEST_SECONDS, { error: EVERY_WORDS })

const PATH_WORDS = 'the path of a directory that is there'
const path = z.string({ error: PATH_WORDS }).min(1, { error: PATH_WORDS })
const BRANCH_WORDS = 'the name of a branch'
const HTTP_WORDS = 'an https address, or an http one on this machine, without a name or password in it'
const http = z.string({ error: HTTP_WORDS }).refine(isPublishable, { error: HTTP_WORDS })

function isPublishable(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const PLACE_WORDS = 'one of { directory: PATH }, { git: PATH, branch: NAME } and { http: URL }'
const place = z.union(
  [
    shape('a directory', { directory: path }),
    shape('a git work tree', {
      git: path,
      branch: z.string({ error: BRANCH_WORDS }).min(1, { error: BRANCH_WORDS }).exactOptional(),
    }),
    shape('an address', { http }),
  ],
  { error: PLACE_WORDS },
)
/** Each is read at every start. */
const MOST_PLACES = 10
const PLACES_WORDS = `a list of at most ${MOST_PLACES}, each ${PLACE_WORDS}`

export const checkpoints = shape('checkpoints', {
  every: every.exactOptional(),
  publish: z.array(place, { error: PLACES_WORDS }).max(MOST_PLACES, { error: PLACES_WORDS }).exactOptional(),
})

export type PublishedAt = z.infer<typeof place>
