// `lane ail bridge`: a run of `ail` whose gates people answer through the lane.
//
// ABR1  Its input stays open until it has said that it ended: `ail` takes the end of its input for an answer.
// ABR2  A request stands in the record of the run before the lane has it, so that whoever comes after a crash knows it.
// ABR3  When the bridge ends, by whatever it can notice, the run ends first. A run that it cannot record is such an end.
// ABR4  A run that has ended is over, whoever else still holds its output.

import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../canonical.js'
import { sleep } from '../../client/pace.js'
import type { Folder } from '../../folder/folder.js'
import { thisProcess } from '../../folder/holder.js'
import { commandOf } from '../../interop/ail/command.js'
import { readEvent } from '../../interop/ail/event.js'
import {
  answered,
  begin,
  type BridgeDeed as Duty,
  endOf,
  type GateAnswer,
  heard,
  type OpenGate,
} from '../../interop/ail/supervision.js'
import { reasonOf } from '../../say.js'
import { readArguments } from '../arguments.js'
import { misuse, type Shell } from '../command.js'
import type { Subcommand } from '../deeds.js'
import { DURATION_WORDS, parseDuration } from '../duration.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { linesOf } from '../lines.js'
import { say, visible } from '../print.js'
import { complain } from '../tell.js'
import { enterWatching } from '../watcher.js'
import { takeBack } from './asking.js'
import { ask, type Errands } from './errand.js'
import { endGroup, killGroup, type Started, startRun } from './process.js'
import { closeRecords, openRecords, recoverRuns, removeRecord, writeRecord } from './record.js'
import { splitAt } from './words.js'

export const bridge: Subcommand = async (args, shell) => {
  const { before, behind } = splitAt(args)
  const options = {
    'allow-modify': { type: 'boolean', default: false },
    to: { type: 'string', multiple: true },
    deadline: { type: 'string', default: '1h' },
    'prompt-deadline': { type: 'string', default: '4m' },
    state: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const read = readArguments(before, options)
  if (!read.ok) return misuse(...read.flaws)
  const { values } = read
  const [deadlineSeconds, promptSeconds] = [
    parseDuration(values.deadline),
    parseDuration(values['prompt-deadline']),
  ]
  if (deadlineSeconds === null || promptSeconds === null)
    return misuse(`--deadline and --prompt-deadline take ${DURATION_WORDS}`)
  const command = commandOf(behind ?? [])
  if (!command.ok) return misuse(...command.flaws)
  const watching = await enterWatching(shell, 'the pipeline, and every step of it,')
  if (watching === null) return EXIT.error
  const { endpoint } = watching
  const records = openRecords(values.state ?? stateDirectory(shell))
  if (typeof records === 'string') return complain(shell, [records])
  try {
    const told = await recoverRuns(records, endpoint)
    if (told.length > 0) complain(shell, told)
    const run = await startRun(command.program, command.args, shell.env)
    if (typeof run === 'string') return complain(shell, [`${command.program} could not be started: ${run}`])
    const pace = { clock: shell.clock, sleep }
    const { to, 'allow-modify': allowModify } = values
    const errands = { endpoint, pace, to, deadlineSeconds, promptSeconds, allowModify }
    return await supervise({ shell, records, errands, json: values.json, ...run })
  } finally {
    closeRecords(records)
  }
}

const stateDirectory = ({ env }: Shell): string =>
  join(env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state'), 'interrupt-lane', 'ail')

type Supervised = {
  readonly shell: Shell
  readonly records: Folder
  readonly errands: Errands
  readonly json: boolean
  readonly child: ChildProcess
  readonly started: Started
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** After its last word `ail` has nothing left to do. */
const LAST_WORD_MS = 10_000
/** What it wrote before it ended is in the pipe. */
const LAST_LINES_MS = 1000

async function supervise({ shell, records, errands, json, child, started }: Supervised): Promise<ExitCode> {
  const name = `run-${randomBytes(8).toString('hex')}.json`
  /** Changed only by `note`, before a request is asked and after it is over. */
  const requests = new Set<string>()
  const note = (): void =>
    writeRecord(records, name, { bridge: thisProcess(), run: started, requests: [...requests] })
  try {
    note()
  } catch (error) {
    await endGroup(started.group)
    return complain(shell, [`the run could not be recorded, so it was ended: ${reasonOf(error)}`])
  }
  const over = new AbortController()
  /** Changed only by `go`. */
  let watch = begin(`ail-${randomBytes(8).toString('hex')}`)
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  child.stdin?.on('error', () => undefined)

  const endSoon = async (ms: number): Promise<void> => {
    await sleep(ms, over.signal).then(
      () => endGroup(started.group),
      () => undefined,
    )
    child.stdout?.destroy()
  }
  void ended.then(() => endSoon(LAST_LINES_MS))

  const go = ({ watch: next, deeds }: { watch: typeof watch; deeds: readonly Duty[] }): void => {
    watch = next
    for (const deed of deeds) perform(deed)
  }
  const perform = (deed: Duty): void => {
    switch (deed.do) {
      case 'ask':
        return void carry(deed.open)
      case 'write':
        return void child.stdin?.write(deed.line)
      case 'take_back':
        return void takeBack(errands.endpoint, deed.open.id, 'two prompts at once').then(() =>
          settled(deed.open),
        )
      case 'close_input':
        child.stdin?.end()
        return void endSoon(LAST_WORD_MS)
      case 'end':
        return void endGroup(started.group)
    }
  }
  // The next record that is written leaves it out.
  const settled = ({ id }: OpenGate): void => void requests.delete(id)
  const asked = async (open: OpenGate): Promise<GateAnswer> => {
    requests.add(open.id)
    note()
    return await ask(errands, open, over.signal)
  }
  const carry = async (open: OpenGate): Promise<void> => {
    const answer = await asked(open).catch((error): GateAnswer => ({ kind: 'no', detail: reasonOf(error) }))
    if (over.signal.aborted) return
    settled(open)
    tellGate(shell, json, open, answer)
    go(answered(watch, open, answer))
  }
  const deny = (why: string): void =>
    go({ watch: { ...watch, denied: watch.denied ?? why }, deeds: [{ do: 'end', why }] })
  const stop = (signal: NodeJS.Signals): void => deny(`the bridge was ended by ${signal}`)
  for (const signal of SIGNALS) process.once(signal, stop)
  const last = (): void => void killGroup(started.group)
  process.once('exit', last)

  try {
    if (child.stdout !== null)
      for await (const line of linesOf(child.stdout)) go(heard(watch, readEvent(line)))
  } catch (error) {
    if (!isClosed(error)) deny(reasonOf(error))
  }
  // Its output has ended, so nothing it does can be seen any more: what is left of it ends too.
  const late = endSoon(LAST_WORD_MS)
  const [code, signal] = await ended
  over.abort()
  await late
  const isEmpty = await endGroup(started.group)
  for (const one of SIGNALS) process.removeListener(one, stop)
  process.removeListener('exit', last)
  const taken = await Promise.all(
    [...requests].map(id => takeBack(errands.endpoint, id, 'the run has ended')),
  )
  if (isEmpty && !taken.includes(false)) removeRecord(records, name)
  const how = endOf(watch, code)
  tellEnd(shell, json, {
    ended: how,
    run_id: watch.run.runId,
    detail: watch.denied ?? watch.ended?.failed ?? null,
    exit_code: code,
    signal,
    garbage_lines: watch.garbage,
  })
  return how === 'completed' ? EXIT.ok : EXIT.error
}

/** Its output was closed from this side, by `endSoon`. */
const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'

function tellGate(shell: Shell, json: boolean, { id, event, point }: OpenGate, answer: GateAnswer): void {
  const changed = event.kind === 'modify' && answer.kind === 'yes'
  const told = {
    gate: point.stepId,
    kind: event.kind,
    reached: point.ordinal,
    run_id: point.run.runId,
    request_id: id,
    verdict: answer.kind,
    ...(answer.kind === 'no' && { detail: answer.detail }),
    ...(changed && { before_hash: sha256(event.lastResponse ?? ''), after_hash: sha256(answer.text ?? '') }),
  }
  const words = `${point.stepId} (${event.kind}, request ${id}): ${answer.kind}${answer.kind === 'no' ? `, ${answer.detail}` : ''}`
  say(shell.stdout, [json ? JSON.stringify(told) : visible(words)])
}

type End = {
  readonly ended: string
  readonly run_id: string
  readonly detail: string | null
  readonly exit_code: number | null
  readonly signal: NodeJS.Signals | null
  readonly garbage_lines: number
}

function tellEnd(shell: Shell, json: boolean, end: End): void {
  const skipped = end.garbage_lines === 0 ? '' : `; ${end.garbage_lines} lines were no events`
  const words = `the run ${end.run_id} ${end.ended}${end.detail === null ? '' : `: ${end.detail}`}${skipped}`
  say(shell.stdout, [json ? JSON.stringify(end) : visible(words)])
}
