// One look at a drop folder: what is new in it is posted, and what was answered is written beside it.
//
// DF1  The lane decides what is new: an artifact posted twice is one request, so a crash at any point is mended by
//      posting it again. Nothing is remembered on disk.
// DF2  A response is written whole, and only over an older one of the same artifact, byte for byte; anything else
//      under its name is somebody's, is reported, and stays.
// DF3  What is settled costs a look at its name: a file is read again only when it has changed, and the lane is asked
//      only about requests that have stirred.
import { call, type Endpoint, jsonOf, type Trouble } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import { readFile, stampOf, writeFile } from '../../folder/file.js'
import { closeFolder, type Folder, namesIn, openFolder } from '../../folder/folder.js'
import type { Profile } from '../../interop/aah/words.js'

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
}

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

type Options = { readonly directory: string; readonly shared: boolean; readonly profile: Profile }
type Told = { readonly asked: Asked[]; readonly answered: Answered[]; readonly refused: Refusal[] }

export async function lookOnce(
  endpoint: Endpoint,
  memory: Memory,
  { directory, shared, profile }: Options,
): Promise<Round> {
  const told: Told = { asked: [], answered: [], refused: [] }
  const opened = openFolder(directory, [], { shared })
  if (!opened.ok) return { ...told, refused: [{ file: null, code: opened.code, detail: opened.detail }] }
  const { folder } = opened
  try {
    const names = namesIn(folder).filter(name => name.endsWith(IN) && !name.endsWith(OUT))
    const there = new Set(names)
    for (const name of memory.files.keys()) if (!there.has(name)) memory.files.delete(name)
    for (const name of names) await post(endpoint, memory, folder, name, told)
    for (const [name, { request_id }] of memory.files)
      if (request_id !== null && memory.stirred.has(request_id)) {
        // Taken away beforehand: what stirs again meanwhile is looked at again; and put back where nothing came of it.
        memory.stirred.delete(request_id)
        const isDone = await answer({ endpoint, folder, profile, told }, name, request_id)
        if (!isDone) memory.stirred.add(request_id)
      }
    return told
  } finally {
    closeFolder(folder)
  }
}

async function post(
  endpoint: Endpoint,
  memory: Memory,
  folder: Folder,
  name: string,
  told: Told,
): Promise<void> {
  const stamp = stampOf(folder, name)
  if (stamp === null || memory.files.get(name)?.stamp === stamp) return
  const file = readFile(folder, name)
  if (!file.ok) {
    // One that is just being written is read by the next look.
    if (file.code !== 'changed') memory.files.set(name, { stamp, request_id: null })
    told.refused.push({ file: name, code: file.code, detail: file.detail })
    return
  }
  const answered = await call(endpoint, {
    method: 'POST',
    path: ARTIFACTS,
    bytes: file.bytes,
    media: 'application/json',
  })
  if (answered.kind !== 'answer') {
    if (isFinal(answered)) memory.files.set(name, { stamp, request_id: null })
    told.refused.push({ file: name, ...troubleOf(answered) })
    return
  }
  const body = jsonOf(answered)
  const request_id = isFields(body) && typeof body.request_id === 'string' ? body.request_id : null
  memory.files.set(name, { stamp, request_id })
  if (request_id === null || !isFields(body)) return
  memory.stirred.add(request_id)
  told.asked.push({ file: name, request_id, state: String(body.state) })
}

/** Refused as it stands; a limit, a lane that is down and a server's fault pass. */
const isFinal = (trouble: Trouble): boolean =>
  trouble.kind === 'problem' &&
  trouble.status >= 400 &&
  trouble.status < 500 &&
  ![401, 403, 408, 429].includes(trouble.status)

function troubleOf(trouble: Trouble): Omit<Refusal, 'file'> {
  if (trouble.kind === 'unreachable') return { code: trouble.why, detail: trouble.detail }
  const body = jsonOf(trouble)
  const { code = `http_${trouble.status}`, detail = '' } = isFields(body) ? body : {}
  return { code: String(code), detail: String(detail) }
}

type Work = {
  readonly endpoint: Endpoint
  readonly folder: Folder
  readonly profile: Profile
  readonly told: Told
}

/** False where it must be tried again. */
async function answer(
  { endpoint, folder, profile, told }: Work,
  name: string,
  request_id: string,
): Promise<boolean> {
  const path = `${ARTIFACTS}/${encodeURIComponent(request_id)}/responses?profile=${profile}`
  const answered = await call(endpoint, { path })
  if (answered.kind !== 'answer') {
    told.refused.push({ file: name, ...troubleOf(answered) })
    return isFinal(answered)
  }
  const body = jsonOf(answered)
  const items = isFields(body) && Array.isArray(body.items) ? body.items.filter(isFields) : []
  const texts = items.map(item => `${JSON.stringify(item, null, 2)}\n`)
  const newest = texts.at(-1)
  if (newest === undefined) return true
  const out = `${name.slice(0, -IN.length)}${OUT}`
  const before = readFile(folder, out)
  if (before.ok ? !texts.includes(before.bytes.toString()) : before.code !== 'absent') {
    const detail = before.ok ? 'there is another file under this name; it was left as it is' : before.detail
    told.refused.push({ file: out, code: 'not_ours', detail })
    return true
  }
  if (before.ok && before.bytes.toString() === newest) return true
  return write(folder, out, newest, { file: out, request_id, ...summaryOf(items.at(-1)) }, told)
}

function write(folder: Folder, out: string, text: string, answered: Answered, told: Told): boolean {
  try {
    writeFile(folder, out, text)
  } catch (error) {
    // A disk that is full today has room tomorrow.
    told.refused.push({ file: out, code: 'not_written', detail: String(error) })
    return false
  }
  told.answered.push(answered)
  return true
}

function summaryOf(response: unknown): Pick<Answered, 'overall_status' | 'status'> {
  const { extensions, content, sections } = response as Record<string, unknown>
  const own = isFields(extensions) && isFields(extensions.interrupt_lane) ? extensions.interrupt_lane : {}
  const [section] = Array.isArray(sections) ? sections : [content]
  const body = isFields(section) && isFields(section.body) ? section.body : {}
  const data = isFields(body.data) ? body.data : {}
  return { overall_status: String(data.overall_status), status: String(own.request_status) }
}
