// People, channels and policy: the operator's decisions, read from one YAML file. Unknown keys are refused with their
// line, because a misspelt limit that is ignored is a limit that is not there.
// Records have no prototype: a person or action that is not configured is undefined, even under a name like
// `constructor`.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DirectorPolicy, USUAL_POLICY } from '../director/policy.js'
import type { People, Person } from '../people/person.js'
import { type Channel, PROOFS, type Proof } from '../request/channel.js'
import { everybodyOf, type Groups } from '../request/group.js'
import type { Recipient } from '../request/recipient.js'
import { placesOf, valueAt } from '../request/refusal.js'
import type { RequestDraft } from '../request/request.js'
import { isApproval } from '../request/substance.js'
import type { ContentRule, Ladder, Quorum } from '../request/terms.js'
import { quote } from '../request/text.js'
import { ROOT } from '../version.js'
import { allowanceOf, isCallable, URL_WORDS } from '../waiter/address.js'
import type { AahRoute } from './aah-shape.js'
import { addressesOf, type Disagreement, disagreements } from './agreement.js'
import type { PublishedAt } from './checkpoint-shape.js'
import { OIDC_VARIABLES } from './oidc.js'
import { configuredChannels, missingVariables, type Settings, USUAL_CONFIG_FILE } from './settings.js'
import { configShape, type RawAction, type RawConfig, type RawPerson } from './shape.js'
import { type ConfigProblem, readYaml } from './yaml.js'

type Action = {
  readonly approvers: readonly string[]
  readonly proofs: readonly Proof[]
  readonly quorum?: Quorum
  readonly four_eyes?: boolean
  readonly content?: ContentRule
  readonly ladder?: Ladder<Recipient>
}
/** How questions, or reviews, may be answered, and what follows if nobody does. */
type Asking = { readonly proofs: readonly Proof[]; readonly ladder?: Ladder<Recipient> }
export type Config = {
  readonly recipients: People
  /** Several people under one name. */
  readonly groups: Groups
  readonly actions: Readonly<Record<string, Action>>
  readonly questions: Asking
  readonly reviews: Asking
  /** Of forms that hold an approval and name no action, but the last, which is of every form. */
  readonly forms: {
    readonly proofs: readonly Proof[]
    readonly approvers: readonly string[]
    /** Whether an optional decision that nobody answered takes its default when the form is answered. */
    readonly take_defaults: boolean
  }
  readonly outbox: 'auto' | 'on' | 'off'
  /** 0 is no limit. */
  readonly limits: {
    readonly open_questions_per_run: number
    readonly requests_per_recipient_per_hour: number
    readonly reply_attempts_per_delivery: number
    readonly open_requests_per_key: number
    readonly waits_per_key: number
    readonly streams_per_key: number
    readonly content_mib_per_key: number
  }
  readonly director: DirectorPolicy
  /** Hosts and networks that may be called though they are inward, or over http, or on another port. */
  readonly callbacks: { readonly allow: readonly string[] }
  readonly checkpoints: { readonly every_seconds: number; readonly publish: readonly PublishedAt[] }
  /** Where artifacts of AAH go: the routes in order, the people behind the targets they may be escalated to, and the
   *  origins their bodies may be fetched from. */
  readonly aah: {
    readonly route: readonly AahRoute[]
    readonly escalate: Readonly<Record<string, string>>
    readonly fetch: readonly string[]
  }
  /** The domains in which an address at the OpenID provider is the person's who has it here. */
  readonly oidc: { readonly domains: readonly string[] }
  /** Lines that the operator's own gateways put into mails, word for word. */
  readonly email: { readonly banners: readonly string[] }
}
type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

/** Three questions are what a person answers in one sitting; sixty an hour is one a minute; ten typos are a search.
 *  Ten thousand requests are more than people answer; a wait holds a connection, and a stream reads every entry. A
 *  gibibyte is a year of contents, and fills no disk. */
const LIMITS: Config['limits'] = {
  open_questions_per_run: 3,
  requests_per_recipient_per_hour: 60,
  reply_attempts_per_delivery: 10,
  open_requests_per_key: 10_000,
  waits_per_key: 1_000,
  streams_per_key: 50,
  content_mib_per_key: 1_024,
}

/** What could be given up unseen is a minute's work. */
const CHECKPOINT_SECONDS = 60

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
  const flaws: Disagreement[] = read.success ? disagreements(read.data) : read.error.issues.flatMap(placesOf)
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

function settle(raw: RawConfig, written: unknown): Config {
  const groups = bare(Object.entries(raw.groups ?? {}))
  const people = Object.entries(raw.recipients).map(([user_id, person]): [string, Person] => [
    user_id,
    personOf(user_id, person, { groups, written }),
  ])
  const actions = Object.entries(raw.actions ?? {}).map(([name, action]): [string, Action] => [
    name,
    settleAction(action, groups),
  ])
  const recipients = bare(people)
  return {
    recipients,
    groups,
    actions: bare(actions),
    questions: { proofs: USUAL_PROOFS, ...raw.questions },
    reviews: { proofs: USUAL_PROOFS, ...raw.reviews },
    forms: settleForms(raw.forms, Object.fromEntries(actions), groups),
    outbox: raw.outbox ?? 'auto',
    limits: { ...LIMITS, ...raw.limits },
    director: {
      ...USUAL_POLICY,
      ...raw.director,
      decisions: { ...USUAL_POLICY.decisions, ...raw.director?.decisions },
    },
    callbacks: { allow: raw.callbacks?.allow ?? [] },
    checkpoints: {
      every_seconds: raw.checkpoints?.every ?? CHECKPOINT_SECONDS,
      publish: raw.checkpoints?.publish ?? [],
    },
    aah: {
      route: raw.aah?.route ?? [],
      escalate: bare(Object.entries(raw.aah?.escalate ?? {})),
      fetch: raw.aah?.fetch ?? [],
    },
    oidc: { domains: raw.oidc?.domains ?? [] },
    email: { banners: raw.email?.banners ?? [] },
  }
}

function personOf(
  user_id: string,
  person: RawPerson,
  { groups, written }: { readonly groups: Groups; readonly written: unknown },
): Person {
  const { name, role, oidc, time_zone, quiet_hours, delegates } = person
  const addresses = Object.fromEntries(addressesOf(person))
  // Without a preference of their own, people are reached in the order in which their addresses are written.
  const order = Object.keys(Object(valueAt(written, ['recipients', user_id])))
  const channels = (person.channels ?? order.filter(key => Object.hasOwn(addresses, key))) as Channel[]
  // A group of deputies may well have the person among them.
  const others = everybodyOf(delegates ?? [], groups).filter(other => other !== user_id)
  return {
    user_id,
    name,
    addresses,
    channels,
    ...(role !== undefined && { role }),
    ...(oidc !== undefined && { oidc }),
    ...(time_zone !== undefined && { time_zone }),
    ...(quiet_hours !== undefined && { quiet_hours }),
    ...(others.length > 0 && { delegates: others }),
  }
}

function settleAction({ approvers, quorum, proofs, ...rest }: RawAction, groups: Groups): Action {
  return {
    approvers: everybodyOf(approvers, groups),
    proofs: proofs ?? USUAL_PROOFS,
    ...rest,
    ...(quorum && { quorum: { need: quorum.need, veto: quorum.veto ?? true } }),
  }
}

/** Whoever approves some action approves in a form too, unless the file says who does. */
function settleForms(raw: RawConfig['forms'], actions: Config['actions'], groups: Groups): Config['forms'] {
  const anywhere = [...new Set(Object.values(actions).flatMap(({ approvers }) => approvers))]
  return {
    proofs: raw?.proofs ?? USUAL_PROOFS,
    approvers: raw?.approvers === undefined ? anywhere : everybodyOf(raw.approvers, groups),
    take_defaults: raw?.take_defaults ?? false,
  }
}

const bare = <T>(entries: readonly [string, T][]): Record<string, T> =>
  Object.assign(Object.create(null), Object.fromEntries(entries))

/** Anybody who has a link and its code can answer by them, a caller id can be forged, and of a passkey that an operator
 *  enrolled the operator alone says whose it is. So none of them is ever enough by default: an operator writes it
 *  down. Each other proof is its own channel's. */
export const WEAK_PROOFS: readonly Proof[] = ['link_code', 'sms_from', 'passkey_by_operator']
const USUAL_PROOFS: readonly Proof[] = PROOFS.filter(proof => !WEAK_PROOFS.includes(proof))

/** The proofs of identity that are enough to answer this request; none for an action no longer configured. */
export function proofsFor(config: Config, request: RequestDraft): readonly Proof[] {
  if (request.type !== 'REQUEST_APPROVAL' && isApproval(request)) return config.forms.proofs
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return config.questions.proofs
    case 'REQUEST_REVIEW':
      return config.reviews.proofs
    case 'REQUEST_APPROVAL':
      return config.actions[request.action]?.proofs ?? []
  }
}

/** The operator's ladder for such a request; the caller's own takes its place. */
export function ladderFor(config: Config, request: RequestDraft): Ladder<Recipient> | undefined {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return config.questions.ladder
    case 'REQUEST_REVIEW':
      return config.reviews.ladder
    case 'REQUEST_APPROVAL':
      return config.actions[request.action]?.ladder
  }
}

/** Nobody approves an action that is no longer configured; null where everybody who is asked may answer. */
function approversFor(config: Config, request: RequestDraft): readonly string[] | null {
  if (request.type === 'REQUEST_APPROVAL') return config.actions[request.action]?.approvers ?? []
  return isApproval(request) ? config.forms.approvers : null
}

/** What is demanded of an answer to this request today. */
export function policyFor(config: Config, request: RequestDraft) {
  const action = request.type === 'REQUEST_APPROVAL' ? config.actions[request.action] : undefined
  return {
    proofs: proofsFor(config, request),
    approvers: approversFor(config, request),
    fourEyes: action?.four_eyes ?? false,
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
  const uncallable = uncallableRoutes(config, settings)
  const unreached = Object.values(config.recipients).flatMap(({ user_id, channels }) => {
    const closed = channels.filter(channel => !configured.includes(channel))
    const problems = closed.map(
      channel =>
        `recipient ${user_id} is on ${channel}, which is not configured: ` +
        `set ${missingVariables(channel, settings).join(', ')}`,
    )
    if (!open && channels.every(channel => channel === 'web')) problems.push(stranded(user_id, config.outbox))
    return problems
  })
  const unknown = Object.values(config.recipients).flatMap(({ user_id, oidc }) =>
    oidc === undefined || settings.oidc !== null
      ? []
      : [`recipient ${user_id} has oidc, and there is no provider: set ${OIDC_VARIABLES.join(', ')}`],
  )
  return [...unreached, ...unknown, ...uncallable]
}

/** A route that calls somebody back needs the secret to sign with, and an address that may be called. */
function uncallableRoutes({ aah, callbacks }: Config, { webhookSecrets }: Settings): readonly string[] {
  const allow = allowanceOf(callbacks.allow)
  return aah.route.flatMap(({ callback_url: url }, index) => {
    if (url === undefined) return []
    const where = `aah.route.${index}.callback_url`
    if (webhookSecrets === null) return [`${where} needs LANE_WEBHOOK_SECRET, which signs callbacks`]
    return isCallable(url, allow) ? [] : [`${where}: read ${quote(url)}; ${URL_WORDS}`]
  })
}

const stranded = (userId: string, outbox: Config['outbox']): string =>
  `recipient ${userId} is on web alone and nothing carries the link there: ` +
  (outbox === 'off'
    ? 'give them another channel, or set outbox: on'
    : 'another channel is configured, so outbox: auto prints no links; give them that channel, or set outbox: on')
