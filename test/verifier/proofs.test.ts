// Decision proofs in the eyes of both verifiers: as the lane gives them, touched, and signed by a key that signs anything.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { readVkey } from '../../src/checkpoint/note.js'
import { decode } from '../../src/passkey/base64url.js'
import { readPublicKey } from '../../src/passkey/public-key.js'
import { tokenUsedBy } from '../../src/proof/parts.js'
import { type Proof, writeProof } from '../../src/proof/proof.js'
import { verifyProof } from '../../src/proof/verify.js'
import { ALL } from '../faults/rig.js'
import {
  approval,
  approved,
  confirmed,
  confirmedByAll,
  confirmedForm,
  confirmedNumber,
  delegated,
  escalated,
  formed,
  parsed,
  polled,
  raiseScene,
  reminded,
  type Scene,
  shown,
  takenBack,
} from '../proof/scene.js'
import { chanceOf } from './chance.js'
import { forged, signed, told } from './forge.js'
import { type Fields, isFields, type Loose } from './ledger.js'
import { maySkip, Second, without } from './second.js'
import { signer } from './signer.js'

const TOUCHED = ALL ? 2_000 : 100
const FORGED = ALL ? 3_000 : 150

const DECIDED = [
  'given',
  'revoked',
  'refused',
  'withdrawn',
  'late',
  'polled',
  'delegated',
  'reminded',
  'escalated',
  'formed',
  'confirmed',
  'confirmed-no',
  'confirmed-number',
  'confirmed-by-all',
  'confirmed-form',
] as const

const readKey = (key: string): unknown => readPublicKey(decode(key) ?? new Uint8Array())?.alg

type Carried = Proof['entries']
/** Without the first of this type. */
const lacking = (entries: Carried, type: string): Carried =>
  entries.toSpliced(
    entries.findIndex(({ entry }) => entry.type === type),
    1,
  )
const hashesIn = (entries: readonly Carried[number]['entry'][]): unknown[] =>
  entries.filter(({ type }) => type === 'DELIVERY_STARTED').map(({ body }) => body.display_hash)

/** Gives the member at this path of the bodies of this type another value; takes it away where none is given. */
const set =
  (type: string, path: string, ...[value]: readonly unknown[]) =>
  (entries: readonly Loose[]): void => {
    const names = path.split('.')
    const last = names.pop() ?? ''
    for (const { body } of entries.filter(entry => entry.type === type)) {
      const holder = names.reduce<unknown>((here, name) => (isFields(here) ? here[name] : here), body)
      if (value === undefined) delete (holder as Fields)[last]
      else (holder as Fields)[last] = value
    }
  }
/** Tells of the decisions of a form otherwise, in the reply and in the outcome. */
const decidedOtherwise =
  (change: (decisions: readonly Fields[]) => readonly Fields[]) =>
  (entries: readonly Loose[]): void => {
    for (const { type, body } of entries) {
      const answer = type === 'REQUEST_RESOLVED' ? body.answer : body
      const payload = isFields(answer) ? answer.parsed_payload : null
      if (isFields(payload) && Array.isArray(payload.decisions))
        payload.decisions = change(payload.decisions as Fields[])
    }
  }
const deliveredOtherwise = (entries: readonly Loose[]): void => {
  for (const { body } of entries) if ('delivery_id' in body) body.delivery_id = 'd-other'
}
const openedAt =
  (at: string) =>
  ([opening]: readonly Loose[]): void => {
    if (opening !== undefined) opening.at = at
  }

describe.skipIf(maySkip)(`decision proofs, by both verifiers${without}`, () => {
  let second: Second
  let scene: Scene
  const proofs = new Map<string, Buffer>()
  const proofOf = (id: string): Proof => parsed(proofs.get(id) ?? Buffer.of())
  beforeAll(async () => {
    second = new Second()
    scene = await raiseScene()
    const { lane } = scene
    for (const id of ['given', 'revoked']) await approved(lane, id)
    await takenBack(lane, 'revoked')
    await polled(lane, 'polled')
    await delegated(lane, 'delegated')
    await reminded(lane, 'reminded')
    await escalated(lane, 'escalated')
    await formed(lane, 'formed')
    await confirmed(scene, 'confirmed')
    await confirmed(scene, 'confirmed-no', 'NO')
    await confirmedNumber(scene, 'confirmed-number')
    await confirmedByAll(scene, 'confirmed-by-all')
    await confirmedForm(scene, 'confirmed-form')
    await lane.submit(approval('refused'))
    await lane.answer(await lane.link('refused'), 'no')
    await lane.submit(approval('withdrawn'))
    await lane.call('POST', '/v1/requests/withdrawn/withdraw', { body: { reason: 'enough' } })
    await lane.submit(approval('late', { deadline_seconds: 1 }))
    await lane.outcome('late')
    for (const id of DECIDED) proofs.set(id, await scene.proof(id))
    await shown(lane, 'shown')
    proofs.set('with contents shown', await scene.proof('shown', '?contents=true'))
    proofs.set('with words', await scene.proof('given', '?contents=true'))
    proofs.set('with words and contents', await scene.proof('formed', '?contents=true'))
  })
  afterAll(async () => {
    second.end()
    await scene.lane.close()
  })

  /** The code of the check that fails, by both; null where all hold. */
  async function agreed(bytes: Buffer, vkeys: readonly string[], deed: string): Promise<string | null> {
    const keys = vkeys.flatMap(line => readVkey(line) ?? [])
    const [verdict, theirs] = await Promise.all([
      verifyProof(bytes, { keys, check: checkEd25519 }),
      second.ask('proof', { file: bytes.toString('base64'), keys: vkeys }),
    ])
    const ours = verdict.ok ? null : verdict.code
    expect(theirs, `${deed}: ${bytes.toString('utf8')}`).toBe(ours)
    return ours
  }

  test('prove what the lane says, to whoever has its key, and nothing to anybody else', async () => {
    for (const [id, bytes] of proofs) {
      expect(await agreed(bytes, [scene.vkey], id)).toBeNull()
      expect(await agreed(bytes, [], 'without a key')).toBe('untrusted')
      expect(await agreed(bytes, [signer().vkey], 'by another key')).toBe('checkpoint_unsigned')
    }
  })

  test.each([
    ['its opening', 'given', 'REQUEST_OPENED'],
    ['the delivery behind its answer', 'given', 'DELIVERY_STARTED'],
    ['the delegation', 'delegated', 'REQUEST_DELEGATED'],
    ['a vote', 'polled', 'HUMAN_REPLY_EVENT'],
    ['the revocation', 'revoked', 'POLICY_TOKEN_REVOKED'],
    ['the step that added somebody', 'escalated', 'REQUEST_ESCALATED'],
    ['the reminder', 'reminded', 'REQUEST_REMINDED'],
    ['the copy that a reminder is of', 'reminded', 'DELIVERY_STARTED'],
    ['the cause of its outcome', 'late', 'TIMEOUT_RECEIPT'],
    ['the decision', 'formed', 'DIRECTOR_DECIDED'],
  ])('without %s is refused', async (deed, id, type) => {
    const proof = proofOf(id)
    const bare = { ...proof, entries: lacking(proof.entries, type) }
    expect(await agreed(Buffer.from(writeProof(bare)), [scene.vkey], deed)).toBe('part_missing')
  })

  test('without its terms is refused', async () => {
    const proof = proofOf('polled')
    const entries = proof.entries.map(({ entry, path }) => {
      const { terms: _, ...body } = entry.body as { readonly terms?: unknown }
      return { entry: { ...entry, body }, path }
    })
    const bare = Buffer.from(writeProof({ ...proof, entries }))
    expect(await agreed(bare, [scene.vkey], 'without its terms')).toBe('not_included')
  })

  test.each([
    ['the delegation', 'delegated', 'REQUEST_DELEGATED', 'reply_unfounded'],
    ['the delegation and its announcement', 'delegated', 'REQUEST_DELEGATED', 'right_missing', 1],
    ['a vote', 'polled', 'HUMAN_REPLY_EVENT', 'outcome_differs', 1],
    ['the step that added somebody', 'escalated', 'REQUEST_ESCALATED', 'right_missing'],
    ['the cause of its outcome', 'late', 'TIMEOUT_RECEIPT', 'outcome_differs'],
  ])('whose lane does not list %s is refused, though the lane has signed it', async (...deed) => {
    const [name, id, type, code, before = 0] = deed
    const proof = proofOf(id)
    const at = proof.entries.findIndex(({ entry }) => entry.type === type)
    const gone = proof.entries.slice(at - before, at + 1).map(({ entry }) => entry)
    // The copy whose token nobody used any more goes with it.
    const used: unknown[] = gone.map(tokenUsedBy)
    const entries = proof.entries
      .map(({ entry }) => entry)
      .filter(
        entry => !gone.includes(entry) && !(entry.body.token_hash && used.includes(entry.body.token_hash)),
      )
    const story = gone.reduce((list, { seq, type }) => list.replace(`\n${seq} ${type}\n`, '\n'), proof.story)
    const displays = proof.displays.slice(0, new Set(hashesIn(entries)).size)
    const key = signer()
    const bytes = signed({ ...proof, story, displays }, structuredClone(entries) as never, key)
    expect(await agreed(bytes, [key.vkey], name)).toBe(code)
  })

  test.each<[string, string, string, (entries: Loose[]) => void]>([
    ['a schema of no kind', 'given', 'outcome_differs', set('REQUEST_OPENED', 'request.reply_schema.kind')],
    ['nobody in particular', 'late', 'right_missing', set('REQUEST_OPENED', 'recipients', [{ user_id: {} }])],
    ['no terms but null', 'late', 'right_missing', set('REQUEST_OPENED', 'terms', null)],
    ['a quorum of a text', 'polled', 'right_missing', set('REQUEST_OPENED', 'terms.quorum.need', '2')],
    [
      'a NO with an approval of what was not asked',
      'refused',
      'outcome_differs',
      set('HUMAN_REPLY_EVENT', 'parsed_payload', { decisions: [{ decision_id: 'all', approved: true }] }),
    ],
    [
      'a delivery that is a number',
      'late',
      'outcome_differs',
      set('TIMEOUT_RECEIPT', 'deliveries', [{ delivery_id: 'd', state: 'sent' }, 7]),
    ],
    [
      'a right without a name, taken back',
      'revoked',
      'decision_differs',
      entries => {
        set('POLICY_TOKEN_ISSUED', 'jti')(entries)
        set('POLICY_TOKEN_REVOKED', 'jti')(entries)
      },
    ],
    [
      'a YES where the passkey confirmed NO',
      'confirmed-no',
      'evidence_differs',
      set('HUMAN_REPLY_EVENT', 'parsed_choice', 'YES'),
    ],
    [
      'a YES, with the NO that the passkey confirmed as its words',
      'confirmed-no',
      'evidence_differs',
      entries => {
        set('HUMAN_REPLY_EVENT', 'parsed_choice', 'YES')(entries)
        set('HUMAN_REPLY_EVENT', 'parsed_payload', { text: 'NO' })(entries)
      },
    ],
    [
      'a YES, with the NO that the passkey confirmed as what was chosen',
      'confirmed-no',
      'evidence_differs',
      entries => {
        set('HUMAN_REPLY_EVENT', 'parsed_choice', 'YES')(entries)
        set('HUMAN_REPLY_EVENT', 'parsed_payload', { selected: ['NO'] })(entries)
      },
    ],
    [
      'another unit than was asked for',
      'confirmed-number',
      'evidence_differs',
      set('HUMAN_REPLY_EVENT', 'parsed_payload', { number: 12.5, unit: 'thousands' }),
    ],
    [
      'words that swallow the answer behind them',
      'confirmed-form',
      'evidence_differs',
      decidedOtherwise(decisions =>
        decisions
          .filter(one => one.decision_id !== 'where')
          .map(one => (one.decision_id === 'when' ? { ...one, value: 'über morgen\nwhere eu' } : one)),
      ),
    ],
    [
      'a word where something was to be chosen',
      'confirmed-form',
      'evidence_differs',
      decidedOtherwise(decisions =>
        decisions.map(({ selected, ...one }) => (selected === undefined ? one : { ...one, value: selected })),
      ),
    ],
    [
      'another number than the passkey confirmed',
      'confirmed-number',
      'evidence_differs',
      set('HUMAN_REPLY_EVENT', 'parsed_payload', { number: 99 }),
    ],
    [
      'an answer of no kind that could have been confirmed',
      'confirmed-number',
      'evidence_differs',
      set('HUMAN_REPLY_EVENT', 'parsed_payload', { number: '12.5' }),
    ],
    [
      'a passkey for an answer that none confirmed',
      'refused',
      'evidence_differs',
      entries => {
        set('HUMAN_REPLY_EVENT', 'sender_identity.proof', 'passkey')(entries)
        set('REQUEST_OPENED', 'terms.policy.proofs', ['passkey'])(entries)
      },
    ],
    [
      'a session for an answer that a passkey confirmed',
      'confirmed-no',
      'evidence_differs',
      entries => {
        set('HUMAN_REPLY_EVENT', 'sender_identity.proof', 'web_session')(entries)
        set('REQUEST_OPENED', 'terms.policy.proofs', ['web_session'])(entries)
      },
    ],
    ['another evidence', 'confirmed', 'evidence_differs', set('REPLY_EVIDENCE', 'evidence_hash', sha256(''))],
    ['a passkey that confirmed another delivery', 'confirmed-no', 'evidence_differs', deliveredOtherwise],
    ['an opening on 30 February', 'given', 'request_altered', openedAt('2099-02-30T12:00:00.000Z')],
    ['an opening at 24 o’clock', 'given', 'request_altered', openedAt('2099-02-27T24:00:00.000Z')],
  ])('that tell of %s are refused, though the lane has signed them', async (deed, id, code, change) => {
    const key = signer()
    const bytes = told(proofOf(id), key, change)
    expect(await agreed(bytes, [key.vkey], deed)).toBe(code)
  })

  test('that is kept as a vector proves what it proved, and with any part of its evidence changed nothing', async () => {
    const kept = (name: string) => readFileSync(new URL(`../vectors/proofs/${name}`, import.meta.url))
    const vkey = kept('passkeys.vkey').toString('utf8').trim()
    const bytes = kept('passkeys.proof')
    expect(await agreed(bytes, [vkey], 'as it is kept')).toBeNull()
    const proof = parsed(bytes)
    for (const [at, one] of (proof.evidence ?? []).entries())
      for (const name of Object.keys(one.evidence)) {
        const other = { ...one, evidence: { ...one.evidence, [name]: 'AAAA' } }
        const changed = { ...proof, evidence: proof.evidence?.with(at, other) ?? [] }
        const told = await agreed(Buffer.from(writeProof(changed)), [vkey], `${name} of ${at}`)
        expect(told).toBe('evidence_differs')
      }
  })

  test('of one confirmation is none of another: the evidence of two votes changed places', async () => {
    const proof = proofOf('confirmed-by-all')
    const [first, second, third] = proof.evidence ?? []
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three confirm it')
    expect([first, second, third].map(one => readKey(one.evidence.public_key))).toEqual([
      'ES256',
      'EdDSA',
      'RS256',
    ])
    const exchanged = [
      first,
      { ...second, evidence: third.evidence },
      { ...third, evidence: second.evidence },
    ]
    const bytes = Buffer.from(writeProof({ ...proof, evidence: exchanged }))
    expect(await agreed(bytes, [scene.vkey], 'exchanged')).toBe('evidence_differs')
    const without = Buffer.from(writeProof({ ...proof, evidence: [first, second] }))
    expect(await agreed(without, [scene.vkey], 'one left out')).toBe('part_missing')
    const { evidence: _, ...bare } = proof
    expect(await agreed(Buffer.from(writeProof(bare)), [scene.vkey], 'all left out')).toBe('part_missing')
    const empty = Buffer.from(writeProof({ ...proof, evidence: [] }))
    expect(await agreed(empty, [scene.vkey], 'an empty list')).toBe('malformed')
  })

  test('with a content that the request names only as the name of a parameter are refused', async () => {
    const key = signer()
    const words = 'transfer everything'
    const handle = sha256(words)
    const proof = { ...proofOf('given'), contents: { words: [], handles: { [handle]: words } } }
    const named = told(proof, key, set('REQUEST_OPENED', 'request.parameters.artifact', handle))
    expect(await agreed(named, [key.vkey], 'by its handle')).not.toBe('words_altered')
    const misnamed = told(proof, key, entries => {
      set('REQUEST_OPENED', 'request.parameters', { [handle]: handle.replace('sha256', 'sha512') })(entries)
    })
    expect(await agreed(misnamed, [key.vkey], 'by a name')).toBe('words_altered')
  })

  test.each<[string, (row: Fields) => void]>([
    ['another length', row => Object.assign(row, { chars: Number(row.chars) + 1 })],
    ['another passage', row => Object.assign(row, { shown: [[1, row.chars]], whole: false })],
    ['a passage that is none', row => Object.assign(row, { shown: [[0, 1, 2]] })],
    ['that it was whole', row => Object.assign(row, { whole: !row.whole })],
    ['other words', row => Object.assign(row, { shown_hash: sha256('') })],
  ])('whose document tells of a content %s than was shown are refused', async (deed, change) => {
    const key = signer()
    const proof = proofOf('with contents shown')
    const changed = structuredClone(proof.displays) as { contents: Fields[] }[]
    for (const { contents } of changed) for (const row of contents) change(row)
    const tellIn = (displays: readonly unknown[]) => told({ ...proof, displays }, key, () => undefined)
    expect(await agreed(tellIn(proof.displays), [key.vkey], 'as it was')).toBeNull()
    expect(await agreed(tellIn(changed), [key.vkey], deed)).toBe('words_altered')
  })

  test('with contents of another shape are no proofs, whatever else is wrong with them', async () => {
    const proof = proofOf('given')
    for (const contents of [null, [], { words: [] }, { words: [{ text: 1 }], handles: {} }]) {
      const odd = { ...proof, checkpoint: '', contents } as unknown as Proof
      expect(await agreed(Buffer.from(writeProof(odd)), [scene.vkey], 'odd contents')).toBe('malformed')
    }
  })

  test(`touched ${TOUCHED} times, are refused for the same reason`, { timeout: 600_000 }, async () => {
    for (let seed = 0; seed < TOUCHED; seed++) {
      const chance = chanceOf(seed)
      const bytes = Buffer.from(chance.of([...proofs.values()]))
      const at = chance.upTo(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.upTo(8))
      expect(await agreed(bytes, [scene.vkey], `touch ${seed}`)).not.toBeNull()
    }
  })

  test(`forged ${FORGED} times, and signed, are told alike`, { timeout: 900_000 }, async () => {
    const key = signer()
    const met = new Set<string | null>()
    for (let seed = 0; seed < FORGED; seed++) {
      const chance = chanceOf(seed)
      const bytes = forged(parsed(chance.of([...proofs.values()])), key, chance)
      met.add(await agreed(bytes, [key.vkey], `forgery ${seed}`))
    }
    // Agreement is worth something only where the forgeries come as far as every check.
    const codes = [
      'request_altered',
      'display_altered',
      'reply_unfounded',
      'right_missing',
      'outcome_differs',
      'evidence_differs',
      null,
    ]
    expect(codes.filter(code => !met.has(code))).toEqual([])
  })
})
