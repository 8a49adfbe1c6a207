// Where artifacts of AAH go: to whom, as what, and whom they may be escalated to.
import { z } from 'zod'
import { shape } from '../request/field.js'
import { MAX_DEADLINE_SECONDS } from '../request/request-shape.js'
import { who } from './people-shape.js'

/** A longer list is a rule that nobody reads to its end. */
const MAX_ROUTES = 100
const MAX_PEOPLE = 10
const MAX_TARGETS = 100
const MAX_ORIGINS = 20
const MAX_LABEL_CHARS = 200

const LABEL_WORDS = `a text of 1 to ${MAX_LABEL_CHARS} characters, exactly as it is written in the artifact`
const KEY_WORDS = 'the name or the id of an API key'
const TO_WORDS = `a recipient or group:NAME, or a list of 1 to ${MAX_PEOPLE} of them`
const DEADLINE_WORDS = 'a whole number and s, m, h or d, such as 30m or 24h, from 1s to 30d'
const ROUTES_WORDS = `a list of at most ${MAX_ROUTES} routes, of which the first that fits is taken`
const TARGETS_WORDS = `at most ${MAX_TARGETS} targets as artifacts call them, each with a recipient or group:NAME`
const ORIGIN_WORDS =
  'an origin such as https://artifacts.example.org: scheme, host and port, and nothing behind them'
const ORIGINS_WORDS = `a list of at most ${MAX_ORIGINS}, each ${ORIGIN_WORDS}`
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

const label = z
  .string({ error: LABEL_WORDS })
  .min(1, { error: LABEL_WORDS })
  .max(MAX_LABEL_CHARS, { error: LABEL_WORDS })
const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `one of ${words.join(', ')}` })

const people = z
  .union([who, z.array(who).min(1).max(MAX_PEOPLE)], { error: TO_WORDS })
  .transform((named): readonly string[] => [named].flat())
const deadline = z
  .string({ error: DEADLINE_WORDS })
  .regex(/^[0-9]{1,7}[smhd]$/, { error: DEADLINE_WORDS })
  .transform(text => Number(text.slice(0, -1)) * SECONDS[text.slice(-1) as keyof typeof SECONDS])
  .refine(seconds => seconds >= 1 && seconds <= MAX_DEADLINE_SECONDS, { error: DEADLINE_WORDS })

const route = shape('a route', {
  key: z.string({ error: KEY_WORDS }).min(1, { error: KEY_WORDS }).exactOptional(),
  agent: label.exactOptional(),
  task: label.exactOptional(),
  visibility: oneOf(['private', 'team', 'organization', 'public']).exactOptional(),
  priority: oneOf(['low', 'normal', 'high', 'urgent']).exactOptional(),
  to: people,
  action: z.string({ error: 'the name of a configured action' }).exactOptional(),
  deadline: deadline.exactOptional(),
  callback_url: z.string({ error: 'an address' }).exactOptional(),
})

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
const origin = z.string({ error: ORIGIN_WORDS }).refine(isOrigin, { error: ORIGIN_WORDS })

export const aah = shape('aah', {
  route: z.array(route, { error: ROUTES_WORDS }).max(MAX_ROUTES, { error: ROUTES_WORDS }).exactOptional(),
  escalate: z
    .record(label, who, { error: TARGETS_WORDS })
    .refine(targets => Object.keys(targets).length <= MAX_TARGETS, { error: TARGETS_WORDS })
    .exactOptional(),
  fetch: z.array(origin, { error: ORIGINS_WORDS }).max(MAX_ORIGINS, { error: ORIGINS_WORDS }).exactOptional(),
})

export type AahRoute = z.infer<typeof route>
