// `lane ledger`: the audit. The checks are the ledger's own; this file fetches, counts and tells.

import type { Environment } from '../config/settings.js'
import type { Entry } from '../event.js'
import { choirLines } from '../interop/choir-lines.js'
import { parseEntry } from '../ledger/entry.js'
import type { Beyond } from '../ledger/invariant/rules.js'
import { replay } from '../ledger/replay.js'
import { type Verification, verify } from '../ledger/verify.js'
import { unknownRules } from '../rules.js'
import { readArguments } from './arguments.js'
import { type Command, type Misuse, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { flawOfPlace, isTaken, writeWhole } from './file.js'
import { chooseSource, ended, type Source, SourceTrouble } from './ledger-source.js'
import { nearest } from './nearest.js'
import { paintFor, say, visible } from './print.js'
import { counted, progressOn } from './progress.js'
import { checkSeals } from './seal-check.js'
import { complain, tellTrouble } from './tell.js'

/** The first problems show the kind of damage; --json has all that were kept. */
const SHOWN_PROBLEMS = 20

type Problem = { readonly invariant?: string; readonly seq?: number; readonly message: string }
type Result = { readonly ok: boolean; readonly problems: readonly Problem[]; readonly beyond: Beyond | null }
/** Counts the lines read, for the person who waits. */
type Count = (lines: AsyncIterable<string>) => AsyncIterable<string>
type Audit<R extends Result> = {
  examine(source: Source, count: Count, env: Environment): Promise<R>
  summary(result: R): string
}

/** `seals`: whether they were checked, and if not, why. */
type Verified = Omit<Verification, 'problems'> &
  Result & { readonly seals: { checked: boolean; why?: string } }

const verification: Audit<Verified> = {
  async examine(source, count, env) {
    const { lines, problems: broken, not } = await checkSeals(source, env)
    const result = await verify(count(lines))
    const problems = [...result.problems, ...broken]
    const seals = not === null ? { checked: true } : { checked: false, why: not }
    return { ...result, ok: result.ok && problems.length === 0, problems, seals }
  },
  summary: ({ entries, head, seals }) =>
    `${entries} entries, head ${head}, seals ${seals.checked ? 'checked' : `not checked: ${seals.why}`}`,
}

const retelling: Audit<Awaited<ReturnType<typeof replay>>> = {
  async examine(source, count) {
    const { lines, raw, evidence, complete } = await source.withWords(count(source.lines()))
    return await replay(lines, raw, { rawsMayBeAbsent: !complete, evidence })
  },
  summary: ({ cases, replies, erased, absent }) =>
    `${cases} cases rebuilt, ${replies} replies read again, ${erased} erased, ${absent} without their words`,
}

/** Reads the arguments, opens the source, closes it in the end, and tells trouble with it. */
async function withSource(
  args: readonly string[],
  shell: Shell,
  use: (source: Source, json: boolean) => Promise<ExitCode>,
): Promise<ExitCode | Misuse> {
  const read = readArguments(args, { json: { type: 'boolean' } }, ['FILE?'])
  if (!read.ok) return misuse(...read.flaws)
  const source = await chooseSource(shell, read.words[0])
  if (source === null) return EXIT.error
  try {
    return await use(source, read.values.json ?? false)
  } catch (error) {
    if (error instanceof SourceTrouble)
      return tellTrouble(shell, error.trouble, error.endpoint, read.values.json)
    return complain(shell, [
      `${source.name} cannot be read to its end: ${error instanceof Error ? error.message : error}`,
    ])
  } finally {
    source.close()
  }
}

const audit =
  <R extends Result>({ examine, summary }: Audit<R>) =>
  (args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> =>
    withSource(args, shell, async (source, json) => {
      const progress = progressOn(shell.stderr, shell.clock, 'entries')
      let read = 0
      const count: Count = lines =>
        counted(lines, done => {
          read = done
          progress.at(done, source.total)
        })
      const result = await examine(source, count, shell.env).finally(() => progress.end())
      if (read === 0) return tellEmpty(shell, source, result, json)
      if (json) say(shell.stdout, [JSON.stringify(result)])
      else tellResult(shell, source.name, result, summary(result))
      return result.ok ? EXIT.ok : EXIT.error
    })

/** The check itself finds no fault in no lines; an operator who sees "holds" would trust an empty file. */
function tellEmpty(shell: Shell, { name, ifEmpty }: Source, result: Result, json: boolean): ExitCode {
  const message = `there is no entry in it: ${ifEmpty}`
  if (!json) return complain(shell, [`${name} does not hold, ${message}`])
  say(shell.stdout, [JSON.stringify({ ...result, ok: false, problems: [{ seq: 0, message }] })])
  return EXIT.error
}

function tellResult(shell: Shell, name: string, result: Result, summary: string): void {
  const { problems, beyond } = result
  say(shell.stdout, [`${name} ${verdictOf(shell, result)}: ${summary}`])
  if (beyond !== null) say(shell.stderr, [`  entry ${beyond.seq}: ${unknownRules(beyond.rules)}`])
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(problemLine)
  const rest = problems.length - shown.length
  say(shell.stderr, rest > 0 ? [...shown, `  and ${rest} more; --json lists them`] : shown)
}

function verdictOf(shell: Shell, { ok, problems, beyond }: Result): string {
  const paint = paintFor(shell.stdout, shell.env)
  if (ok) return paint('green', 'holds')
  if (problems.length > 0 || beyond === null) return paint('red', 'is broken')
  return paint('yellow', `holds up to entry ${beyond.seq} and was not judged from there on`)
}

function problemLine({ invariant, seq, message }: Problem): string {
  const where = seq === undefined ? '' : `entry ${seq}: `
  return `  ${where}${visible(message)}${invariant === undefined ? '' : ` (${invariant})`}`
}

/** Standard output in the place of a file's name, as other programs spell it. */
const STDOUT = '-'

async function write(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, { profile: { type: 'string' } }, ['FILE?'])
  if (!read.ok) return misuse(...read.flaws)
  const { profile } = read.values
  if (profile !== undefined && profile !== 'choir') return misuse(`--profile takes choir; read "${profile}"`)
  const file = read.words[0] === STDOUT ? undefined : read.words[0]
  if (file !== undefined && isTaken(file))
    return complain(shell, [`${file} exists and is not replaced; name another file`])
  const flaw = file === undefined ? null : flawOfPlace(file)
  if (flaw !== null) return complain(shell, [flaw])
  return await withSource([], shell, async source => {
    const lines = profile === 'choir' ? choirLines(entriesIn(source.lines())) : source.lines()
    if (file === undefined) await pour(shell, lines)
    else say(shell.stdout, [`${file}: ${await writeWhole(file, ended(lines))} bytes from ${source.name}`])
    return EXIT.ok
  })
}

async function* entriesIn(lines: AsyncIterable<string>): AsyncIterable<Entry> {
  for await (const line of lines) yield parseEntry(line)
}

/** Waits for a slow reader: an export may be larger than memory. */
async function pour({ stdout }: Shell, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of ended(lines)) {
    if (!stdout.write(line)) await new Promise<void>(resolve => stdout.once('drain', resolve))
  }
}

const DEEDS = { verify: audit(verification), replay: audit(retelling), export: write } as const
const NAMES = Object.keys(DEEDS)
const isDeed = (name: string | undefined): name is keyof typeof DEEDS => NAMES.includes(name ?? '')

export const ledger: Command = {
  usage: `lane ledger verify [FILE] [--json]
lane ledger replay [FILE] [--json]
lane ledger export [--profile choir] [FILE]

verify hashes every entry again and checks that nothing happened that must never happen; of a database or a file whose
secret is at hand (LANE_SECRET, or the file beside it) also every seal, and it says whether it has. replay hashes them too,
rebuilds every case and compiles every stored reply again, and must arrive at the same events. Both exit 0 if the
ledger holds, 1 if it is broken, has no entry or goes on under rules of a newer lane. FILE is an export (NDJSON) or a backup (SQLite); without one it is the
ledger of DATABASE_URL or of the local data directory, or where there is none, or LANE_URL is set, that of the lane over
HTTP (a key with scope audit). export writes every entry, as hashed, to FILE, or to standard output where there is none
or it is -; with --profile choir as envelopes of six fields under dot-delimited names, for the system those names come
from.`,

  async run([name, ...rest], shell) {
    if (isDeed(name)) return await DEEDS[name](rest, shell)
    const meant = nearest(name ?? '', NAMES)
    const read =
      name === undefined ? 'nothing' : `"${name}"${meant === null ? '' : `, did you mean ${meant}?`}`
    return misuse(`lane ledger takes ${NAMES.join(', ')}; read ${read}`)
  },
}
