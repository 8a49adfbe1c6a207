// The envelope around a request, as it is submitted: who is asked, how urgently, by how many, and what follows if nobody
// answers. Rules that need the configuration are in admit.ts.
import { z } from 'zod'
import type { Hash } from '../canonical.js'
import { NEWEST_RULES } from '../rules.js'
import { CHANNELS } from './channel.js'
import { ID_WORDS, id, shape, shownText } from './field.js'
import { isWho, WHO } from './group.js'
import { FIXED_HANDLE_WORDS, isFixedHandle } from './handle.js'
import { MAX_LADDER_PEOPLE } from './ladder.js'
import { fieldsOnly } from './refusal.js'
import { MOODS } from './request.js'
import { ORIGIN_SYSTEMS, URGENCIES } from './terms.js'

/** More people than this are a mailing list, and nobody's decision. */
const MAX_RECIPIENTS = 10
/** A ladder of more steps is a nuisance. */
const MAX_STEPS = 10
const [LEAST_NEED, MOST_NEED] = [2, 10]
const MAX_REF_CHARS = 200

const MOOD_WORDS = `one of ${MOODS.join(', ')}`
const RECIPIENTS_WORDS = `1 to ${MAX_RECIPIENTS} recipients, each a user id, group:NAME or { user_id, channels }`
const WHO_WORDS = `a user id (${ID_WORDS}) or group:NAME`
const CHANNELS_WORDS = `1 to ${CHANNELS.length} different channels of ${CHANNELS.join(', ')}`
const URGENCY_WORDS = `one of ${URGENCIES.join(', ')}`
const NEED_WORDS = `an integer from ${LEAST_NEED} to ${MOST_NEED}: how many must say YES`
const VETO_WORDS = 'true where the first NO decides, else false'
const AFTER_WORDS =
  'a whole number of seconds from the opening, above that of the step before and below the deadline'
const DO_WORDS = 'remind, add or next_channel'
const LADDER_WORDS = `1 to ${MAX_STEPS} steps, each { after_seconds, do }, and recipients where it adds some; at most ${MAX_LADDER_PEOPLE} people`
const REF_WORDS = `what the other system calls it: 1 to ${MAX_REF_CHARS} visible characters on one line`
const SYSTEM_WORDS = `one of ${ORIGIN_SYSTEMS.join(', ')}`

const allDiffer = (values: readonly string[]): boolean => new Set(values).size === values.length

export const run = shape('run', {
  run_id: id,
  mood: z.enum(MOODS, { error: MOOD_WORDS }),
  sub_mode: z.literal('approval', { error: 'approval, or leave it out' }).exactOptional(),
  work_item_id: id.exactOptional(),
})

const who = z.string({ error: WHO_WORDS }).refine(isWho, { error: WHO_WORDS }).meta({ pattern: WHO })

const recipient = z.preprocess(
  given => (typeof given === 'string' ? { user_id: given } : given),
  z.strictObject(
    {
      user_id: who,
      channels: z
        .array(z.enum(CHANNELS, { error: CHANNELS_WORDS }), { error: CHANNELS_WORDS })
        .min(1, { error: CHANNELS_WORDS })
        .refine(allDiffer, { error: CHANNELS_WORDS })
        .meta({ uniqueItems: true })
        .exactOptional(),
    },
    {
      error: issue =>
        issue.code === 'unrecognized_keys'
          ? fieldsOnly('a recipient', ['user_id', 'channels'])(issue)
          : `${WHO_WORDS}, or { user_id, channels }`,
    },
  ),
)

export const recipients = z
  .array(recipient, { error: RECIPIENTS_WORDS })
  .min(1, { error: RECIPIENTS_WORDS })
  .max(MAX_RECIPIENTS, { error: RECIPIENTS_WORDS })
  .refine(all => allDiffer(all.map(one => one.user_id)), { error: `${RECIPIENTS_WORDS}, nobody twice` })

const after_seconds = z.int({ error: AFTER_WORDS }).min(1, { error: AFTER_WORDS })
const step = z.discriminatedUnion(
  'do',
  [
    shape('a step', { after_seconds, do: z.enum(['remind', 'next_channel']) }),
    shape('a step', { after_seconds, do: z.literal('add'), recipients }),
  ],
  { error: DO_WORDS },
)
const grows = (steps: readonly { readonly after_seconds: number }[]): boolean =>
  steps.every((one, index) => index === 0 || one.after_seconds > (steps[index - 1]?.after_seconds ?? 0))
export const ladder = z
  .array(step, { error: LADDER_WORDS })
  .min(1, { error: LADDER_WORDS })
  .max(MAX_STEPS, { error: LADDER_WORDS })
  .refine(grows, { error: `${LADDER_WORDS}; ${AFTER_WORDS}` })
  .refine(
    steps => steps.flatMap(one => (one.do === 'add' ? one.recipients : [])).length <= MAX_LADDER_PEOPLE,
    {
      error: LADDER_WORDS,
    },
  )

export const quorum = shape('quorum', {
  need: z
    .int({ error: NEED_WORDS })
    .min(LEAST_NEED, { error: NEED_WORDS })
    .max(MOST_NEED, { error: NEED_WORDS }),
  veto: z.boolean({ error: VETO_WORDS }).exactOptional(),
})

export const urgency = z.enum(URGENCIES, { error: URGENCY_WORDS })

export const origin = shape('origin', {
  system: z.enum(ORIGIN_SYSTEMS, { error: SYSTEM_WORDS }),
  ref: shownText(MAX_REF_CHARS, REF_WORDS, NEWEST_RULES),
  hash: z.custom<Hash>(value => typeof value === 'string' && isFixedHandle(value), {
    error: FIXED_HANDLE_WORDS,
  }),
})
