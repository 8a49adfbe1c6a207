// People, channels and policy: the operator's decisions, read from one YAML file. Unknown keys are refused with their
// line, because a misspelt limit that is ignored is a limit that is not there.
//
// CF1  Everyone named anywhere exists: approvers are recipients, preferred channels have an address.
// CF2  An address belongs to one person: a reply from it can be nobody else's.
// CF3  Records have no prototype: a person or action that is not configured is undefined, even
//      under a name like `constructor`.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DirectorPolicy, USUAL_POLICY } from '../director/policy.js'
import { identityOf, type People, type Person, TO_BE_LINKED } from '../people/person.js'
import { CHANNELS, type Channel, PROOFS, type Proof } from '../request/channel.js'
import { placesOf, valueAt } from '../request/refusal.js'
import type { RequestDraft } from '../request/request.js'
import { quote } from '../request/text.js'
import { ROOT } from '../version.js'
import { configuredChannels, missingVariables, type Settings, USUAL_CONFIG_FILE } from './settings.js'
import { configShape, type RawConfig, type RawPerson } from './shape.js'
import { type ConfigProblem, readYaml } from './yaml.js'

type Action = { readonly approvers: readonly string[]; readonly proofs: readonly Proof[] }
export type Config = {
  readonly recipients: People
  readonly actions: Readonly<Record<string, Action>>
  readonly questions: { readonly proofs: readonly Proof[] }
  readonly reviews: { readonly proofs: readonly Proof[] }
  readonly outbox: 'auto' | 'on' | 'off'
  /** 0 is no limit. */
  readonly limits: {
    readonly open_questions_per_run: number
    readonly requests_per_recipient_per_hour: number
    readonly reply_attempts_per_delivery: number
    readonly open_requests_per_key: number
    readonly waits_per_key: number
    readonly streams_per_key: number
  }
  readonly director: DirectorPolicy
  /** Hosts and networks that may be called though they are inward, or over http, or on another port. */
  readonly callbacks: { readonly allow: readonly string[] }
  /** Lines that the operator's own gateways put into mails, word for word. */
  readonly email: { readonly banners: readonly string[] }
}
type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** Three questions are what a person answers in one sitting; sixty an hour is one a minute; ten typos are a search.
 *  Ten thousand requests are more than people answer; a wait holds a connection, and a stream reads every entry. */
const LIMITS: Config['limits'] = {
  open_questions_per_run: 3,
  requests_per_recipient_per_hour: 60,
  reply_attempts_per_delivery: 10,
  open_requests_per_key: 10_000,
  waits_per_key: 1_000,
  streams_per_key: 50,
}

type Flaw = { readonly path: readonly PropertyKey[]; readonly message: string }

export function parseConfig(text: string, fileName: string): ParsedConfig {
  const refuse = (problems: readonly ConfigProblem[]): ParsedConfig => ({
    ok: false,
    problems: problems
      .map(({ line, message }) => ({ line, message: `${fileName}:${line}: ${message}` }))
      .sort((a, b) => a.line - b.line),
  })
  const yaml = readYaml(text)
  if (!yaml.ok) return refuse(yaml.problems)
  const read = configShape.safeParse(yaml.value)
  const flaws: Flaw[] = read.success ? disagreements(read.data) : read.error.issues.flatMap(placesOf)
  if (read.success && flaws.length === 0) return { ok: true, config: settle(read.data, yaml.value) }
  return refuse(
    flaws.map(({ path, message }) => {
      const where = path.length === 0 ? 'the file' : path.join('.')
      return {
        line: yaml.lineOf(path),
        message: `${where}: read ${quote(valueAt(yaml.value, path))}; ${message}`,
      }
    }),
  )
}

export async function loadConfig(file: string): Promise<ParsedConfig> {
  try {
    return parseConfig(await readFile(file, 'utf8'), file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const message = `${file}: cannot be read (${error.code}); LANE_CONFIG names another file`
    return { ok: false, problems: [{ line: 0, message }] }
  }
}

/** The file `lane serve` reads: the one that is named, the one here, or the one this package was shipped with. */
export function configFileOf({ configFile }: Pick<Settings, 'configFile'>): string {
  const named = configFile !== USUAL_CONFIG_FILE || existsSync(USUAL_CONFIG_FILE)
  return named ? configFile : join(ROOT, USUAL_CONFIG_FILE)
}

/** Faults between parts that are right by themselves (CF1, CF2). */
function disagreements({ recipients, actions = {} }: RawConfig): Flaw[] {
  const flaws: Flaw[] = []
  for (const [action, { approvers }] of Object.entries(actions)) {
    for (const [index, userId] of approvers.entries()) {
      if (Object.hasOwn(recipients, userId)) continue
      const message = `one of the recipients ${Object.keys(recipients).join(', ')}`
      flaws.push({ path: ['actions', action, 'approvers', index], message })
    }
  }
  const owners = new Map<string, string>()
  for (const [userId, person] of Object.entries(recipients)) {
    for (const [channel, address] of addressesOf(person)) {
      if (address === TO_BE_LINKED) continue
      const key = `${channel} ${identityOf(channel, address)}`
      const owner = owners.get(key)
      const message = `an address of nobody else: ${owner} has it, and a reply from it could be either's`
      // Everybody's web address is `true`: the page knows people by their links.
      if (owner !== undefined && channel !== 'web')
        flaws.push({ path: ['recipients', userId, channel], message })
      owners.set(key, userId)
    }
  }
  return flaws
}

function addressesOf(person: RawPerson): [Channel, unknown][] {
  return CHANNELS.flatMap((channel): [Channel, unknown][] =>
    person[channel] === undefined ? [] : [[channel, person[channel]]],
  )
}

function settle(raw: RawConfig, written: unknown): Config {
  const people = Object.entries(raw.recipients).map(([user_id, person]): [string, Person] => {
    const addresses = Object.fromEntries(addressesOf(person))
    // Without a preference of their own, people are reached in the order in which their addresses are written.
    const order = Object.keys(Object(valueAt(written, ['recipients', user_id])))
    const channels = person.channels ?? order.filter(key => Object.hasOwn(addresses, key))
    return [user_id, { user_id, name: person.name, addresses, channels: channels as Channel[] }]
  })
  const recipients = bare(people)
  const actions = Object.entries(raw.actions ?? {}).map(([name, { approvers, proofs }]): [string, Action] => [
    name,
    { approvers, proofs: proofs ?? USUAL_PROOFS },
  ])
  return {
    recipients,
    actions: bare(actions),
    questions: raw.questions ?? { proofs: USUAL_PROOFS },
    reviews: raw.reviews ?? { proofs: USUAL_PROOFS },
    outbox: raw.outbox ?? 'auto',
    limits: { ...LIMITS, ...raw.limits },
    director: {
      ...USUAL_POLICY,
      ...raw.director,
      decisions: { ...USUAL_POLICY.decisions, ...raw.director?.decisions },
    },
    callbacks: { allow: raw.callbacks?.allow ?? [] },
    email: { banners: raw.email?.banners ?? [] },
  }
}

const bare = <T>(entries: readonly [string, T][]): Record<string, T> =>
  Object.assign(Object.create(null), Object.fromEntries(entries))

/** Anybody who has a link and its code can answer by them, and a caller id can be forged. So neither proof is ever
 *  enough by default: an operator writes it down. Each other proof is its own channel's. */
export const WEAK_PROOFS: readonly Proof[] = ['link_code', 'sms_from']
const USUAL_PROOFS: readonly Proof[] = PROOFS.filter(proof => !WEAK_PROOFS.includes(proof))

/** The proofs of identity that are enough to answer this request; none for an action no longer configured. */
export function proofsFor(config: Config, request: RequestDraft): readonly Proof[] {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return config.questions.proofs
    case 'REQUEST_REVIEW':
      return config.reviews.proofs
    case 'REQUEST_APPROVAL':
      return config.actions[request.action]?.proofs ?? []
  }
}

/** The file in the data directory for links and codes that nothing else carries. */
export const OUTBOX_FILE = 'outbox.ndjson'

/** Whether links are printed here: only while nothing else could carry them to people, unless told otherwise. */
export function outboxOpen({ outbox }: Pick<Config, 'outbox'>, configured: readonly Channel[]): boolean {
  if (outbox !== 'auto') return outbox === 'on'
  return configured.every(channel => channel === 'web')
}

/** Contradictions between the file and the environment. Each problem is a reason not to start. */
export function checkConfig(config: Config, settings: Settings): readonly string[] {
  const configured = configuredChannels(settings)
  const open = outboxOpen(config, configured)
  return Object.values(config.recipients).flatMap(({ user_id, channels }) => {
    const closed = channels.filter(channel => !configured.includes(channel))
    const problems = closed.map(
      channel =>
        `recipient ${user_id} is on ${channel}, which is not configured: ` +
        `set ${missingVariables(channel, settings).join(', ')}`,
    )
    if (!open && channels.every(channel => channel === 'web')) problems.push(stranded(user_id, config.outbox))
    return problems
  })
}

const stranded = (userId: string, outbox: Config['outbox']): string =>
  `recipient ${userId} is on web alone and nothing carries the link there: ` +
  (outbox === 'off'
    ? 'give them another channel, or set outbox: on'
    : 'another channel is configured, so outbox: auto prints no links; give them that channel, or set outbox: on')
