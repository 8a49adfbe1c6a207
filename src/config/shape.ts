// The shape of config/lane.yaml, each rule with the sentence an operator reads when it is broken.
import { z } from 'zod'
import { CAUTIOUS_OUTCOMES, FREE_OUTCOMES } from '../director/policy.js'
import { TO_BE_LINKED } from '../people/person.js'
import { CHANNELS, type Channel, PROOFS } from '../request/channel.js'
import { ladder, quorum } from '../request/envelope-shape.js'
import { ID_WORDS, id, shape, shownText } from '../request/field.js'
import { DEFAULT_ACTIONS, MOODS } from '../request/request.js'
import { CONTENT_RULES } from '../request/terms.js'
import { NEWEST_RULES } from '../rules.js'
import { ALLOWED_WORDS, isAllowable } from '../waiter/address.js'
import { aah } from './aah-shape.js'
import { checkpoints } from './checkpoint-shape.js'
import { groups, hoursAndDelegates, who } from './people-shape.js'

/** A name is a label on a page, not a text. */
const MAX_NAME_CHARS = 100
/** No limit is meant to be this high; a larger number is a slip, and 0 says "none". */
const MAX_LIMIT = 1_000_000

const matching = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error })

const NAME_WORDS = `what people are called on pages: 1 to ${MAX_NAME_CHARS} visible characters on one line`
const ROLE_WORDS = `what they are, such as product_owner: 1 to ${MAX_NAME_CHARS} visible characters on one line`
const EMAIL_WORDS = 'an address such as release-owner@example.org'
const SMS_WORDS = 'a number such as "+15551230000", in quotes'
const TELEGRAM_WORDS =
  "a person's numeric Telegram id, above 0 (a group vouches for nobody), or link: they link it themselves"
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/

const addresses = {
  slack: shape('slack', {
    team: matching(/^[TE][A-Z0-9]{1,20}$/, "the workspace's id, such as T0123"),
    user: matching(/^[UW][A-Z0-9]{1,20}$/, "the person's member id, such as U0456"),
    channel: matching(
      /^[CG][A-Z0-9]{1,20}$/,
      'the id of a channel, such as C0789, for cards in place of direct messages',
    ).exactOptional(),
  }).exactOptional(),
  email: matching(EMAIL, EMAIL_WORDS).exactOptional(),
  telegram: z
    .union([z.literal(TO_BE_LINKED), z.int({ error: TELEGRAM_WORDS }).min(1, { error: TELEGRAM_WORDS })], {
      error: TELEGRAM_WORDS,
    })
    .exactOptional(),
  sms: matching(/^\+[1-9][0-9]{6,14}$/, SMS_WORDS).exactOptional(),
  web: z.literal(true, { error: 'true; leave the line out where there is no web' }).exactOptional(),
} satisfies Record<Channel, z.ZodType>

const allDiffer = (values: readonly string[]): boolean => new Set(values).size === values.length
function listOf<T extends readonly [string, ...string[]]>(words: readonly string[] & T, noun: string) {
  const error = `one or more different ${noun} of ${words.join(', ')}`
  return z.array(z.enum(words, { error }), { error }).min(1, { error }).refine(allDiffer, { error })
}

const OIDC_WORDS =
  'the `sub` by which the OpenID provider knows this person, 1 to 255 visible characters, in quotes where it is a number; or link'
const [MAX_DOMAIN_CHARS, MAX_DOMAINS] = [253, 50]
const DOMAIN_WORDS = 'a domain in small letters, such as example.org'
const DOMAINS_WORDS = `a list of at most ${MAX_DOMAINS}, each ${DOMAIN_WORDS}`
const domain = z
  .string({ error: DOMAIN_WORDS })
  .max(MAX_DOMAIN_CHARS, { error: DOMAIN_WORDS })
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/, { error: DOMAIN_WORDS })

const person = shape('a recipient', {
  oidc: matching(/^[\x21-\x7e]{1,255}$/, OIDC_WORDS).exactOptional(),
  name: shownText(MAX_NAME_CHARS, NAME_WORDS, NEWEST_RULES),
  role: shownText(MAX_NAME_CHARS, ROLE_WORDS, NEWEST_RULES).exactOptional(),
  ...addresses,
  channels: listOf(CHANNELS, 'channels').exactOptional(),
  ...hoursAndDelegates,
}).superRefine((given, context) => {
  const reached = CHANNELS.filter(channel => given[channel] !== undefined)
  const say = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (reached.length === 0) say([], `at least one address: ${CHANNELS.join(', ')}`)
  if (given.quiet_hours !== undefined && given.time_zone === undefined)
    say(['quiet_hours'], 'a time_zone beside it: hours of the day are hours somewhere')
  for (const [index, channel] of (given.channels ?? []).entries()) {
    if (!reached.includes(channel))
      say(['channels', index], `a channel this person has an address on: ${reached.join(', ')}`)
  }
})

const proofs = listOf(PROOFS, 'proofs')
const APPROVERS_WORDS = 'one or more different recipients, or groups (group:NAME), who may approve this'
const CONTENT_WORDS = `one of ${CONTENT_RULES.join(', ')}`
const approvers = z
  .array(who, { error: APPROVERS_WORDS })
  .min(1, { error: APPROVERS_WORDS })
  .refine(allDiffer, { error: APPROVERS_WORDS })
const action = shape('an action', {
  approvers,
  proofs: proofs.exactOptional(),
  quorum: quorum.exactOptional(),
  four_eyes: z.boolean({ error: 'true or false' }).exactOptional(),
  content: z.enum(CONTENT_RULES, { error: CONTENT_WORDS }).exactOptional(),
  ladder: ladder.exactOptional(),
})
const asking = { proofs: proofs.exactOptional(), ladder: ladder.exactOptional() }
const ACTION_WORDS = 'a name of 1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter'
const actionName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, { error: ACTION_WORDS })

const LIMIT_WORDS = `an integer from 0 to ${MAX_LIMIT}; 0 is no limit`
const limit = z
  .int({ error: LIMIT_WORDS })
  .min(0, { error: LIMIT_WORDS })
  .max(MAX_LIMIT, { error: LIMIT_WORDS })
  .exactOptional()

/** A longer list is a network, which has a shorter name. */
const MAX_ALLOWED = 100
const ALLOW_WORDS = `a list of at most ${MAX_ALLOWED}, each ${ALLOWED_WORDS}`
const allowed = z.string({ error: ALLOWED_WORDS }).refine(isAllowable, { error: ALLOWED_WORDS })

/** A day: an approval that is older is about another state of the world. */
const LONGEST_APPROVAL_SECONDS = 86_400
const VALID_WORDS = `an integer from 1 to ${LONGEST_APPROVAL_SECONDS}, in seconds`
const MOOD_WORDS = `{ mood: one of ${MOODS.join(', ')} }`
const becomes = shape('a change of mood', { mood: z.enum(MOODS, { error: MOOD_WORDS }) }).transform(
  ({ mood }) => ({ decision: 'CHANGE_MOOD' as const, mood }),
)
function move<const W extends readonly ['HALT' | 'SPLIT' | 'CONTINUE', ...('HALT' | 'SPLIT' | 'CONTINUE')[]]>(
  words: W,
  why: string,
) {
  const error = `${words.join(', ')} or ${MOOD_WORDS}${why}`
  const plain = z.enum(words, { error }).transform(decision => ({ decision }))
  return z.union([plain, becomes], { error }).exactOptional()
}
const freeMove = move(['CONTINUE', 'SPLIT', 'HALT'], '')
const cautiousMove = move(['SPLIT', 'HALT'], '; nobody has said yes, so the run cannot simply continue')
const each = <K extends string, V>(keys: readonly K[], value: V) =>
  Object.fromEntries(keys.map(key => [key, value])) as Record<K, V>

const director = shape('director', {
  approval_valid_seconds: z
    .int({ error: VALID_WORDS })
    .min(1, { error: VALID_WORDS })
    .max(LONGEST_APPROVAL_SECONDS, { error: VALID_WORDS })
    .exactOptional(),
  believe: z.boolean({ error: 'true or false' }).exactOptional(),
  decisions: shape('decisions', {
    ...each(FREE_OUTCOMES, freeMove),
    ...each([...CAUTIOUS_OUTCOMES, ...DEFAULT_ACTIONS], cautiousMove),
  }).exactOptional(),
})

/** A gateway writes a sentence; a shorter line could be somebody's answer. */
const [MIN_BANNER_CHARS, MAX_BANNER_CHARS, MAX_BANNERS] = [8, 500, 50]
const BANNER_WORDS = `one line of ${MIN_BANNER_CHARS} to ${MAX_BANNER_CHARS} characters, as the gateway writes it`
const BANNERS_WORDS = `a list of at most ${MAX_BANNERS}, each ${BANNER_WORDS}`
const banner = z
  .string({ error: BANNER_WORDS })
  .refine(line => line.trim().length >= MIN_BANNER_CHARS && line.length <= MAX_BANNER_CHARS, {
    error: BANNER_WORDS,
  })
  .refine(line => !/[\r\n]/.test(line.trim()), { error: BANNER_WORDS })

const RECIPIENTS_WORDS = `one or more people, each under an id of ${ID_WORDS}`
export const configShape = shape('the configuration', {
  recipients: z
    .record(id, person, { error: RECIPIENTS_WORDS })
    .refine(people => Object.keys(people).length > 0, { error: RECIPIENTS_WORDS }),
  groups,
  actions: z
    .record(actionName, action, { error: 'actions by name, each { approvers, proofs }' })
    .exactOptional(),
  questions: shape('questions', asking).exactOptional(),
  reviews: shape('reviews', asking).exactOptional(),
  forms: shape('forms', {
    proofs: proofs.exactOptional(),
    approvers: approvers.exactOptional(),
    take_defaults: z.boolean({ error: 'true or false' }).exactOptional(),
  }).exactOptional(),
  outbox: z.enum(['auto', 'on', 'off'], { error: 'auto, on or off' }).exactOptional(),
  limits: shape('limits', {
    open_questions_per_run: limit,
    requests_per_recipient_per_hour: limit,
    reply_attempts_per_delivery: limit,
    open_requests_per_key: limit,
    waits_per_key: limit,
    streams_per_key: limit,
    content_mib_per_key: limit,
  }).exactOptional(),
  director: director.exactOptional(),
  checkpoints: checkpoints.exactOptional(),
  aah: aah.exactOptional(),
  callbacks: shape('callbacks', {
    allow: z.array(allowed, { error: ALLOW_WORDS }).max(MAX_ALLOWED, { error: ALLOW_WORDS }).exactOptional(),
  }).exactOptional(),
  oidc: shape('oidc', {
    domains: z
      .array(domain, { error: DOMAINS_WORDS })
      .max(MAX_DOMAINS, { error: DOMAINS_WORDS })
      .exactOptional(),
  }).exactOptional(),
  email: shape('email', {
    banners: z
      .array(banner, { error: BANNERS_WORDS })
      .max(MAX_BANNERS, { error: BANNERS_WORDS })
      .exactOptional(),
  }).exactOptional(),
})

export type RawConfig = z.infer<typeof configShape>
export type RawAction = NonNullable<RawConfig['actions']>[string]
export type RawPerson = RawConfig['recipients'][string]
