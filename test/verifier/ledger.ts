// Entries as plain values, taken out of an export, changed, and chained anew: whoever owns the disk can do the same.
import { canonical, type Hash, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { GENESIS, leafOfLine } from '../../src/ledger/entry.js'
import { type Frontier, grow, NOTHING, rootOf } from '../../src/ledger/tree/nodes.js'
import { type Display, type DisplayFacts, display, hashDisplay } from '../../src/request/display.js'
import { hashEntry } from '../ledger/craft.js'

export type Fields = Record<string, unknown>
export type Loose = Fields & { type: string; body: Fields; seq: number; at: string; request_id?: string }

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const entriesOf = (text: string): Loose[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Loose)

export const bytesOf = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map(line => `${line}\n`).join(''))

/** Each with the hash of the one before it and its own, from one place on. Numbers its seq too, unless told not to. */
export function chained(
  entries: readonly Loose[],
  from = 0,
  options: { readonly seqs?: boolean } = {},
): string[] {
  let prev = GENESIS
  return entries.map((entry, index) => {
    const told = index < from ? entry : { ...entry, prev, ...(options.seqs !== false && { seq: index }) }
    const hash = index < from ? (entry.hash as Hash) : hashEntry(told)
    prev = hash
    return canonical({ ...told, hash })
  })
}

/** The entries with their references to one another as they were, under the numbers they have now. */
export function renumbered(entries: readonly Loose[]): Loose[] {
  const places = new Map(entries.map(({ seq }, index) => [seq, index]))
  const placeOf = (seq: unknown): unknown => places.get(seq as number) ?? seq
  return entries.map((entry, index) => {
    const { body } = entry
    if (!isFields(body)) return { ...entry, seq: index }
    const causes = Array.isArray(body.causes) && { causes: body.causes.map(placeOf) }
    const because = 'because' in body && { because: placeOf(body.because) }
    const size =
      (entry.type === 'LEDGER_SEALED' && { size: Math.max(0, index - 1) }) ||
      (entry.type === 'CHECKPOINT_SIGNED' && {
        size: entries.filter(({ seq }) => seq < (body.size as number)).length,
      })
    return { ...entry, seq: index, body: { ...body, ...causes, ...because, ...size } }
  })
}

/** As many small ledgers as it takes to hold every story of a large one, each with all that is told of the lane. */
export function excerptsOf(entries: readonly Loose[], atMost: number): Loose[][] {
  const sizes = new Map<string, number>()
  for (const { request_id } of entries)
    if (request_id !== undefined) sizes.set(request_id, (sizes.get(request_id) ?? 0) + 1)
  const groups: Set<string>[] = []
  let room = 0
  for (const [id, size] of sizes) {
    if (groups.length === 0 || size > room) {
      groups.push(new Set())
      room = atMost
    }
    groups.at(-1)?.add(id)
    room -= size
  }
  return groups.map(ids =>
    sealed(renumbered(entries.filter(({ request_id }) => request_id === undefined || ids.has(request_id)))),
  )
}

/** Chained; LEDGER_SEALED and CHECKPOINT_SIGNED say what is now true of the ledger before them. */
export function sealed(entries: readonly Loose[]): Loose[] {
  const lines: string[] = []
  return entries.map((entry, seq) => {
    const told: Fields = { ...entry, seq, prev: hashAt(lines, seq - 1), body: truthOf(entry, lines) }
    const { hash: _, ...rest } = told
    const sound = { ...rest, hash: hashEntry(rest) } as unknown as Loose
    lines.push(canonical(sound))
    return sound
  })
}

const hashAt = (lines: readonly string[], seq: number): Hash =>
  seq < 0 ? GENESIS : JSON.parse(lines[seq] ?? '').hash

function truthOf({ type, body }: Loose, lines: readonly string[]): Fields {
  if (!isFields(body)) return body
  if (type === 'LEDGER_SEALED') return { ...body, hash: hashAt(lines, lines.length - 2) }
  if (type !== 'CHECKPOINT_SIGNED') return body
  const covered = lines.slice(0, Number(body.size))
  const frontier = covered.reduce((tree: Frontier, line) => grow(tree, leafOfLine(line)).frontier, NOTHING)
  return { ...body, root: Buffer.from(rootOf(frontier)).toString('base64') }
}

/** What follows from the rest of its story by a hash or a sum is made to follow again: a deed that is covered up. */
export function mended(entries: readonly Loose[]): Loose[] {
  const told = structuredClone(entries) as Loose[]
  for (const [index, { type, body, request_id, at }] of told.entries()) {
    if (!isFields(body)) continue
    const story = told.filter(one => one.request_id === request_id && isFields(one.body))
    if (type === 'REQUEST_OPENED' && isFields(body.request)) {
      mendRequest(story, body, body.request, at)
      mendDisplays(story, body)
    }
    const before = told[index - 1]
    const isSaid = type === 'HUMAN_REPLY_EVENT' || type === 'REQUEST_DELEGATED'
    if (isSaid && before !== undefined) mendReply(before, told[index + 1], body, at)
  }
  return told
}

function mendRequest(story: readonly Loose[], body: Fields, request: Fields, at: string): void {
  const request_hash = sha256('lane/request/v1\n', canonical(request))
  const deadline = Date.parse(at) + Number(request.deadline_seconds) * 1000
  const deadline_at = Math.abs(deadline) < 8e15 ? instant(deadline) : body.deadline_at
  for (const one of story) {
    if ('request_hash' in one.body) one.body.request_hash = request_hash
    if ('deadline_at' in one.body) one.body.deadline_at = deadline_at
    if ('default_action' in one.body) one.body.default_action = request.default_action
    if ('parameters_hash' in one.body && isFields(request.parameters))
      one.body.parameters_hash = sha256('lane/parameters/v1\n', canonical(request.parameters))
  }
}

/** The deliveries show what the opening says by now. */
function mendDisplays(story: readonly Loose[], body: Fields): void {
  const { request, request_hash, run, deadline_at, asked_by, origin = null, terms } = body
  if (!isFields(terms)) return
  for (const { type, body: claim } of story) {
    if (type !== 'DELIVERY_STARTED') continue
    try {
      const facts = {
        request,
        request_hash,
        run,
        deadline_at,
        asked_by,
        origin,
        terms,
      } as unknown as DisplayFacts
      const contents = (claim.contents ?? []) as Display['contents']
      claim.display_hash = hashDisplay({ ...display(facts, ''), contents })
    } catch {
      // What is no request has no display; it is refused for that.
    }
  }
}

function mendReply(received: Loose, resolved: Loose | undefined, body: Fields, at: string): void {
  if (received.type === 'INBOUND_REPLY_RECEIVED' && isFields(received.body)) {
    received.body.event_hash = sha256(canonical(body))
    for (const name of ['reply_id', 'delivery_id', 'channel']) received.body[name] = body[name]
  }
  const sender = body.sender_identity
  if (resolved?.type !== 'REQUEST_RESOLVED' || !isFields(resolved.body) || !isFields(sender)) return
  const { parsed_choice, parsed_payload, channel } = body
  // The decisions of a form are those of several replies.
  if (isFields(parsed_payload) && 'decisions' in parsed_payload) return
  resolved.body.answer = {
    parsed_choice,
    parsed_payload,
    answered_by: sender.user_id,
    channel,
    proof: sender.proof,
    at,
  }
}
