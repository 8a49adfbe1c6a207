// One look at a drop folder: what is new in it is posted, and what was answered is written beside it.
//
// DF1  The lane decides what is new: an artifact posted twice is one request, so a crash at any point is mended by
//      posting it again. Nothing is remembered on disk.
// DF2  A response is written whole, and only over another one that this lane has given to the same artifact, byte for
//      byte; anything else under its name is somebody's, is reported, and stays.
// DF3  What is settled costs a look at its name: a file is read again only when it has changed, and the lane is asked
//      only about requests that have stirred.
import { call, type Endpoint, jsonOf, type Trouble } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import { readFile, stampOf, writeFile } from '../../folder/file.js'
import { closeFolder, type Folder, namesIn, openFolder } from '../../folder/folder.js'
import { type Profile, requestIdOf } from '../../interop/aah/words.js'
import { isGiven, newestOf, type Responses, responsesTo, spelt } from './responses.js'

const IN = '.aah.json'
const OUT = '.response.aah.json'
const ARTIFACTS = '/v1/aah/artifacts'

type Known = {
  /** Of the file as it was posted. */
  readonly stamp: string
  /** Null for what asked for nothing, or was refused. */
  readonly request_id: string | null
}
/** What this process knows of the folder. */
export type Memory = {
  readonly files: Map<string, Known>
  /** Requests that may have a response nobody has written yet. */
  readonly stirred: Set<string>
  /** Until when the lane takes no more of a file's kind, by its name, in milliseconds since 1970. */
  readonly later: Map<string, number>
}
export const nothingKnown = (): Memory => ({ files: new Map(), stirred: new Set(), later: new Map() })

type Asked = { readonly file: string; readonly request_id: string; readonly state: string }
type Answered = {
  readonly file: string
  readonly request_id: string
  readonly overall_status: string
  readonly status: string
}
type Refusal = { readonly file: string | null; readonly code: string; readonly detail: string }
export type Round = {
  readonly asked: readonly Asked[]
  readonly answered: readonly Answered[]
  readonly refused: readonly Refusal[]
}

type Options = {
  readonly directory: string
  readonly shared: boolean
  readonly profile: Profile
  /** Milliseconds since 1970. */
  readonly now: number
}
type Told = { readonly asked: Asked[]; readonly answered: Answered[]; readonly refused: Refusal[] }
type Work = {
  readonly endpoint: Endpoint
  readonly memory: Memory
  readonly folder: Folder
  readonly profile: Profile
  readonly now: number
  readonly told: Told
}

export async function lookOnce(
  endpoint: Endpoint,
  memory: Memory,
  { directory, shared, profile, now }: Options,
): Promise<Round> {
  const told: Told = { asked: [], answered: [], refused: [] }
  const opened = openFolder(directory, [], { shared })
  if (!opened.ok) return { ...told, refused: [{ file: null, code: opened.code, detail: opened.detail }] }
  const { folder } = opened
  const work = { endpoint, memory, folder, profile, now, told }
  try {
    const names = namesIn(folder).filter(name => name.endsWith(IN) && !name.endsWith(OUT))
    forget(memory, new Set(names))
    const goesOn = await inTurn(names, name => post(work, name))
    if (goesOn && memory.stirred.size > 0) {
      const files = filesByRequest(memory)
      await inTurn([...memory.stirred], requestId => answer(work, requestId, files.get(requestId) ?? []))
    }
    return told
  } finally {
    closeFolder(folder)
  }
}

/** Files that are gone. */
function forget({ files, later }: Memory, there: ReadonlySet<string>): void {
  for (const known of [files, later])
    for (const name of known.keys()) if (!there.has(name)) known.delete(name)
}

/** More than one where somebody has copied a file. */
function filesByRequest({ files }: Memory): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [name, { request_id }] of files)
    if (request_id !== null) found.set(request_id, [...(found.get(request_id) ?? []), name])
  return found
}

/** One after the other, until one says that the lane itself is the trouble: the next look goes on there. */
async function inTurn(all: readonly string[], deed: (one: string) => Promise<boolean>): Promise<boolean> {
  for (const one of all) if (!(await deed(one))) return false
  return true
}

/** False where the lane itself is the trouble. */
async function post({ endpoint, memory, folder, now, told }: Work, name: string): Promise<boolean> {
  const stamp = stampOf(folder, name)
  if (stamp === null || memory.files.get(name)?.stamp === stamp) return true
  if ((memory.later.get(name) ?? now) > now) return true
  const file = readFile(folder, name)
  if (!file.ok) {
    // One that is just being written is read by the next look.
    if (file.code !== 'changed') memory.files.set(name, { stamp, request_id: null })
    told.refused.push({ file: name, code: file.code, detail: file.detail })
    return true
  }
  const answered = await call(endpoint, {
    method: 'POST',
    path: ARTIFACTS,
    bytes: file.bytes,
    media: 'application/json',
  })
  if (answered.kind !== 'answer') {
    const trouble = troubleOf(answered)
    told.refused.push({ file: name, ...trouble })
    const isOver = trouble.code === ALREADY_RESOLVED
    if (isFinal(answered)) known(memory, name, stamp, isOver ? requestIdIn(file.bytes) : null)
    if (isLimit(answered)) memory.later.set(name, now + (answered.retryAfterMs ?? LATER_MS))
    return isFinal(answered) || isLimit(answered)
  }
  const body = jsonOf(answered)
  const request_id = isFields(body) && typeof body.request_id === 'string' ? body.request_id : null
  known(memory, name, stamp, request_id)
  if (request_id !== null && isFields(body))
    told.asked.push({ file: name, request_id, state: String(body.state) })
  return true
}

/** What was said before a withdrawal came stands, and belongs beside the file all the same. */
const ALREADY_RESOLVED = 'already_resolved'
/** Where a limit does not say how long it holds. */
const LATER_MS = 5_000

function known({ files, stirred, later }: Memory, name: string, stamp: string, id: string | null): void {
  files.set(name, { stamp, request_id: id })
  later.delete(name)
  if (id !== null) stirred.add(id)
}

/** Of a file that the lane has called an artifact of this key. */
function requestIdIn(bytes: Buffer): string | null {
  const given = jsonOf({ body: bytes })
  const id = isFields(given) && isFields(given.artifact) ? given.artifact.id : null
  return typeof id === 'string' ? requestIdOf(id) : null
}

/** Refused as it stands: the same file is never taken. */
const isFinal = (trouble: Trouble): boolean =>
  trouble.kind === 'problem' &&
  trouble.status >= 400 &&
  trouble.status < 500 &&
  ![401, 403, 408, 429].includes(trouble.status)

/** One caller's or one recipient's: other files may be taken meanwhile. */
const isLimit = (trouble: Trouble): trouble is Extract<Trouble, { kind: 'problem' }> =>
  trouble.kind === 'problem' && trouble.status === 429

function troubleOf(trouble: Trouble): Omit<Refusal, 'file'> {
  if (trouble.kind === 'unreachable') return { code: trouble.why, detail: trouble.detail }
  const body = jsonOf(trouble)
  const { code = `http_${trouble.status}`, detail = '' } = isFields(body) ? body : {}
  return { code: String(code), detail: String(detail) }
}

/** Beside every file that is this artifact. False where the lane itself is the trouble. */
async function answer(work: Work, requestId: string, files: readonly string[]): Promise<boolean> {
  const { endpoint, memory, profile, told } = work
  // Taken away beforehand: what stirs again meanwhile is looked at again; and put back where nothing came of it.
  memory.stirred.delete(requestId)
  // The key may ask elsewhere too.
  if (files.length === 0) return true
  const read = await responsesTo(endpoint, requestId, profile)
  if (read.kind === 'responses') {
    for (const name of files) if (!(await put(work, name, requestId, read))) memory.stirred.add(requestId)
    return true
  }
  told.refused.push(...files.map(file => ({ file, ...troubleOf(read) })))
  if (isFinal(read)) return true
  memory.stirred.add(requestId)
  return false
}

/** False where it must be tried again. */
async function put(
  { endpoint, folder, told }: Work,
  name: string,
  requestId: string,
  responses: Responses,
): Promise<boolean> {
  const newest = newestOf(responses)
  if (newest === null) return true
  const file = `${name.slice(0, -IN.length)}${OUT}`
  const text = spelt(newest.response)
  const before = readFile(folder, file)
  if (before.ok && before.bytes.toString() === text) return true
  const isOurs = before.ok
    ? await isGiven(endpoint, requestId, responses, before.bytes)
    : before.code === 'absent'
  if (isOurs === null) return false
  if (!isOurs) {
    const detail = before.ok ? 'there is another file under this name; it was left as it is' : before.detail
    told.refused.push({ file, code: 'not_ours', detail })
    return true
  }
  try {
    writeFile(folder, file, text)
  } catch (error) {
    // A disk that is full today has room tomorrow.
    told.refused.push({ file, code: 'not_written', detail: String(error) })
    return false
  }
  const { overall_status, status } = newest
  told.answered.push({ file, request_id: requestId, overall_status, status })
  return true
}
