// Replay arrives at what is recorded, or says where it does not.
import { describe, expect, test } from 'vitest'
import { canonical, sha256 } from '../../src/canonical.js'
import { replay } from '../../src/ledger/replay.js'
import type { RawReply } from '../../src/ledger/shelf.js'
import { verify } from '../../src/ledger/verify.js'
import { encode } from '../../src/passkey/base64url.js'
import { hashCredential } from '../../src/passkey/credential.js'
import { Craft, started } from './craft.js'
import { handBy, soundLedger } from './sound-ledger.js'
import { question, saltOf, Tale } from './tale.js'

/** What was said, kept beside the ledger. */
const shelf = (said: Record<string, string>) => (reply_id: string) =>
  Object.hasOwn(said, reply_id) ? rawOf(reply_id, said[reply_id] ?? '') : null
const rawOf = (reply_id: string, raw: string): RawReply => ({
  reply_id,
  request_id: 'q-1',
  salt: saltOf(reply_id),
  raw,
})
const hashRaw = (reply_id: string, raw: string) => sha256(saltOf(reply_id), raw)

function told(tell: (tale: Tale, craft: Craft) => unknown, changes: Record<string, unknown> = {}): Craft {
  const craft = new Craft()
  tell(new Tale(craft, question(changes)), craft)
  return craft
}
const SAID = { 'r-q-1': 'yes', 'r-q-1-no': 'do not' }

describe('what is recorded', () => {
  test('[LANE-077] is arrived at again: each case, each ending, each compiled reply', async () => {
    const said = {
      'r-q-1-no': 'do not',
      'r-q-1-late': 'do not',
      'r-q-10': 'yes',
      'r-q-10-no': 'do not',
      'r-q-11': 'yes',
      'r-q-11-hand': 'DELEGATE bo',
      'r-q-13': 'yes',
      'r-q-14-hand': 'DELEGATE bo',
      'r-a-1': 'yes',
      'r-a-2': 'yes',
      'r-q-9': 'yes',
    }
    const { lines } = soundLedger()
    expect(await replay(lines, shelf(said))).toEqual({
      ok: true,
      cases: 12,
      replies: 11,
      erased: 1,
      absent: 0,
      problems: [],
      beyond: null,
    })
  })

  test('the evidence of a passkey is the one recorded, and is never gone', async () => {
    const passkey = { credential_id: 'AA', public_key: 'AQ' }
    const made = {
      ...passkey,
      authenticator_data: 'AA',
      client_data_json: 'AA',
      signature: 'AA',
      nonce: 'AA',
    }
    const evidence = canonical(made)
    const credential_hash = hashCredential(passkey)
    const telling = (revokes: 'before' | 'after' | null) => (tale: Tale, craft: Craft) => {
      craft.put({ type: 'PASSKEY_REGISTERED', body: { user_id: 'ada', credential_hash, by: 'person' } })
      const revoked = {
        type: 'PASSKEY_REVOKED',
        body: { user_id: 'ada', credential_hash, by: 'person' },
      } as const
      if (revokes === 'before') craft.put(revoked)
      tale.asked().tell('REPLY_EVIDENCE', {
        reply_id: 'r-q-1',
        evidence_hash: sha256('lane/evidence/v1\n', evidence),
      })
      tale.answered(tale.reply({ sender_identity: { user_id: 'ada', proof: 'passkey' } }))
      if (revokes === 'after') craft.put(revoked)
    }
    const { lines } = told(telling(null))
    const problemsWith = async (kept: string | null) =>
      (await replay(lines, shelf(SAID), { evidence: () => kept })).problems
    expect(await problemsWith(evidence)).toEqual([])
    expect(await problemsWith(null)).toEqual([{ seq: 4, message: 'the evidence of the reply is not stored' }])
    expect(await problemsWith('{"nonce":"AQ"}')).toEqual([
      { seq: 4, message: 'the stored evidence is not the one recorded' },
    ])
    // It confirmed what was answered before it was taken back, and nothing after.
    const replayed = async (how: 'before' | 'after') =>
      (await replay(told(telling(how)).lines, shelf(SAID), { evidence: () => evidence })).problems
    expect(await replayed('after')).toEqual([])
    expect(await replayed('before')).toEqual([
      { seq: 5, message: 'the evidence is of a passkey that was nobody’s by then' },
    ])
    // An export has none, and says nothing of it.
    expect((await replay(lines, shelf(SAID))).problems).toEqual([])
  })

  describe('the evidence of a passkey', () => {
    const madeBy = (name: string) => ({
      ...{ credential_id: encode(Buffer.from(name)), public_key: 'AQ' },
      ...{ authenticator_data: 'AA', client_data_json: 'AA', signature: 'AA', nonce: 'AA' },
    })
    const register = (craft: Craft, user_id: string, by: 'person' | 'operator' = 'person') => {
      const credential_hash = hashCredential(madeBy(`${user_id} ${by}`))
      craft.put({ type: 'PASSKEY_REGISTERED', body: { user_id, credential_hash, by } })
      return { user_id, credential_hash, by }
    }
    const says = (tale: Tale, made: object, reply_id = 'r-q-1') =>
      tale.asked().tell('REPLY_EVIDENCE', {
        reply_id,
        evidence_hash: sha256('lane/evidence/v1\n', canonical(made)),
      })
    const problemsOf = async (lines: readonly string[], made: object, said: Record<string, string> = SAID) =>
      (await replay(lines, shelf(said), { evidence: () => canonical(made) })).problems
    const ANOTHERS = 'the evidence is of a passkey that was not this person’s, or not as its proof says'

    test.each([
      ['bo', 'person', 'passkey'],
      ['ada', 'operator', 'passkey'],
      ['ada', 'person', 'passkey_by_operator'],
    ] as const)('of %s by the word of the %s is not that of Ada’s reply by %s', async (user, by, proof) => {
      const made = madeBy(`${user} ${by}`)
      const { lines } = told((tale, craft) => {
        // Ada has both kinds, so that no more than one of somebody is seen by verify.
        for (const word of ['person', 'operator'] as const) register(craft, 'ada', word)
        register(craft, 'bo')
        says(tale, made)
        tale.answered(tale.reply({ sender_identity: { user_id: 'ada', proof } }))
      })
      expect((await verify(lines)).problems).toEqual([])
      expect(await problemsOf(lines, made)).toEqual([{ seq: 8, message: ANOTHERS }])
    })

    test('of somebody else is not that of a request handed on', async () => {
      const telling = (made: object) =>
        told((tale, craft) => {
          register(craft, 'ada')
          register(craft, 'bo')
          const hand = handBy(tale, 'passkey')
          says(tale, made, hand.reply_id)
          tale.received(tale.reply({ reply_id: hand.reply_id }), { event_hash: sha256(canonical(hand)) })
          tale.tell('REQUEST_DELEGATED', hand)
        }).lines
      const found = async (name: string) =>
        problemsOf(telling(madeBy(name)), madeBy(name), { 'r-q-1-hand': 'DELEGATE bo' })
      expect(await found('bo person')).toEqual([{ seq: 7, message: ANOTHERS }])
      expect(await found('ada person')).toEqual([])
    })

    test('stays that of its person where somebody else’s name took it back', async () => {
      const made = madeBy('ada person')
      const { lines } = told((tale, craft) => {
        const { credential_hash } = register(craft, 'ada')
        craft.put({ type: 'PASSKEY_REVOKED', body: { user_id: 'bo', credential_hash, by: 'person' } })
        says(tale, made)
        tale.answered(tale.reply({ sender_identity: { user_id: 'ada', proof: 'passkey' } }))
      })
      expect((await verify(lines)).problems).toMatchObject([{ invariant: 'I35', seq: 1 }])
      expect(await problemsOf(lines, made)).toEqual([])
    })
  })

  test('[LANE-077] an altered stored reply is found', async () => {
    const { lines } = told(tale => tale.asked().answered())
    expect(await replay(lines, shelf(SAID))).toMatchObject({ ok: true, replies: 1 })
    const altered = await replay(lines, shelf({ 'r-q-1': 'Yes' }))
    expect(altered).toMatchObject({
      ok: false,
      problems: [{ seq: 4, message: 'the stored reply is not the one recorded' }],
    })
  })

  test('[LANE-077] a reply that compiles to something else is found', async () => {
    const raw_text_hash = hashRaw('r-q-1', 'no')
    const { lines } = told(tale => tale.asked().answered(tale.reply({ raw_text_hash })))
    expect((await replay(lines, shelf({ 'r-q-1': 'no' }))).problems).toEqual([
      { seq: 4, message: 'compiled to another answer than the one recorded' },
    ])
    const never = hashRaw('r-q-1', 'do not approve')
    const other = told(tale => tale.asked().answered(tale.reply({ raw_text_hash: never })))
    expect((await replay(other.lines, shelf({ 'r-q-1': 'do not approve' }))).problems).toEqual([
      { seq: 4, message: 'recorded as an answer, compiled to reply_not_in_schema' },
    ])
  })

  test('a refusal of the words is compiled again and must give the same reason', async () => {
    const refused = (raw: string) =>
      told(tale => tale.asked().rejected('reply_not_in_schema', { raw_text_hash: hashRaw('r-q-1-no', raw) }))
        .lines
    expect(await replay(refused('perhaps'), shelf({ 'r-q-1-no': 'perhaps' }))).toMatchObject({ ok: true })
    expect((await replay(refused('yes'), shelf({ 'r-q-1-no': 'yes' }))).problems).toEqual([
      { seq: 3, message: 'recorded as reply_not_in_schema, compiled to an answer' },
    ])
    expect((await replay(refused('ＹＥＳ'), shelf({ 'r-q-1-no': 'ＹＥＳ' }))).problems).toEqual([
      { seq: 3, message: 'recorded as reply_not_in_schema, compiled to reply_bad_charset' },
    ])
  })

  test('a rejection of the right is not compiled: the words were not looked at', async () => {
    const raw_text_hash = hashRaw('r-q-1-no', 'yes')
    const { lines } = told(tale => tale.asked().rejected('wrong_recipient', { raw_text_hash }))
    expect(await replay(lines, shelf({ 'r-q-1-no': 'yes' }))).toMatchObject({ ok: true, replies: 1 })
  })

  test('an unknown grammar is a problem, not a guess', async () => {
    const accepted = told(tale => tale.asked().answered(tale.reply({ grammar: '9' })))
    const message = 'the reply was read by grammar "9", which is not known here'
    expect((await replay(accepted.lines, shelf(SAID))).problems).toEqual([{ seq: 4, message }])
    const refused = told(tale => {
      tale.asked().rejected('reply_not_in_schema', { grammar: '9' })
    })
    expect((await replay(refused.lines, shelf(SAID))).problems).toEqual([{ seq: 3, message }])
  })
})

describe('replies that are gone', () => {
  const erased = (craft: Craft) => craft.put({ type: 'RAW_ERASED', body: { reply_id: 'r-q-1', by: 'key-2' } })

  test('an erased reply is reported as erased', async () => {
    const { lines } = told((tale, craft) => {
      tale.asked().answered()
      erased(craft)
      erased(craft)
    })
    expect(await replay(lines, () => null)).toMatchObject({ ok: true, erased: 1, absent: 0, replies: 0 })
  })

  test('a missing reply that no entry erases is a problem, unless replies may be absent', async () => {
    const { lines } = told(tale => tale.asked().answered())
    expect(await replay(lines, () => null)).toMatchObject({ ok: false, absent: 1, problems: [{ seq: 4 }] })
    expect(await replay(lines, () => null, { rawsMayBeAbsent: true })).toMatchObject({ ok: true, absent: 1 })
  })

  test('a reply that was erased and is still stored is a problem', async () => {
    const { lines } = told((tale, craft) => {
      tale.asked().answered()
      erased(craft)
    })
    expect((await replay(lines, async id => shelf(SAID)(id))).problems).toEqual([
      { seq: 6, message: 'the reply was erased, and is still stored' },
    ])
  })
})

describe('endings that do not follow', () => {
  const problemsOf = async (tell: (tale: Tale, craft: Craft) => unknown) =>
    (await replay(told(tell).lines, shelf(SAID))).problems

  test('a default where the delivery had failed', async () => {
    const problems = await problemsOf((tale, craft) => {
      tale.opened()
      tale.started()
      tale.failed()
      craft.later(60_000)
      tale.timedOut('defaulted', { deliveries: [{ delivery_id: 'd-q-1', state: 'failed' }] })
    })
    expect(problems).toEqual([{ seq: 4, message: 'REQUEST_RESOLVED does not follow from the story' }])
  })

  test('a receipt that tells other deliveries than were made', async () => {
    const problems = await problemsOf((tale, craft) => {
      tale.asked()
      craft.later(60_000)
      tale.timedOut('defaulted', { deliveries: [] })
    })
    expect(problems).toEqual([{ seq: 3, message: 'TIMEOUT_RECEIPT does not follow from the story' }])
  })

  test('an answer that was not given', async () => {
    const problems = await problemsOf(tale =>
      tale.asked().answered(tale.reply(), { answer: { ...tale.answer(), answered_by: 'eve' } }),
    )
    expect(problems).toEqual([{ seq: 5, message: 'REQUEST_RESOLVED does not follow from the story' }])
  })

  test('a second ending, a second opening, a reply that was not announced, and a story without a beginning', async () => {
    const twice = await problemsOf(tale => {
      tale.asked().withdrawn()
      tale.resolved({ outcome: 'withdrawn' })
    })
    expect(twice).toEqual([{ seq: 5, message: 'the case was resolved before' }])
    const again = await problemsOf(tale => tale.asked().opened())
    expect(again).toEqual([{ seq: 3, message: 'a story cannot go on with REQUEST_OPENED' }])
    const unannounced = await problemsOf(tale => tale.asked().tell('HUMAN_REPLY_EVENT', tale.reply()))
    expect(unannounced).toEqual([{ seq: 3, message: 'a story cannot go on with HUMAN_REPLY_EVENT' }])
    const headless = await problemsOf(tale => tale.started())
    expect(headless).toEqual([{ seq: 0, message: 'a story cannot go on with DELIVERY_STARTED' }])
  })

  test('lines that are no entries', async () => {
    const { lines } = told((_, craft) => craft.put(started))
    const deep = `{"body":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const result = await replay([...lines, '', 'null', '{"type":"LANE_STARTED"}', deep], () => null)
    expect(new Set(result.problems.map(({ seq }) => seq))).toEqual(new Set([1, 2, 3, 4]))
    expect(result.problems[0]).toEqual({ invariant: 'I1', seq: 1, message: 'the line is not a JSON object' })
  })

  test('a line with its hash that is outside its schema', async () => {
    const { lines } = told((_, craft) => craft.force({ type: 'APPROVED', body: {} }))
    expect((await replay(lines, () => null)).problems).toEqual([
      { seq: 0, message: 'the line is not an entry' },
    ])
  })
})

describe('a chain that is broken', () => {
  const EXPORT = { rawsMayBeAbsent: true }

  test('[LANE-077] an answer altered in an export, where no words are there to be read again, is found by its hash', async () => {
    const { lines } = told(tale => tale.asked().answered())
    const altered = lines.map(line => line.replaceAll('"parsed_choice":"YES"', '"parsed_choice":"NO"'))
    expect(await replay(lines, () => null, EXPORT)).toMatchObject({ ok: true, absent: 1 })
    const { ok, absent, problems } = await replay(altered, () => null, EXPORT)
    expect({ ok, absent }).toEqual({ ok: false, absent: 1 })
    expect(problems).toEqual([
      { invariant: 'I1', seq: 4, message: 'the hash is not that of the entry' },
      { invariant: 'I1', seq: 5, message: 'the hash is not that of the entry' },
    ])
  })

  test('a missing line that no story misses is found, once', async () => {
    const { lines } = told((tale, craft) => {
      for (let n = 0; n < 3; n++) craft.put(started)
      tale.asked().answered()
    })
    expect((await replay(lines.toSpliced(1, 1), () => null, EXPORT)).problems).toEqual([
      { invariant: 'I1', seq: 1, message: 'the entry is missing: in its place stands entry 2' },
    ])
  })
})
