// L6: shelved rows stand or fall with their append; and the rows that are kept beside the ledger on their own.
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import type {
  ApiKey,
  Away,
  EnrolmentRow,
  Grant,
  Invitation,
  KeyRow,
  Link,
  PasskeyRow,
  RawReply,
  SessionRow,
  Shelving,
} from '../../../src/ledger/shelf.js'
import { hashCredential } from '../../../src/passkey/credential.js'
import { hashed } from '../../ledger/craft.js'
import { MISSHAPEN, note, type Opener, open, STARTED, sizeOf, stageFor, withdraw } from './stage.js'

const grantOf = (name: string, delivery_id = 'd-1'): Grant => ({
  handle_hash: hashed(`handle/${name}`),
  use: 'reply',
  code_hash: hashed(`code/${name}`),
  token: `token-${name}`,
  request_id: 'q-1',
  delivery_id,
  channel: 'sms',
  user_id: 'operator',
})
const reply: RawReply = {
  reply_id: 'r-1',
  request_id: 'q-1',
  salt: Buffer.alloc(32, 7),
  raw: 'ja\u0000 \ud83d\udd4a',
}
const ref = (grant: Grant, reference = 'ts-1'): Shelving => ({
  put: 'ref',
  delivery_id: grant.delivery_id,
  handle_hash: grant.handle_hash,
  channel: 'slack',
  ref: reference,
})
const ALL: readonly Shelving[] = [
  { put: 'grant', grant: grantOf('a') },
  { put: 'raw', reply },
  ref(grantOf('a')),
  { put: 'cursor', channel: 'telegram', cursor: '41' },
  { put: 'callback', request_id: 'q-1', url: 'https://example.org/cb' },
]

const keyRow = (kid: string, not_before: number): KeyRow => ({
  kid,
  purpose: 'reply-token',
  public_jwk: `{"kid":"${kid}"}`,
  wrapped: Buffer.from([1, 2, 3]),
  not_before,
  verify_until: null,
  renewed_at: null,
})
const apiKey = (key_id: string): ApiKey => ({
  key_id,
  name: `the ${key_id}`,
  scopes: ['request', 'audit'],
  secret_hash: hashed(key_id),
  created_at: `2026-03-01T12:00:0${key_id.slice(-1)}.000Z`,
  revoked_at: null,
  owner: null,
  urgent: false,
})

const link = (user_id: string, address: string): Link => ({ user_id, channel: 'telegram', address })
const invitation = (name: string): Invitation => ({
  code_hash: hashed(`invitation/${name}`),
  user_id: 'operator',
  channel: 'telegram',
  expires_ms: 1_793_534_400_123,
})

const session = (id: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id_hash: hashed(`session/${id}`),
  kind: 'person',
  whose: 'operator',
  by: 'passkey',
  credential_hash: hashed('passkey/operator'),
  until_ms: 1_793_534_400_123,
  ...more,
})

const passkey = (id: string, more: Partial<PasskeyRow> = {}): PasskeyRow => ({
  credential_hash: hashCredential({ credential_id: id, public_key: 'pQECAyYg' }),
  credential_id: id,
  user_id: 'operator',
  public_key: 'pQECAyYg',
  by: 'person',
  ...more,
})

const away = (user_id: string, until_ms: number, deputy: string | null = null): Away => ({
  user_id,
  from_ms: 1_000,
  until_ms,
  deputy,
})

export function shelfContract(opener: Opener): void {
  const stage = stageFor(opener)
  const shelve = (shelving: readonly Shelving[]) =>
    stage.ledger.append({ decide: () => ({ kind: 'append', events: [STARTED], shelve: shelving }) })
  const shelved = async () => {
    const { shelf } = stage.store
    const raw = await shelf.raw('r-1')
    return {
      grant: await shelf.grant(grantOf('a').handle_hash),
      byRef: await shelf.grantByRef('slack', 'ts-1'),
      refs: await shelf.refs('d-1'),
      raw: raw && { ...raw, salt: Buffer.from(raw.salt).toString('hex') },
      cursor: await shelf.cursor('telegram'),
      callback: await shelf.callback('q-1'),
    }
  }
  const NOTHING = { grant: null, byRef: null, refs: [], raw: null, cursor: null, callback: null }

  describe('L6 shelved with an append', () => {
    test('grants, raw replies, references, cursors and callbacks are there after it, and after opening again', async () => {
      expect(await shelved()).toEqual(NOTHING)
      await open(stage.ledger, 'q-1', { shelve: ALL })
      await stage.reopen()
      expect(await shelved()).toEqual({
        grant: grantOf('a'),
        byRef: grantOf('a'),
        refs: ['ts-1'],
        raw: { ...reply, beside: null, salt: Buffer.from(reply.salt).toString('hex') },
        cursor: '41',
        callback: 'https://example.org/cb',
      })
    })

    test('nothing is shelved by an append that does not stand', async () => {
      await open(stage.ledger, 'q-1')
      await open(stage.ledger, 'q-1', { shelve: ALL })
      const decide = () => ({ kind: 'append', events: [MISSHAPEN], shelve: ALL }) as const
      await expect(stage.ledger.append({ decide })).rejects.toThrow()
      expect(await shelved()).toEqual(NOTHING)
    })

    test('and nothing is appended whose shelving does not stand', async () => {
      await shelve([{ put: 'raw', reply }])
      const again = [note(stage.ledger), shelve([{ put: 'raw', reply }]), note(stage.ledger)]
      const results = await Promise.allSettled(again)
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await sizeOf(stage.ledger)).toBe(3)
    })

    test('a reference leads to the grant of the copy that carries it; a cursor is the newest', async () => {
      await shelve(ALL)
      const newer = grantOf('b')
      await shelve([{ put: 'grant', grant: newer }, ref(newer), ref(newer, 'ts-2')])
      await shelve([{ put: 'cursor', channel: 'telegram', cursor: '42' }])
      const { shelf } = stage.store
      expect(await shelf.grantByRef('slack', 'ts-1')).toEqual(newer)
      expect(await shelf.grantByRef('email', 'ts-1')).toBeNull()
      expect([...(await shelf.refs('d-1'))].sort()).toEqual(['ts-1', 'ts-2'])
      expect([await shelf.cursor('telegram'), await shelf.cursor('email')]).toEqual(['42', null])
    })

    test('an erasure takes the raw reply, and leaves the others', async () => {
      await shelve([
        { put: 'raw', reply },
        { put: 'raw', reply: { ...reply, reply_id: 'r-2' } },
      ])
      await shelve([{ put: 'erasure', reply_id: 'r-1' }])
      const left: string[] = []
      for await (const raw of stage.store.shelf.raws()) left.push(raw.reply_id)
      expect([await stage.store.shelf.raw('r-1'), left]).toEqual([null, ['r-2']])
    })

    test('all raw replies are listed, however many', async () => {
      const many = Array.from({ length: 1100 }, (_, index) => `r-${index}`)
      await shelve(many.map(reply_id => ({ put: 'raw', reply: { ...reply, reply_id } })))
      const listed: string[] = []
      for await (const raw of stage.store.shelf.raws()) listed.push(raw.reply_id)
      expect(listed.sort()).toEqual(many.sort())
    })
  })

  describe("a person's grants from before handles had a use", () => {
    const granted = (request_id: string, name: string, more: Partial<Grant> = {}) =>
      open(stage.ledger, request_id, {
        shelve: [{ put: 'grant', grant: { ...grantOf(name, `d-${name}`), use: null, request_id, ...more } }],
      })
    const formerOnes = async (limit: number, user = 'operator') =>
      (await stage.store.shelf.formerGrants('sms', user, limit)).map(({ delivery_id }) => delivery_id)

    test('are there whatever became of their requests, the newest last, as many as are asked for', async () => {
      await granted('q-1', 'a')
      await granted('q-2', 'b')
      await granted('q-3', 'c')
      await granted('q-4', 'd', { user_id: 'second' })
      await granted('q-5', 'e', { channel: 'email' })
      await granted('q-6', 'f', { use: 'reply' })
      await withdraw(stage.ledger, 'q-3')
      await stage.reopen()
      expect(await formerOnes(2)).toEqual(['d-b', 'd-c'])
      expect(await formerOnes(20)).toEqual(['d-a', 'd-b', 'd-c'])
      expect(await formerOnes(20, 'nobody')).toEqual([])
      const [first] = await stage.store.shelf.formerGrants('sms', 'operator', 20)
      expect(first).toEqual({ ...grantOf('a', 'd-a'), use: null, request_id: 'q-1' })
    })
  })

  describe('linked addresses and invitations', () => {
    const linked = async () =>
      [...(await stage.store.shelf.links())].sort((a, b) => (a.user_id < b.user_id ? -1 : 1))

    test('an address is linked to one person at a time: who has it last', async () => {
      await shelve([{ put: 'link', link: link('operator', '41') }])
      await shelve([{ put: 'link', link: link('second', '41') }])
      await stage.reopen()
      expect(await linked()).toEqual([link('second', '41')])
    })

    test('a link stands or falls with its append, and takes the place of the one before', async () => {
      await shelve([{ put: 'link', link: link('operator', '41') }])
      await shelve([{ put: 'link', link: link('second', '{"b":1}') }])
      const decide = () =>
        ({
          kind: 'append',
          events: [MISSHAPEN],
          shelve: [{ put: 'link', link: link('operator', '13') }],
        }) as const
      await expect(stage.ledger.append({ decide })).rejects.toThrow()
      expect(await linked()).toEqual([link('operator', '41'), link('second', '{"b":1}')])
      await shelve([{ put: 'link', link: link('operator', '42') }])
      await stage.reopen()
      expect(await linked()).toEqual([link('operator', '42'), link('second', '{"b":1}')])
    })

    test('an absence takes the place of the one before, and is told until it is over', async () => {
      await shelve([{ put: 'away', away: away('ann', 5_000, 'bo') }])
      await shelve([{ put: 'away', away: away('bo', 2_000) }])
      await shelve([{ put: 'away', away: away('ann', 9_000) }])
      await stage.reopen()
      const { shelf } = stage.store
      const byName = (all: readonly Away[]) => [...all].sort((a, b) => (a.user_id < b.user_id ? -1 : 1))
      expect(byName(await shelf.away(1_999))).toEqual([away('ann', 9_000), away('bo', 2_000)])
      expect(await shelf.away(2_000)).toEqual([away('ann', 9_000)])
      expect(await shelf.away(9_000)).toEqual([])
    })

    test('a session is found by the hash of its id, and ends alone, with its person, or by its time', async () => {
      const put = async (id: string, more: Partial<SessionRow> = {}) => {
        await stage.store.shelf.putSession(session(id, more), 5_000)
        return session(id, more)
      }
      const kept = async (...ids: string[]) => {
        const found = await Promise.all(ids.map(id => stage.store.shelf.session(session(id).id_hash)))
        return ids.filter((_, at) => found[at] !== null)
      }
      const one = await put('one')
      await put('again')
      await put('other', { whose: 'second' })
      // A key may have the name of a person.
      await put('key', { kind: 'operator', by: 'key' })
      await put('over', { whose: 'third', until_ms: 6_000 })
      await stage.reopen()
      expect(await stage.store.shelf.session(one.id_hash)).toEqual(one)
      await stage.store.shelf.endSession(one.id_hash)
      expect(await kept('one', 'again', 'other', 'key', 'over')).toEqual(['again', 'other', 'key', 'over'])
      await stage.store.shelf.putSession(session('later'), 6_000)
      expect(await kept('again', 'other', 'key', 'over', 'later')).toEqual(['again', 'other', 'key', 'later'])
      await shelve([{ put: 'sessions_end', user_id: 'operator' }])
      expect(await kept('again', 'other', 'key', 'later')).toEqual(['other', 'key'])
      await stage.store.shelf.endSessions('second')
      expect(await kept('other', 'key')).toEqual(['key'])
    })

    test('evidence is found by its reply, is put once, and stays when the words are erased', async () => {
      const raw = { reply_id: 'r-1', request_id: 'q-1', salt: new Uint8Array(32), raw: 'yes' }
      const evidence = '{"nonce":"AA"}'
      await shelve([
        { put: 'raw', reply: raw },
        { put: 'evidence', reply_id: 'r-1', evidence },
      ])
      await shelve([{ put: 'erasure', reply_id: 'r-1' }])
      await stage.reopen()
      expect(await stage.store.shelf.raw('r-1')).toBeNull()
      expect(await stage.store.shelf.evidence('r-1')).toBe(evidence)
      expect(await stage.store.shelf.evidence('r-2')).toBeNull()
      await expect(shelve([{ put: 'evidence', reply_id: 'r-1', evidence: '{}' }])).rejects.toThrow()
      expect(await stage.store.shelf.evidence('r-1')).toBe(evidence)
    })

    test('a passkey is found by its hash, by its id and by its person', async () => {
      const enrolled = passkey('Y3JlZC0z', { user_id: 'second', by: 'operator' })
      await shelve([{ put: 'passkey', passkey: passkey('Y3JlZC0x') }])
      await shelve([
        { put: 'passkey', passkey: passkey('Y3JlZC0y') },
        { put: 'passkey', passkey: enrolled },
      ])
      await stage.reopen()
      const ids = async (userId: string) =>
        (await stage.store.shelf.passkeysOf(userId)).map(({ credential_id }) => credential_id).sort()
      expect(await stage.store.shelf.passkey(passkey('Y3JlZC0x').credential_hash)).toEqual(
        passkey('Y3JlZC0x'),
      )
      expect(await stage.store.shelf.passkeyById('Y3JlZC0z')).toEqual(enrolled)
      expect(await stage.store.shelf.passkey(hashed('another'))).toBeNull()
      expect(await stage.store.shelf.passkeyById('another')).toBeNull()
      expect(await ids('operator')).toEqual(['Y3JlZC0x', 'Y3JlZC0y'])
      expect(await ids('second')).toEqual(['Y3JlZC0z'])
      expect(await ids('nobody')).toEqual([])
      expect(await stage.store.shelf.passkeys()).toHaveLength(3)
    })

    test('a passkey stays with the person who has it, whatever key comes under its id', async () => {
      await shelve([{ put: 'passkey', passkey: passkey('Y3JlZC0x') }])
      const taken = { ...passkey('Y3JlZC0x'), user_id: 'second' }
      const otherKey = { ...taken, public_key: 'b3RoZXI', credential_hash: hashed('other key') }
      await expect(shelve([{ put: 'passkey', passkey: taken }])).rejects.toThrow()
      await expect(shelve([{ put: 'passkey', passkey: otherKey }])).rejects.toThrow()
      expect(await stage.store.shelf.passkeyById('Y3JlZC0x')).toEqual(passkey('Y3JlZC0x'))
    })

    test('a passkey that was taken back is nobody’s, and the others stay', async () => {
      await shelve([
        { put: 'passkey', passkey: passkey('Y3JlZC0x') },
        { put: 'passkey', passkey: passkey('Y3JlZC0y') },
      ])
      await shelve([{ put: 'passkey_end', credential_hash: passkey('Y3JlZC0x').credential_hash }])
      await stage.reopen()
      expect(await stage.store.shelf.passkey(passkey('Y3JlZC0x').credential_hash)).toBeNull()
      expect(await stage.store.shelf.passkeyById('Y3JlZC0x')).toBeNull()
      expect(await stage.store.shelf.passkeys()).toEqual([passkey('Y3JlZC0y')])
    })

    test('L15 a passkey that was taken back is not read, whoever puts its row back', async () => {
      const lost = passkey('Y3JlZC0x')
      const { user_id, credential_hash, credential_id } = lost
      await shelve([
        { put: 'passkey', passkey: lost },
        { put: 'passkey', passkey: passkey('Y3JlZC0y') },
      ])
      const body = { user_id, credential_hash, by: 'person' } as const
      await note(stage.ledger, [{ type: 'PASSKEY_REVOKED', body }])
      await shelve([{ put: 'passkey_end', credential_hash }])
      await shelve([{ put: 'passkey', passkey: lost }])
      await stage.reopen()
      const { shelf } = stage.store
      expect([
        await shelf.passkey(credential_hash),
        await shelf.passkeyById(credential_id),
        await shelf.passkeysOf(user_id),
        await shelf.passkeys(),
      ]).toEqual([null, null, [passkey('Y3JlZC0y')], [passkey('Y3JlZC0y')]])
    })

    test('the sessions that began with a passkey end with it, and no others', async () => {
      const { credential_hash } = passkey('Y3JlZC0x')
      const begun = session('begun', { credential_hash })
      const others = [
        session('other'),
        session('plain', { by: 'oidc', credential_hash: null }),
        session('operator', { kind: 'operator', by: 'key', credential_hash: null }),
      ]
      for (const one of [begun, ...others]) await stage.store.shelf.putSession(one, 0)
      await shelve([{ put: 'passkey_end', credential_hash }])
      const left = async () =>
        Promise.all([begun, ...others].map(({ id_hash }) => stage.store.shelf.session(id_hash)))
      expect(await left()).toEqual([null, ...others])
    })

    test('an enrolment waits under its request until it is ended', async () => {
      const wait = (request_id: string): EnrolmentRow => ({
        request_id,
        user_id: 'operator',
        claim: '{"kind":"oidc","sub":"\\u0000\ud83d\udd4a"}',
      })
      await shelve([
        { put: 'enrolment', enrolment: wait('one') },
        { put: 'enrolment', enrolment: wait('two') },
      ])
      await stage.reopen()
      expect(await stage.store.shelf.enrolment('one')).toEqual(wait('one'))
      expect(await stage.store.shelf.enrolments()).toHaveLength(2)
      await shelve([{ put: 'enrolment_end', request_id: 'one' }])
      // Ended by another replica before.
      await shelve([{ put: 'enrolment_end', request_id: 'one' }])
      expect(await stage.store.shelf.enrolment('one')).toBeNull()
      expect(await stage.store.shelf.enrolments()).toEqual([wait('two')])
    })

    test('an invitation is found by the hash of its code alone', async () => {
      await shelve([{ put: 'invitation', invitation: invitation('a') }])
      await shelve([{ put: 'invitation', invitation: invitation('b') }])
      await stage.reopen()
      expect(await stage.store.shelf.invitation(invitation('a').code_hash)).toEqual(invitation('a'))
      expect(await stage.store.shelf.invitation(hashed('another'))).toBeNull()
    })

    test('the same code is not given out twice', async () => {
      const { shelf } = stage.store
      await shelve([{ put: 'invitation', invitation: invitation('a') }])
      const again = { ...invitation('a'), user_id: 'second' }
      await expect(shelve([{ put: 'invitation', invitation: again }])).rejects.toThrow()
      expect(await shelf.invitation(invitation('a').code_hash)).toEqual(invitation('a'))
    })
  })

  describe('a name held for this process', () => {
    test('is given, given back, and given again', async () => {
      const lost: string[] = []
      const first = await stage.store.hold('listen telegram', () => lost.push('first'))
      expect(first).not.toBeNull()
      await first?.release()
      const second = await stage.store.hold('listen telegram', () => lost.push('second'))
      const other = await stage.store.hold('listen email', () => lost.push('other'))
      expect([second === null, other === null, lost]).toEqual([false, false, []])
      await other?.release()
      await second?.release()
    })
  })

  describe('beside the ledger', () => {
    const putKey = (key: ApiKey) => shelve([{ put: 'api_key', key }])

    test('a new signing key retires the one before it, and what was retired stays so', async () => {
      const { shelf } = stage.store
      await shelf.putKeys([keyRow('k-1', 1)])
      await shelf.putKeys([{ ...keyRow('k-1', 1), verify_until: 200 }, keyRow('k-2', 2)])
      // As a lost answer makes it be put again.
      await shelf.putKeys([keyRow('k-1', 1)])
      const rows = await shelf.keyring()
      expect(rows.map(({ kid, verify_until }) => [kid, verify_until])).toEqual([
        ['k-1', 200],
        ['k-2', null],
      ])
      expect(Buffer.from(rows[0]?.wrapped ?? [])).toEqual(Buffer.from([1, 2, 3]))
      expect(rows[1]).toMatchObject({ public_jwk: '{"kid":"k-2"}', not_before: 2 })
    })

    test('a key of the ring that is revoked in an append stays so', async () => {
      const { shelf } = stage.store
      await shelf.putKeys([{ ...keyRow('k-1', 1), verify_until: 200 }, keyRow('k-2', 2)])
      const until = async () => (await stage.store.shelf.keyring()).map(row => [row.kid, row.verify_until])
      await shelve([{ put: 'key', key: { ...keyRow('k-1', 1), verify_until: 50 } }])
      await shelve([{ put: 'key', key: { ...keyRow('k-1', 1), verify_until: 150 } }])
      await stage.reopen()
      expect(await until()).toEqual([
        ['k-1', 50],
        ['k-2', null],
      ])
    })

    test('and so does the mark that what it signed was sent anew', async () => {
      const { shelf } = stage.store
      const revoked = { ...keyRow('k-1', 1), verify_until: 50 }
      await shelf.putKeys([revoked, keyRow('k-2', 2)])
      await shelf.putKeys([{ ...revoked, renewed_at: 60 }])
      await stage.reopen()
      const rows = await stage.store.shelf.keyring()
      expect(rows.map(({ kid, renewed_at }) => [kid, renewed_at])).toEqual([
        ['k-1', 60],
        ['k-2', null],
      ])
    })

    test('API keys are kept by the hash of their secret, and revoked once', async () => {
      const at = '2026-03-02T00:00:00.000Z'
      await putKey(apiKey('key-1'))
      await putKey(apiKey('key-2'))
      await putKey({ ...apiKey('key-1'), revoked_at: at })
      await putKey({ ...apiKey('key-1'), revoked_at: '2026-03-03T00:00:00.000Z' })
      await putKey(apiKey('key-1'))
      await stage.reopen()
      expect(await stage.store.shelf.apiKeys()).toEqual([
        { ...apiKey('key-1'), revoked_at: at },
        apiKey('key-2'),
      ])
    })

    test('two API keys cannot share a secret', async () => {
      await putKey(apiKey('key-1'))
      const twin = { ...apiKey('key-2'), secret_hash: apiKey('key-1').secret_hash }
      await expect(putKey(twin)).rejects.toThrow()
      expect(await stage.store.shelf.apiKeys()).toEqual([apiKey('key-1')])
    })

    test('content brought at once does not go beyond the quota', async () => {
      for (let round = 0; round < 10; round++) {
        const put = async (index: number) => {
          const bytes = Buffer.from(`content ${round} ${index}`.padEnd(16))
          return await stage.store.shelf.putBlob(sha256(bytes), bytes, `key-${round}`, 20)
        }
        const kept = await Promise.all([0, 1, 2, 3, 4, 5].map(put))
        expect(kept.sort()).toEqual(['full', 'full', 'full', 'full', 'full', 'new'])
      }
    })

    test('a content that is erased and sent again at once is there, in whatever order the appends came', async () => {
      const { ledger, shelf } = stage.store
      const bytes = Buffer.from('sent again')
      const handle = sha256(bytes)
      const sent: Shelving = { put: 'contents', key_id: 'key-1', contents: new Map([[handle, bytes]]) }
      const erased: Shelving = { put: 'content_erasure', handle, key_id: 'key-1' }
      const append = (one: Shelving) =>
        ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: [one] }) })
      const held = async () => (await shelf.ownBlobs('key-1', [handle])).has(handle)
      await append(sent)
      await Promise.all([append(erased), append(sent)])
      expect(await held()).toBe(true)
      await Promise.all([append(sent), append(erased)])
      expect(await held()).toBe(false)
      await Promise.all([append(sent), append(erased), append(sent)])
      expect(await held()).toBe(true)
    })

    test('content is kept once, and counts against the quota of each key that brings it', async () => {
      const { shelf } = stage.store
      const bytes = Buffer.from('0123456789')
      const put = (content: Buffer, key: string) => shelf.putBlob(sha256(content), content, key, 15)
      expect(await put(bytes, 'key-1')).toBe('new')
      expect(await put(bytes, 'key-1')).toBe('known')
      expect(await put(Buffer.from('abcdef'), 'key-1')).toBe('full')
      expect(await put(Buffer.from('abcde'), 'key-1')).toBe('new')
      expect(await put(bytes, 'key-2')).toBe('new')
      const kept = await shelf.blob(sha256(bytes))
      expect(kept && Buffer.from(kept).toString()).toBe('0123456789')
      expect(await shelf.blob(sha256('abcdef'))).toBeNull()
      const owned = await shelf.ownBlobs('key-2', [sha256(bytes), sha256('abcde'), sha256('none')])
      expect([...owned].map(([handle, held]) => [handle, Buffer.from(held).toString()])).toEqual([
        [sha256(bytes), '0123456789'],
      ])
    })
  })
}
