// What the bridge writes down about a run before it answers any gate of it, so that the next bridge can end what a bridge that was
// killed has left: 0600, in a directory of its own, 0700.
//
// ARC1  A group is ended only if process, group, start and boot are all as they were recorded. Otherwise it is left, and said so.
// ARC2  What a bridge on another machine has recorded is that machine's: from here nobody sees whether its run is over.
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Endpoint } from '../../client/call.js'
import { keepPrivate } from '../../config/data-directory.js'
import { readFile, removeFile, writeFile } from '../../folder/file.js'
import { closeFolder, type Folder, namesIn, openFolder } from '../../folder/folder.js'
import { birthOf, bootId, groupOf, type Holder, isGone } from '../../folder/holder.js'
import { takeBack } from './asking.js'
import { endGroup, membersOf, type Started } from './process.js'

const OWNER_ONLY = 0o600
const NAME = /^run-[0-9a-f]{16}\.json$/

type RunRecord = {
  readonly bridge: Holder
  readonly run: Started
  /** Requests that may be open. */
  readonly requests: readonly string[]
}

/** The directory, closed to everybody else; or why there is none. */
export function openRecords(path: string): Folder | string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const { flaws } = keepPrivate(path)
  if (flaws[0] !== undefined) return flaws[0]
  const opened = openFolder(path, [], { shared: false })
  return opened.ok ? opened.folder : opened.detail
}

export const writeRecord = (folder: Folder, name: string, record: RunRecord): void =>
  void writeFile(folder, name, `${JSON.stringify(record)}\n`, () => true, OWNER_ONLY)
export const removeRecord = removeFile
export const closeRecords = closeFolder

/** What is left of a recorded run. `theirs`: the process has another birth or group, and is not ours to end. `headless`: the one
 *  that was started is gone, and others of its group run on, which nothing vouches for. */
function stateOf({ pid, group, born, boot }: Started): 'gone' | 'ours' | 'theirs' | 'headless' {
  if (boot === null || boot !== bootId()) return 'gone'
  const now = groupOf(pid)
  if (now === null) return membersOf(group).length === 0 ? 'gone' : 'headless'
  return now === group && born !== null && birthOf(pid) === born ? 'ours' : 'theirs'
}

/** Ends what bridges that are gone have left, and takes back what they had asked. Each sentence is for the operator. */
export async function recoverRuns(folder: Folder, endpoint: Endpoint): Promise<readonly string[]> {
  const told: string[] = []
  for (const name of namesIn(folder).filter(one => NAME.test(one))) {
    const record = readRecord(folder, name)
    if (record === null) told.push(`${folder.path}/${name} is no record of a run; it was left`)
    else if (record.bridge.host !== hostname())
      told.push(`${folder.path}/${name} is of a bridge on ${record.bridge.host}; it was left`)
    else if (record.run.boot !== bootId() || isGone(record.bridge))
      told.push(...(await recoverRun(folder, name, record, endpoint)))
  }
  return told
}

async function recoverRun(
  folder: Folder,
  name: string,
  { run, requests }: RunRecord,
  endpoint: Endpoint,
): Promise<readonly string[]> {
  const told: string[] = []
  const state = stateOf(run)
  const ended = state === 'ours' ? await endGroup(run.group) : state === 'gone'
  if (state === 'ours')
    told.push(`the run left in process group ${run.group} ${ended ? 'was ended' : 'could not be ended'}`)
  if (state === 'theirs') told.push(`process ${run.pid} is not the run that was recorded; it was left`)
  if (state === 'headless')
    told.push(`process group ${run.group} runs on without the run that was recorded; it was left`)
  const taken = await Promise.all(requests.map(id => takeBack(endpoint, id, 'the bridge of its run ended')))
  if (taken.includes(false)) told.push(`not every request of that run could be taken back; ${name} is kept`)
  const isOver = ended || state === 'theirs'
  if (isOver && !taken.includes(false)) removeRecord(folder, name)
  return told
}

function readRecord(folder: Folder, name: string): RunRecord | null {
  const read = readFile(folder, name)
  try {
    const value = read.ok ? JSON.parse(read.bytes.toString('utf8')) : null
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

const isRecord = (value: RunRecord | null): value is RunRecord =>
  Number.isInteger(value?.bridge?.pid) &&
  Number.isInteger(value?.run?.pid) &&
  // A group of 0 or 1 would be ours, or everybody.
  (value?.run?.pid ?? 0) > 1 &&
  value?.run?.group === value?.run?.pid &&
  Array.isArray(value?.requests)
