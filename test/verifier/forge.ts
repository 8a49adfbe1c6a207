// Proofs signed by a key that signs anything: the entries of a true one, changed, in a tree made for them.
import { canonical, sha256 } from '../../src/canonical.js'
import { leafOf } from '../../src/ledger/tree/hash.js'
import { inclusionOf } from '../../src/ledger/tree/inclusion.js'
import { type Proof, writeProof } from '../../src/proof/proof.js'
import { hashEntry } from '../ledger/craft.js'
import { grownOf } from '../ledger/tree/grown.js'
import type { Chance } from './chance.js'
import { edited } from './deed.js'
import { type Fields, isFields, type Loose, mended } from './ledger.js'
import { base64, ORIGIN, type Signer } from './signer.js'

/** With some entries changed, or documents, or what a passkey confirmed; sometimes with every hash made to fit. */
export function forged(proof: Proof, signer: Signer, chance: Chance): Buffer {
  const entries = proof.entries.map(({ entry }) => entry) as unknown as Loose[]
  const { evidence } = proof
  if (evidence !== undefined && chance.once(2))
    return signed({ ...proof, evidence: misconfirmed(evidence, chance) }, entries, signer)
  const at = chance.upTo(entries.length)
  const deed = entries.with(at, edited(entries[at] as Loose, entries, chance))
  const left = chance.once(8) ? deed.toSpliced(chance.upTo(deed.length), 1) : deed
  const told = chance.once(3) ? left : mended(left)
  const displays = chance.once(4) ? [...proof.displays] : shownIn(proof, told)
  return signed({ ...proof, displays }, told, signer)
}

type Evidence = NonNullable<Proof['evidence']>

/** One of them is changed in one part, stands for another, or is told of another person. */
function misconfirmed(evidence: Evidence, chance: Chance): Evidence {
  const at = chance.upTo(evidence.length)
  const one = evidence[at] as Evidence[number]
  const other = chance.of(evidence)
  const { entry, path } = one.registered
  const told = (body: object): Evidence[number] => ({
    ...one,
    registered: { entry: { ...entry, body: { ...entry.body, ...body } }, path },
  })
  const part = chance.of(Object.keys(one.evidence) as (keyof Evidence[number]['evidence'])[])
  const text = one.evidence[part]
  const place = chance.upTo(text.length)
  const turned = text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1)
  const deeds = [
    (): Evidence[number] => ({ ...one, evidence: { ...one.evidence, [part]: turned } }),
    (): Evidence[number] => ({ ...one, evidence: other.evidence }),
    (): Evidence[number] => ({ ...one, registered: other.registered }),
    (): Evidence[number] => told({ user_id: chance.of(['operator', 'second', 7]) }),
    (): Evidence[number] => told({ by: chance.of(['operator', 'person', null]) }),
    (): Evidence[number] => told({ credential_hash: other.registered.entry.body.credential_hash }),
  ]
  return evidence.with(at, chance.of(deeds)())
}

/** With the entries changed so, and every hash made to fit: signed by whoever holds the key. */
export function told(proof: Proof, signer: Signer, change: (entries: Loose[]) => void): Buffer {
  const entries = structuredClone(proof.entries.map(({ entry }) => entry)) as unknown as Loose[]
  change(entries)
  const covered = mended(entries)
  return signed({ ...proof, displays: shownIn(proof, covered) }, covered, signer)
}

/** The documents say what the opening says, and the deliveries name them. */
function shownIn({ displays }: Proof, entries: readonly Loose[]): unknown[] {
  const opened = entries.find(({ type }) => type === 'REQUEST_OPENED')?.body
  const request = isFields(opened?.request) ? opened.request : {}
  const told = displays.map(display => ({
    ...(display as object),
    request_hash: opened?.request_hash,
    deadline_at: opened?.deadline_at,
    reply_schema: request.reply_schema,
    default_action: request.default_action,
  }))
  const hashes = told.map(one =>
    sha256(`lane/display/v${'v' in one && one.v === 2 ? 2 : 1}\n`, canonical(one)),
  )
  const started = entries.filter(({ type, body }) => type === 'DELIVERY_STARTED' && isFields(body))
  for (const [index, { body }] of started.entries()) {
    const hash = hashes[Math.min(index, hashes.length - 1)]
    if (hash !== undefined) body.display_hash = hash
  }
  return told
}

/** These entries, in a tree made for them, with the proof's own list. */
export function signed(proof: Proof, entries: readonly Loose[], { line }: Signer): Buffer {
  const placed = entries.map(entry => {
    const { hash: _, ...rest } = entry as Fields
    return { ...rest, hash: hashEntry(rest) } as unknown as Loose
  })
  const seqs = placed.map(({ seq }) => (Number.isSafeInteger(seq) && seq >= 0 && seq < 5_000 ? seq : 0))
  const size = Math.max(...seqs) + 3
  const words = new Map(placed.map(({ hash: _, ...rest }, index) => [seqs[index], canonical(rest)]))
  const registered = proof.evidence?.map(one => {
    const { hash: _, ...rest } = one.registered.entry
    if (!words.has(rest.seq)) words.set(rest.seq, canonical(rest))
    return { ...rest, hash: hashEntry(rest) }
  })
  const tree = grownOf(Array.from({ length: size }, (_, seq) => leafOf(words.get(seq) ?? `entry ${seq}`)))
  const checkpoint = `${ORIGIN}\n${size}\n${base64(tree.root(size))}\n`
  const listed = new Map(
    proof.story.split('\n').flatMap(row => (/^\d+ [A-Z_]+$/.test(row) ? [rowOf(row)] : [])),
  )
  for (const { seq, type } of placed) listed.set(seq, type)
  const rows = [...listed].sort(([one], [other]) => one - other).filter(([seq]) => seq < size)
  const story = ['lane/story/v1', ORIGIN, size, proof.request_id, ...rows.map(row => row.join(' ')), ''].join(
    '\n',
  )
  return Buffer.from(
    writeProof({
      ...proof,
      checkpoint: `${checkpoint}\n${line(checkpoint)}`,
      story: `${story}\n${line(story)}`,
      entries: placed.map((entry, index) => ({
        entry: entry as never,
        path: tree.hashes(inclusionOf(seqs[index] ?? 0, size)).map(base64),
      })),
      ...(proof.evidence && {
        evidence: proof.evidence.map((one, index) => {
          const entry = registered?.[index] as never as Proof['entries'][number]['entry']
          const path = tree.hashes(inclusionOf(entry.seq, size)).map(base64)
          return { ...one, registered: { entry, path } }
        }),
      }),
    }),
  )
}

function rowOf(row: string): [number, string] {
  const [seq = '', type = ''] = row.split(' ')
  return [Number(seq), type]
}
