// `lane ahil`: exchange files between agents and people: looked at, added to, and asked about.
import { isFields } from '../client/case.js'
import { type Entry, GATEWAY, HUMAN, STATUSES, TYPES } from '../interop/ahil/entry.js'
import { isProfile, PROFILES, type Profile } from '../interop/ahil/profile.js'
import { pendingFor, project } from '../interop/ahil/project.js'
import { type Draft, entriesOf, flawsOfDraft } from '../interop/ahil/write.js'
import { DEFAULT_ACTIONS } from '../request/request.js'
import {
  addEntries,
  type Complaint,
  closeExchange,
  type Exchange,
  openExchange,
  type Pages,
  readExchange,
} from './ahil/exchange.js'
import { exportLog } from './ahil/export.js'
import { hearOfEnds } from './ahil/open.js'
import { nothingSeen, type Round, syncOnce, type Work } from './ahil/sync.js'
import { type Vouched, vouch } from './ahil/vouch.js'
import { readArguments } from './arguments.js'
import { type Command, misuse, type Shell } from './command.js'
import { choose, type Subcommand } from './deeds.js'
import { DURATION_WORDS, parseDuration } from './duration.js'
import { findAgentEndpoint } from './environment.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { cut, say, table, visible } from './print.js'
import { complain } from './tell.js'
import { enterWatching } from './watcher.js'

const COMMON = { json: { type: 'boolean' }, shared: { type: 'boolean', default: false } } as const

/** Opens the file for a deed, and closes its folder whatever comes. */
async function withExchange(
  shell: Shell,
  path: string,
  how: { readonly shared: boolean; readonly profile?: Profile | null },
  deed: (exchange: Exchange) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened = openExchange(path, how)
  if (!opened.ok) return complain(shell, [opened.detail])
  try {
    return await deed(opened.exchange)
  } finally {
    closeExchange(opened.exchange)
  }
}

const refused = (shell: Shell, json: boolean | undefined, { code, details }: Complaint): ExitCode => {
  if (json) say(shell.stdout, [JSON.stringify({ ok: false, code, details })])
  return complain(
    shell,
    details.map(detail => `${code}: ${detail}`),
  )
}

/** People read the beginning of a list; --json gives all of it. */
const MOST_LINES = 50
const begin = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MOST_LINES),
  ...(lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : []),
]

const check: Subcommand = async (args, shell) => {
  const options = { ...COMMON, approver: { type: 'string', multiple: true } } as const
  const read = readArguments(args, options, ['FILE'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, shared, approver = [] } = read.values
  return await withExchange(shell, read.words[0] ?? '', { shared }, async exchange => {
    const got = readExchange(exchange)
    if (!got.ok) return refused(shell, json, got.refusal)
    const vouched = await vouchFor(shell, got.pages)
    const found = findings(got.pages, vouched, approver)
    if (json) say(shell.stdout, [JSON.stringify(found)])
    else say(shell.stdout, checkLines(found).map(visible))
    return EXIT.ok
  })
}

/** Without a key no lane is asked, and nothing is vouched for. */
async function vouchFor(shell: Shell, pages: Pages): Promise<Vouched> {
  const isTold = findAgentEndpoint(shell.env).ok
  const watching = isTold ? await enterWatching(shell) : null
  return watching === null ? { asked: false, why: new Map() } : await vouch(watching, pages)
}

function findings({ main, side, entries }: Pages, { asked, why }: Vouched, approvers: readonly string[]) {
  const isVouched = ({ id }: Entry): boolean => asked && !why.has(id)
  const projection = project(entries, { approvers, isVouched })
  const doubtful = entries.filter(entry => entry.from === HUMAN && !isVouched(entry))
  const approved = [...projection].filter(([, { authority }]) => authority === 'approved').map(([id]) => id)
  return {
    ok: true,
    form: main.log.form,
    profile: side === null ? PROFILES[0] : PROFILES[1],
    entries: entries.length,
    seen: main.isKnown ? main.seen.length : null,
    pending: pendingFor(entries, projection, HUMAN).length,
    approved,
    lane_asked: asked,
    unauthenticated: doubtful.map(({ id, type, to }) => ({
      id,
      type,
      to,
      why: why.get(id) ?? 'no lane was asked: LANE_API_KEY is not set',
    })),
    warnings: [...main.log.warnings, ...(side?.log.warnings ?? [])],
  }
}

const checkLines = (found: ReturnType<typeof findings>): string[] => [
  `${found.entries} entries, ${found.form}; ${found.pending} wait for a person`,
  ...begin(found.warnings.map(({ id, code, detail }) => `WARN ${id} ${code}: ${detail}`)),
  ...begin(
    found.unauthenticated.map(
      ({ id, type, why }) => `UNAUTHENTICATED ${id} (${type}): no event of the lane stands behind it: ${why}`,
    ),
  ),
]

const CONTENT_CHARS = 60

const pending: Subcommand = async (args, shell) => {
  const read = readArguments(args, { ...COMMON, for: { type: 'string' } }, ['FILE'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, shared, for: slug } = read.values
  if (slug === undefined) return misuse('--for takes the slug whose entries are meant, human or all')
  return await withExchange(shell, read.words[0] ?? '', { shared }, async exchange => {
    const got = readExchange(exchange)
    if (!got.ok) return refused(shell, json, got.refusal)
    const { entries } = got.pages
    const waits = pendingFor(entries, project(entries), slug)
    if (json) say(shell.stdout, [JSON.stringify({ for: slug, note: NOTE, entries: waits })])
    else
      say(shell.stdout, [
        ...table(
          waits.map(({ id, type, from, content }) =>
            [id, type, `from ${from}`, cut(content, CONTENT_CHARS)].map(visible),
          ),
        ),
        waits.length === 0 ? 'nothing waits' : NOTE,
      ])
    return EXIT.ok
  })
}

const NOTE =
  'The words are a file’s: they are data, and prove nobody’s consent; `lane ahil check` asks the lane.'

const append: Subcommand = async (args, shell) => {
  const text = { type: 'string' } as const
  const options = {
    ...COMMON,
    type: text,
    from: text,
    to: text,
    content: text,
    context: text,
    status: text,
    profile: text,
  } as const
  const read = readArguments(args, options, ['FILE'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, shared, profile } = read.values
  const flaws: string[] = []
  const draft = draftOf(read.values, flaws)
  if (profile !== undefined && !isProfile(profile)) flaws.push(PROFILE_WORDS)
  if (draft === null || flaws.length > 0) return misuse(...flaws)
  const how = { shared, profile: (profile as Profile | undefined) ?? null }
  return await withExchange(shell, read.words[0] ?? '', how, async exchange => {
    const isNew = exchange.name.endsWith('.json')
    const added = await addEntries(shell, exchange, (pages, at) => prepare(pages, draft, at), isNew)
    if (!added.ok) return refused(shell, json, added.refusal)
    const [entry] = added.entries
    if (draft.from === HUMAN)
      complain(shell, [
        `${entry?.id} is unauthenticated: whoever can write this file can write in a person’s name`,
      ])
    say(shell.stdout, [json ? JSON.stringify(entry) : `${entry?.id} appended, ${entry?.status}`])
    return EXIT.ok
  })
}

const PROFILE_WORDS = `--profile takes one of ${PROFILES.join(', ')}`

function prepare({ byId, entries, main }: Pages, draft: Draft, at: string) {
  const flaws = flawsOfDraft(draft, byId)
  if (flaws.length === 0) return { entries: entriesOf([draft], entries, at), asked: main.seen.asked }
  return { code: 'invalid_entry', details: flaws.map(({ code, detail }) => `${code}: ${detail}`) }
}

type DraftValues = Readonly<
  Partial<Record<'type' | 'from' | 'to' | 'content' | 'context' | 'status', string | undefined>>
>

function draftOf({ type, from, to, content, context, status }: DraftValues, flaws: string[]): Draft | null {
  const known = TYPES.find(one => one === type)
  const stated = STATUSES.find(one => one === status)
  if (known === undefined) flaws.push(`--type takes one of ${TYPES.join(', ')}`)
  if (from === undefined || from === GATEWAY)
    flaws.push(`--from takes who says it; ${GATEWAY} is the lane’s own name`)
  if (to === undefined) flaws.push('--to takes whom it is for: a slug, human or all')
  if (content === undefined) flaws.push('--content takes what is said')
  if (status !== undefined && stated === undefined) flaws.push(`--status takes one of ${STATUSES.join(', ')}`)
  const fields = context === undefined ? {} : jsonIn(context)
  if (fields === null) flaws.push('--context takes an object of JSON')
  const missing = known === undefined || from === undefined || to === undefined || content === undefined
  if (missing || fields === null || flaws.length > 0) return null
  return { type: known, from, to, content, context: fields, ...(stated && { status: stated }) }
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** A person answers in minutes, and agents write when they please. */
const WATCH_MS = 5000

const sync: Subcommand = async (args, shell) => {
  const text = { type: 'string' } as const
  const options = {
    ...COMMON,
    watch: { type: 'boolean' },
    to: { type: 'string', multiple: true },
    deadline: { type: 'string', default: '24h' },
    default: { type: 'string', default: 'HALT' },
    run: text,
    profile: text,
  } as const
  const read = readArguments(args, options, ['FILE'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, shared, watch, to, run = null, profile = null } = read.values
  const deadlineSeconds = parseDuration(read.values.deadline)
  const defaultAction = DEFAULT_ACTIONS.find(one => one === read.values.default)
  if (deadlineSeconds === null) return misuse(`--deadline takes ${DURATION_WORDS}`)
  if (defaultAction === undefined) return misuse(`--default takes one of ${DEFAULT_ACTIONS.join(', ')}`)
  if (profile !== null && !isProfile(profile)) return misuse(PROFILE_WORDS)
  const watching = await enterWatching(shell)
  if (watching === null) return EXIT.error
  return await withExchange(shell, read.words[0] ?? '', { shared, profile }, async exchange => {
    const asking = { to, deadlineSeconds, defaultAction, run }
    const memory = nothingSeen()
    const work = { shell, watching, exchange, asking, memory }
    const rounds = goRound(work, watch === true, json)
    return await (watch ? Promise.race([rounds, hearOfEnds(watching.endpoint, shell, memory.open)]) : rounds)
  })
}

/** Until nothing waits to be asked; a watch goes on. */
async function goRound(work: Work, watch: boolean, json: boolean | undefined): Promise<ExitCode> {
  const { shell } = work
  for (let told = ''; ; ) {
    const round = await syncOnce(work).catch(failedRound)
    const now = JSON.stringify(round)
    const isDone = !watch && round.waiting.length === 0
    if (isDone) return tellRound(shell, round, json)
    if (now !== told && watch) tellRound(shell, round, json)
    told = now
    const [first] = round.waiting
    await shell.sleep(watch ? WATCH_MS : (first?.seconds ?? 0) * 1000)
  }
}

/** A watch goes on: what is broken now may be mended by the next look. */
const failedRound = (error: unknown): Round => {
  const details = [error instanceof Error ? error.message : String(error)]
  return {
    asked: [],
    told: [],
    withdrawn: [],
    waiting: [],
    refused: [{ entry: null, code: 'failed', details }],
  }
}

function tellRound(shell: Shell, round: Round, json: boolean | undefined): ExitCode {
  if (json) say(shell.stdout, [JSON.stringify(round)])
  else
    say(
      shell.stdout,
      [
        ...round.asked.map(({ entry, request_id }) => `${entry} asked as ${request_id}`),
        ...round.waiting.map(
          ({ entry, code, seconds }) => `${entry} waits ${seconds} s to be asked: ${code}`,
        ),
        ...round.withdrawn.map(
          ({ entry, request_id, reason }) => `${entry} withdrawn ${request_id}: ${reason}`,
        ),
        ...round.told.map(
          ({ entry, request_id, entries }) => `${entry} told ${request_id}: ${entries.join(', ')}`,
        ),
      ].map(visible),
    )
  const details = round.refused.flatMap(({ entry, code, details }) =>
    details.map(one => `${entry ?? 'the file'}: ${code}: ${one}`),
  )
  return details.length === 0 ? EXIT.ok : complain(shell, details)
}

const exportDeed: Subcommand = async (args, shell) => {
  const text = { type: 'string' } as const
  const options = { ...COMMON, run: text, profile: text } as const
  const read = readArguments(args, options, ['FILE?'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, shared, run = null, profile = null } = read.values
  if (profile !== null && !isProfile(profile)) return misuse(PROFILE_WORDS)
  const watching = await enterWatching(shell)
  if (watching === null) return EXIT.error
  return await exportLog(shell, watching.endpoint, {
    file: read.words[0] ?? null,
    run,
    profile,
    shared,
    json: json === true,
  })
}

export const ahil: Command = {
  usage: `lane ahil check FILE [--approver SLUG …] [--shared] [--json]
lane ahil pending FILE --for SLUG [--shared] [--json]
lane ahil append FILE --type T --from S --to S --content C [--context JSON] [--status noted|acted|rejected]
                 [--profile P] [--shared] [--json]
lane ahil sync FILE [--watch] [--to U …] [--deadline 24h] [--default HALT] [--run R] [--profile P] [--shared] [--json]
lane ahil export [FILE] [--run R] [--profile ahil-1.0|adpl-1.1-strict] [--shared] [--json]

Exchange files between agents and people (docs/ahil.md): .ahil.json, the ahi.log of an .adpl, or a bare list. \`check\`
validates one and names every entry from human that no event of the lane stands behind; \`pending\` is what waits for a
slug; \`append\` adds one entry under the next id. \`sync\` asks people about recommendations and alerts to human, and appends
what they answered; whoever can write the file acts with its key. \`export\` prints or appends what was asked through the
lane. LANE_URL and LANE_API_KEY come from the environment or from a file named before the command, never from a .env that
lies there. Exits 0 done, 1 refused or broken, 2 wrong usage.`,

  run: (args, shell) => choose('ahil', { check, pending, append, sync, export: exportDeed }, args, shell),
}
