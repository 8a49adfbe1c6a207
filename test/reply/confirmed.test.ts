// Replies that a passkey has confirmed, from where its assertion was checked: what is recorded of them, and once.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import { type Hash, sha256 } from '../../src/canonical.js'
import type { EntryOf } from '../../src/event.js'
import { type Evidence, hashEvidence } from '../../src/passkey/evidence.js'
import { approval, configure, question, raise, type Stage } from '../lane/stage.js'

const EVIDENCE: Evidence = {
  credential_id: 'AA',
  public_key: 'AQ',
  authenticator_data: 'Ag',
  client_data_json: 'Aw',
  signature: 'BA',
  nonce: 'BQ',
}

let stage: Stage
beforeEach(async () => {
  stage = await raise(
    configure(`
recipients:
  owner: { name: Owner, web: true, delegates: [Deputy] }
  Deputy: { name: Deputy, web: true }
actions: { PUBLISH: { approvers: [owner, Deputy], proofs: [passkey, passkey_by_operator] } }
questions: { proofs: [passkey, passkey_by_operator] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`),
  )
  for (const by of ['person', 'operator'] as const)
    await stage.store.ledger.append({
      decide: () => ({
        kind: 'append',
        events: [{ type: 'PASSKEY_REGISTERED', body: { user_id: 'owner', credential_hash: sha256(by), by } }],
      }),
    })
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

/** Opens the request for the owner, and says this in their session. */
async function opened(
  request = question('q'),
): Promise<(said: Partial<Inbound>) => ReturnType<Stage['lane']['answer']>> {
  const copy = await stage.lane.openFor(await stage.open(request), 'owner')
  if (copy === null) throw new Error('it cannot be opened')
  return said =>
    stage.lane.answer({
      channel: 'web',
      proof: 'passkey',
      authenticated: true,
      binding: { kind: 'handle', handle: copy.handle },
      text: 'YES',
      session: { user_id: 'owner', needs_code: false },
      automated: false,
      ...said,
    })
}
const confirmed = (nonce = 'one'): { readonly evidence: Evidence; readonly spends: Hash } => ({
  evidence: EVIDENCE,
  spends: sha256(nonce),
})
const typesAfterSent = async (): Promise<string[]> => {
  const types = (await stage.entries()).map(({ type }) => type)
  return types.slice(types.lastIndexOf('OUTBOUND_REQUEST_SENT') + 1)
}

test('the evidence stands in the append of the reply, directly before it, and is kept', async () => {
  const answer = await opened(approval('ship'))
  expect(await answer({ confirmed: confirmed() })).toMatchObject({ kind: 'accepted' })
  expect((await typesAfterSent()).slice(0, 4)).toEqual([
    'REPLY_EVIDENCE',
    'INBOUND_REPLY_RECEIVED',
    'HUMAN_REPLY_EVENT',
    'REQUEST_RESOLVED',
  ])
  const told = (await stage.entries()).find(({ type }) => type === 'REPLY_EVIDENCE')
  const { body } = told as EntryOf<'REPLY_EVIDENCE'>
  expect(body.evidence_hash).toBe(hashEvidence(EVIDENCE))
  expect(JSON.parse((await stage.store.shelf.evidence(body.reply_id)) ?? '')).toEqual(EVIDENCE)
})

test('it stays when the words are erased: the decision can still be proven', async () => {
  const answer = await opened()
  await answer({ confirmed: confirmed() })
  await stage.lane.erase('q', 'key-1')
  const told = (await stage.entries()).find(({ type }) => type === 'REPLY_EVIDENCE')
  const { reply_id } = (told as EntryOf<'REPLY_EVIDENCE'>).body
  expect(await stage.store.shelf.raw(reply_id)).toBeNull()
  expect(await stage.store.shelf.evidence(reply_id)).not.toBeNull()
})

test('a reply that hands the request on is confirmed like any other', async () => {
  const answer = await opened()
  const proof = 'passkey_by_operator'
  const hand = { text: 'DELEGATE Deputy', hands: true, proof, confirmed: confirmed() } as const
  expect(await answer(hand)).toMatchObject({ kind: 'handed', to: 'Deputy' })
  expect((await typesAfterSent()).slice(0, 3)).toEqual([
    'REPLY_EVIDENCE',
    'INBOUND_REPLY_RECEIVED',
    'REQUEST_DELEGATED',
  ])
})

describe('a reply is refused', () => {
  test('that says it was confirmed, where nothing was', async () => {
    const answer = await opened()
    expect(await answer({})).toMatchObject({ kind: 'rejected', reason: 'sender_unauthenticated' })
  })

  test('that was confirmed and claims another proof', async () => {
    const answer = await opened()
    expect(await answer({ proof: 'web_session', confirmed: confirmed() })).toMatchObject({
      kind: 'rejected',
      reason: 'sender_unauthenticated',
    })
  })

  test.each([
    ['yes', {}],
    [' YES', {}],
    ['DELEGATE deputy', { hands: true }],
  ] as const)('whose words %j are not the spelling that is confirmed', async (text, more) => {
    const answer = await opened()
    expect(await answer({ text, ...more, confirmed: confirmed() })).toMatchObject({
      kind: 'rejected',
      reason: 'reply_not_in_schema',
    })
    expect((await stage.entries()).some(({ type }) => type === 'REPLY_EVIDENCE')).toBe(false)
  })

  test('with a nonce that another reply has spent, also one that was not taken', async () => {
    const [first, second] = [await opened(question('q-1')), await opened(question('q-2'))]
    expect(await first({ text: 'maybe', confirmed: confirmed() })).toMatchObject({
      reason: 'reply_not_in_schema',
    })
    expect(await first({ confirmed: confirmed() })).toMatchObject({ reason: 'token_replayed' })
    expect(await second({ confirmed: confirmed() })).toMatchObject({ reason: 'token_replayed' })
    expect(await second({ confirmed: confirmed('two') })).toMatchObject({ kind: 'accepted' })
    expect(await second({ confirmed: confirmed('two') })).toMatchObject({ reason: 'already_resolved' })
  })

  test('with one nonce at once from two replicas: one is taken', async () => {
    const answer = await opened()
    const other = stage.secondLane()
    const copy = await other.copyOf(await stage.current('q'), 'owner')
    const said = {
      channel: 'web',
      proof: 'passkey',
      authenticated: true,
      binding: { kind: 'handle', handle: copy?.handle ?? '' },
      text: 'YES',
      session: { user_id: 'owner', needs_code: false },
      automated: false,
      confirmed: confirmed(),
    } as const
    const results = await Promise.all([answer({ confirmed: confirmed() }), other.answer(said)])
    expect(results.map(({ kind }) => kind).sort()).toEqual(['accepted', 'rejected'])
  })
})
