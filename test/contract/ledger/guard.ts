// L5: guards look across requests, inside the serialised section.
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import type { Guard, Space } from '../../../src/ledger/contract.js'
import type { Shelving } from '../../../src/ledger/shelf.js'
import type { Channel } from '../../../src/request/channel.js'
import { hashed } from '../../ledger/craft.js'
import {
  approvalOf,
  entriesOf,
  guarded,
  lastOf,
  note,
  type Opener,
  open,
  STARTED,
  sizeOf,
  stageFor,
  withdraw,
  withdrawAfter,
} from './stage.js'

const claim = (value: string, space: Space = 'jti'): Guard => ({
  kind: 'unclaimed',
  space,
  value,
})
const questions = (at_most: number, run_id = 'run-1', opened_by = 'key-1'): Guard => ({
  kind: 'open_questions',
  opened_by,
  run_id,
  at_most,
})
const budget = (at_most: number, opened_by = 'key-1', user_id = 'ada'): Guard => ({
  kind: 'recipient_budget',
  opened_by,
  user_id,
  at_most,
})
const tries = (at_most: number, under = 'slack_signed', delivery_id = 'd-1'): Guard => ({
  kind: 'attempts',
  fails: true,
  delivery_id,
  under,
  at_most,
})

export function guardContract(opener: Opener): void {
  const stage = stageFor(opener)
  const kindOf = async (...guards: Guard[]) => (await guarded(stage.ledger, ...guards)).kind

  describe('L5 unclaimed', () => {
    test('a value is claimed once and for ever', async () => {
      expect(await kindOf(claim('a'))).toBe('appended')
      expect(await guarded(stage.ledger, claim('a'))).toEqual({ kind: 'guarded', guard: claim('a') })
      await stage.reopen()
      expect(await kindOf(claim('a'))).toBe('guarded')
      expect(await kindOf(claim('b'))).toBe('appended')
      expect(await kindOf(claim('a', 'message'))).toBe('appended')
      expect([await kindOf(claim('a', 'spend')), await kindOf(claim('a', 'spend'))]).toEqual([
        'appended',
        'guarded',
      ])
    })

    test('of many who claim the same value at once, one does', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => kindOf(claim('a'))))
      expect(results.filter(kind => kind === 'appended')).toHaveLength(1)
      expect(await sizeOf(stage.ledger)).toBe(1)
    })

    test('an append that does not stand claims nothing', async () => {
      const guards = [claim('a')]
      await stage.ledger.append({ guards, decide: () => ({ kind: 'refuse', why: 'no' }) as const })
      await open(stage.ledger, 'q-1')
      await open(stage.ledger, 'q-1', { guards })
      await kindOf(claim('taken'))
      await kindOf(claim('a'), claim('taken'))
      expect(await kindOf(claim('a'))).toBe('appended')
    })
  })

  describe('L5 open questions of a run', () => {
    const ask = async (id: string, run_id = 'run-1') =>
      (await open(stage.ledger, id, { run_id, guards: [questions(2, run_id)] })).kind

    test('no more than allowed are open at once, and a resolved one makes room', async () => {
      expect([await ask('q-1'), await ask('q-2'), await ask('q-3')]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await ask('q-4', 'run-2')).toBe('appended')
      await withdraw(stage.ledger, 'q-1')
      expect([await ask('q-5'), await ask('q-6')]).toEqual(['appended', 'guarded'])
    })

    test('a resolved one makes room for one that shares its commit', async () => {
      await ask('q-1')
      await ask('q-2')
      const last = await lastOf(stage.ledger, 'q-1')
      const [resolved, asked] = await Promise.all([withdrawAfter(stage.ledger, 'q-1', last), ask('q-3')])
      expect([resolved.kind, asked]).toEqual(['appended', 'appended'])
    })

    test('one key does not use up what another may ask in a run of the same name', async () => {
      const askAs = async (opened_by: string, id: string) =>
        (await open(stage.ledger, id, { opened_by, guards: [questions(2, 'run-1', opened_by)] })).kind
      const all = [
        ['key-1', 'a'],
        ['key-1', 'b'],
        ['key-1', 'c'],
        ['key-2', 'd'],
      ] as const
      const kinds: string[] = []
      for (const [key, id] of all) kinds.push(await askAs(key, id))
      expect(kinds).toEqual(['appended', 'appended', 'guarded', 'appended'])
      const together = await Promise.all(['e', 'f', 'g'].map(id => askAs('key-2', id)))
      expect(together.sort()).toEqual(['appended', 'guarded', 'guarded'])
    })

    test('approvals are not questions', async () => {
      await open(stage.ledger, 'a-1', { request: approvalOf('a-1') })
      await open(stage.ledger, 'a-2', { request: approvalOf('a-2') })
      expect([await ask('q-1'), await ask('q-2')]).toEqual(['appended', 'appended'])
    })

    test('asked at once, no more than allowed are opened', async () => {
      const kinds = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`q-${index}`)))
      expect(kinds.filter(kind => kind === 'appended')).toHaveLength(2)
    })
  })

  describe('L5 budget of a recipient', () => {
    test('a key asks a person so often; another key and another person are not counted', async () => {
      expect([await kindOf(budget(2)), await kindOf(budget(2)), await kindOf(budget(2))]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await kindOf(budget(2, 'key-2'))).toBe('appended')
      expect(await kindOf(budget(2, 'key-1', 'bob'))).toBe('appended')
    })
  })

  describe('L5 attempts', () => {
    test('each append counts one for its sender on its delivery', async () => {
      expect([await kindOf(tries(2)), await kindOf(tries(2)), await kindOf(tries(2))]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await kindOf(tries(2, 'stranger'))).toBe('appended')
      expect(await kindOf(tries(2, 'addressee', 'd-2'))).toBe('appended')
      expect(await kindOf(tries(3))).toBe('appended')
    })

    test('one that is known not to fail is asked and not counted', async () => {
      const sure = { ...tries(1), fails: false }
      expect([await kindOf(sure), await kindOf(sure)]).toEqual(['appended', 'appended'])
      expect([await kindOf(tries(1)), await kindOf(sure)]).toEqual(['appended', 'guarded'])
    })
  })

  describe('L5 codes', () => {
    const room = (request_id: string, at_most = 2, user_id = 'ada'): Guard => ({
      kind: 'open_codes',
      channel: 'sms',
      user_id,
      request_id,
      at_most,
    })
    const miss = (at_most = 3, user_id = 'ada', fails = true): Guard => ({
      kind: 'misses',
      channel: 'sms',
      user_id,
      at_most,
      fails,
    })
    const coded = (request_id: string, name = request_id, user_id = 'ada'): Shelving => ({
      put: 'grant',
      grant: {
        handle_hash: hashed(name),
        use: 'reply',
        code_hash: `hmac:${name}`,
        token: 't',
        request_id,
        delivery_id: `d-${request_id}`,
        channel: 'sms',
        user_id,
      },
    })
    const ask = async (id: string) =>
      (await open(stage.ledger, id, { guards: [room(id)], shelve: [coded(id)] })).kind
    const rest = (until_ms: number, user_id = 'ada') =>
      stage.ledger.append({
        decide: ({ ms }) => ({
          kind: 'append',
          events: [],
          shelve: [
            { put: 'rest', rest: { channel: 'sms', user_id, until_ms, length_ms: 60_000 }, since_ms: ms },
          ],
        }),
      })

    test('no more than allowed are open, whoever asks at once; a settled request makes room, and so does its own', async () => {
      const kinds = await Promise.all(['q-1', 'q-2', 'q-3'].map(ask))
      expect(kinds.sort()).toEqual(['appended', 'appended', 'guarded'])
      const asked = (await stage.store.shelf.openCodes('sms', 'ada')).map(({ request_id }) => request_id)
      const [first = '', second = ''] = asked
      expect([
        await kindOf(room(first)),
        await kindOf(room('q-9')),
        await kindOf(room('q-9', 2, 'ben')),
      ]).toEqual(['appended', 'guarded', 'appended'])
      await withdraw(stage.ledger, first)
      await stage.reopen()
      expect(await ask('q-4')).toBe('appended')
      expect((await stage.store.shelf.openCodes('sms', 'ada')).map(({ request_id }) => request_id)).toEqual([
        second,
        'q-4',
      ])
    })

    test('are found by what is kept of them and whose they are, the newest last; an open one by its request', async () => {
      await ask('q-1')
      await stage.ledger.append({
        decide: () => ({
          kind: 'append',
          events: [],
          shelve: [coded('q-1', 'again'), coded('q-1', 'other', 'ben')],
        }),
      })
      await stage.reopen()
      const { shelf } = stage.store
      const found = async (code: string, user = 'ada') =>
        (await shelf.grantsByCode('sms', user, `hmac:${code}`)).map(({ handle_hash }) => handle_hash)
      expect([
        await found('q-1'),
        await found('again'),
        await found('other'),
        await found('other', 'ben'),
      ]).toEqual([[hashed('q-1')], [hashed('again')], [], [hashed('other')]])
      expect(await shelf.grantsByCode('slack', 'ada', 'hmac:q-1')).toEqual([])
      expect((await shelf.openCodes('sms', 'ada')).map(({ handle_hash }) => handle_hash)).toEqual([
        hashed('again'),
      ])
    })

    test('wrong ones are counted per person, whoever sends them at once, and for an hour', async () => {
      const kinds = await Promise.all(Array.from({ length: 10 }, () => kindOf(miss())))
      expect(kinds.filter(kind => kind === 'appended')).toHaveLength(3)
      expect([await kindOf(miss(3, 'ada', false)), await kindOf(miss(3, 'ben'))]).toEqual([
        'guarded',
        'appended',
      ])
      await stage.reopen()
      const now = stage.ledger.now()
      expect(await stage.store.shelf.misses('sms', 'ada', now - 3_600_000)).toBe(3)
      stage.clock.pass(3_600_001)
      expect([
        await kindOf(miss()),
        await stage.store.shelf.misses('sms', 'ada', stage.ledger.now() - 3_600_000),
      ]).toEqual(['appended', 1])
    })

    test('that rest are given out to nobody and none is taken, until it is over; then they are counted anew', async () => {
      await ask('q-1')
      await kindOf(miss())
      const until = stage.ledger.now() + 60_000
      const [rested, missed] = await Promise.all([rest(until), kindOf(miss(100))])
      expect([rested.kind, missed]).toEqual(['appended', 'guarded'])
      expect(await stage.ledger.due(stage.ledger.now(), 5)).toEqual(['q-1'])
      await stage.reopen()
      expect([
        await kindOf(room('q-2')),
        await kindOf(miss(100, 'ada', false)),
        await kindOf(miss(3, 'ben')),
      ]).toEqual(['guarded', 'guarded', 'appended'])
      const kept = { channel: 'sms', user_id: 'ada', until_ms: until, length_ms: 60_000 }
      expect([await stage.store.shelf.rest('sms', 'ada'), await stage.store.shelf.rests(until - 1)]).toEqual([
        kept,
        [kept],
      ])
      stage.clock.pass(60_000)
      expect([await stage.store.shelf.rests(until), await stage.store.shelf.rest('sms', 'ben')]).toEqual([
        [],
        null,
      ])
      expect([await kindOf(room('q-2')), await stage.store.shelf.misses('sms', 'ada', 0)]).toEqual([
        'appended',
        0,
      ])
      expect([await kindOf(miss(1)), await kindOf(miss(1))]).toEqual(['appended', 'guarded'])
    })
  })

  describe('L5 the contents of a key', () => {
    const QUOTA = 20
    /** Opens a request that brings these texts, within the quota. */
    const bring = async (id: string, key_id: string, ...texts: string[]) => {
      const contents = texts.map(text => ({ handle: sha256(text), size: text.length }))
      const sent = new Map(texts.map(text => [sha256(text), Buffer.from(text)]))
      const shelve: Shelving[] = [{ put: 'contents', key_id, contents: sent }]
      const guards: Guard[] = [{ kind: 'content_quota', key_id, contents, at_most: QUOTA }]
      return (await open(stage.ledger, id, { opened_by: key_id, guards, shelve })).kind
    }
    const heldOf = async (key_id: string, ...texts: string[]) =>
      [
        ...(
          await stage.store.shelf.ownBlobs(
            key_id,
            texts.map(text => sha256(text)),
          )
        ).values(),
      ].map(bytes => Buffer.from(bytes).toString())

    test('come with a request up to the quota, to the byte, and a request beyond it brings nothing', async () => {
      expect(await bring('q-1', 'key-1', 'a'.repeat(12))).toBe('appended')
      expect(await bring('q-2', 'key-1', 'b'.repeat(8), 'c')).toBe('guarded')
      expect(await heldOf('key-1', 'b'.repeat(8), 'c')).toEqual([])
      expect(await bring('q-2', 'key-1', 'b'.repeat(8))).toBe('appended')
      await stage.reopen()
      expect(await bring('q-3', 'key-1', 'd')).toBe('guarded')
      expect(await bring('q-3', 'key-2', 'd')).toBe('appended')
    })

    test('that the key has sent before are not counted again, those of another key are', async () => {
      const text = 'a'.repeat(15)
      expect(await bring('q-1', 'key-1', text)).toBe('appended')
      expect(await bring('q-2', 'key-1', text)).toBe('appended')
      expect(await bring('q-3', 'key-2', text)).toBe('appended')
      expect(await bring('q-4', 'key-2', 'b'.repeat(6))).toBe('guarded')
      expect(await heldOf('key-2', text)).toEqual([text])
    })

    test('brought at once do not go beyond the quota', async () => {
      const all = ['a', 'b', 'c', 'd'].map((letter, n) => bring(`q-${n}`, 'key-1', letter.repeat(9)))
      expect((await Promise.all(all)).sort()).toEqual(['appended', 'appended', 'guarded', 'guarded'])
    })

    test('that are erased make room', async () => {
      const text = 'a'.repeat(15)
      await bring('q-1', 'key-1', text)
      await stage.ledger.append({
        decide: () => ({
          kind: 'append',
          events: [STARTED],
          shelve: [{ put: 'content_erasure', handle: sha256(text), key_id: 'key-1' }],
        }),
      })
      expect(await heldOf('key-1', text)).toEqual([])
      expect(await bring('q-2', 'key-1', 'b'.repeat(QUOTA))).toBe('appended')
    })
  })

  describe('L5 a key that has opened nothing since', () => {
    const unopened = (since: number, opened_by = 'key-1'): Guard => ({ kind: 'unopened', opened_by, since })

    test('holds until a request of that key stands at that place or after it', async () => {
      await open(stage.ledger, 'q-1', { opened_by: 'key-1' })
      const since = await sizeOf(stage.ledger)
      expect(await kindOf(unopened(since))).toBe('appended')
      expect(await kindOf(unopened(since - 1))).toBe('guarded')
      await open(stage.ledger, 'q-2', { opened_by: 'key-2' })
      expect(await kindOf(unopened(since))).toBe('appended')
      await open(stage.ledger, 'q-3', { opened_by: 'key-1' })
      await stage.reopen()
      expect([await kindOf(unopened(since)), await kindOf(unopened(since, 'key-2'))]).toEqual([
        'guarded',
        'guarded',
      ])
    })

    test('does not hold beside a request that shares its commit and stands before it', async () => {
      const since = await sizeOf(stage.ledger)
      const [opened, guarded] = await Promise.all([
        open(stage.ledger, 'q-1', { opened_by: 'key-1' }),
        kindOf(unopened(since)),
      ])
      expect([opened.kind, guarded]).toEqual(['appended', 'guarded'])
    })
  })

  describe('L5 a passkey', () => {
    const credential_hash = hashed('passkey')
    const row = {
      credential_hash,
      credential_id: 'Y3JlZA',
      user_id: 'ada',
      public_key: 'a2V5',
      by: 'person',
    } as const
    const isTheirs: Guard = { kind: 'passkey', credential_hash }
    const body = { user_id: 'ada', credential_hash, by: 'person' } as const
    const registers = () =>
      stage.ledger.append({
        decide: () => ({
          kind: 'append',
          events: [{ type: 'PASSKEY_REGISTERED', body }],
          shelve: [{ put: 'passkey', passkey: row }],
        }),
      })
    const revokes = () =>
      stage.ledger.append({
        guards: [isTheirs],
        decide: () => ({
          kind: 'append',
          events: [{ type: 'PASSKEY_REVOKED', body }],
          shelve: [{ put: 'passkey_end', credential_hash }],
        }),
      })
    const uses = () =>
      stage.ledger.append({
        guards: [isTheirs],
        decide: () => ({ kind: 'append', events: [STARTED] }),
      })
    const kinds = (all: readonly { readonly kind: string }[]) => all.map(({ kind }) => kind)

    test('is somebody’s from the append that registers it until the one that takes it back', async () => {
      expect(kinds(await Promise.all([uses(), registers(), uses()]))).toEqual([
        'guarded',
        'appended',
        'appended',
      ])
      await stage.reopen()
      expect((await uses()).kind).toBe('appended')
      // What was under way together is put in one order, and what comes after is refused.
      expect(kinds(await Promise.all([uses(), revokes(), uses()]))).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      await stage.reopen()
      expect(kinds([await uses(), await revokes()])).toEqual(['guarded', 'guarded'])
      expect(await stage.store.shelf.passkeysOf('ada')).toEqual([])
    })

    test('is taken back once, whoever tries together', async () => {
      await registers()
      expect(kinds(await Promise.all([revokes(), revokes()])).sort()).toEqual(['appended', 'guarded'])
    })

    test('L15 that was taken back is not given back by its old row, whose seal is sound, and is not taken back again', async () => {
      await registers()
      await revokes()
      await stage.ledger.append({
        decide: () => ({ kind: 'append', events: [], shelve: [{ put: 'passkey', passkey: row }] }),
      })
      expect(kinds([await uses(), await revokes()])).toEqual(['guarded', 'guarded'])
      await stage.reopen()
      expect(kinds(await Promise.all([uses(), revokes()]))).toEqual(['guarded', 'guarded'])
      const types = (await entriesOf(stage.ledger)).map(({ type }) => type)
      expect(types).toEqual(['PASSKEY_REGISTERED', 'PASSKEY_REVOKED'])
    })

    test('L15 is taken back by the entry alone, for the appends that share its commit too', async () => {
      await registers()
      const told = () => note(stage.ledger, [{ type: 'PASSKEY_REVOKED', body }])
      expect(kinds(await Promise.all([uses(), told(), uses()]))).toEqual(['appended', 'appended', 'guarded'])
      expect((await uses()).kind).toBe('guarded')
    })
  })

  describe('L5 an address', () => {
    const linking = (user_id: string, address = '41', channel: Channel = 'telegram') =>
      stage.ledger.append({
        guards: [{ kind: 'address', channel, address, theirs: [user_id] }],
        decide: () => ({
          kind: 'append',
          events: [{ type: 'RECIPIENT_LINKED', body: { user_id, channel } }],
          shelve: [{ put: 'link', link: { user_id, channel, address } }],
        }),
      })

    test('that is somebody else’s is not linked, nor is it while they link it', async () => {
      const both = await Promise.all([linking('ada'), linking('ben')])
      expect(both.map(({ kind }) => kind).sort()).toEqual(['appended', 'guarded'])
      await stage.reopen()
      expect((await linking('cai')).kind).toBe('guarded')
      expect(await stage.store.shelf.links()).toHaveLength(1)
      expect((await linking('cai', '42')).kind).toBe('appended')
      expect((await linking('cai', '41', 'slack')).kind).toBe('appended')
    })

    test('is free again once its person has another one, and theirs to link twice', async () => {
      expect((await linking('ada')).kind).toBe('appended')
      expect((await linking('ada')).kind).toBe('appended')
      expect((await linking('ada', '42')).kind).toBe('appended')
      expect((await linking('ben')).kind).toBe('appended')
    })
  })
}
