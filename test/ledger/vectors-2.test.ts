// Ledgers written under rules 2, kept as they were written: every later program verifies and replays them. The pins stand
// here so that nobody makes one anew without changing this page.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import { BODIES, DECISIONS, type Entry, EVENT_TYPES, flawOf, OUTCOMES } from '../../src/event.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { replay } from '../../src/ledger/replay.js'
import type { RawReply } from '../../src/ledger/shelf.js'
import { verify } from '../../src/ledger/verify.js'
import { REASONS_OF } from '../../src/reason.js'
import { CHANNELS, PROOFS } from '../../src/request/channel.js'
import { REPLY_KINDS } from '../../src/request/reply-shape.js'
import { DEFAULT_ACTIONS } from '../../src/request/request.js'
import { ORIGIN_SYSTEMS } from '../../src/request/terms.js'

const FOLDER = new URL('../vectors/ledgers/2/', import.meta.url)

/** For whoever has added something to rules 2. */
const REMEDY =
  'Rules 2 are fixed by test/vectors/ledgers/2/. What is new needs new rules (src/rules.ts) with vectors of their own; while no release has rules 2, a further ledger in that folder that holds it, written by the program, will do.'

/** SHA-256 of the lines, the words and the evidence, one file after the other; entries, cases, replies, erased. */
const LEDGERS: Readonly<Record<string, readonly [string, number, number, number, number]>> = {
  artifact: ['8127128504b3621bc5c686eb1feccd6b0725f9441ef1b6ec01b9aa0be81d08a0', 15, 1, 1, 0],
  'bad-charset': ['1ff4f81453b06fa2fb3e775dc8b3b2029aa116acbb26dc4b5fb5b58ce7bd104e', 6, 1, 1, 0],
  believed: ['06e7020ae32966468d55d195c2a6a69e0c0ce1986639649bb95e6d43928c3130', 15, 1, 1, 0],
  'by-mail': ['d4b04cf3d25ce54c5e80215e01bfa4cc1f4a3edc294e0695fdd166030f0774d8', 13, 1, 1, 0],
  'by-sms': ['9d324a6e3308a81091854ecc88935c10e7f721e8c6d34357c613a55d6327401c', 46, 5, 5, 0],
  callbacks: ['dc80f2dab675b2d2aecd9ecbff4c16fd71a44f29bd0405dbf8a665d554d0969d', 12, 1, 0, 0],
  clock: ['2fbe73b8f945b43ab551151c819d92bfd83b57fad766bef12ed2e1240f290eb7', 33, 3, 2, 0],
  'cluster-answered': ['35fb8be6b76e9e46d69efa20c3d8865dfd1f1f6f8aafa4aeeecdab09a2a7e6e1', 17, 1, 2, 0],
  'cluster-guessed': ['62e913b0deefe93489d6289ca2449dc16103896d1f0568c1d134d4d48ab26a90', 22, 3, 5, 0],
  'cluster-served': ['62d3cd7db4c90caee9ed6eda25fee4fefe0b44dc8dd01d50027e1898c8f90648', 76, 6, 7, 0],
  'codes-rested': ['3a18656e02a3c52300245a7a508f851e27f6ecac2e12028299cd1a448ed6245e', 18, 1, 10, 0],
  'content-cut': ['4263cb9e1e50f523acd760d51ca39f212b0a55aa1173864c2c4092207e9b4a6f', 12, 1, 0, 0],
  contents: ['ad67591b2ed9040d11f12908a87201b7a32a9d014dd08bf8c9e90d9abfa50e36', 94, 12, 1, 1],
  'deadline-passed': ['4fc2ae0715c0cc4b3e7c0613d3c87d86b09d5870dbf6130c0a5f96f964b0fff7', 7, 1, 1, 0],
  'decision-answered': ['8d509d7accb2bd2eb37fa113546902b9d80c92880887079d42ed4515164397e7', 10, 1, 2, 0],
  duplicate: ['061eadeea6b2596c627d5140bd7b36013adbfa8d277050b10415a61042ca4ad5', 7, 1, 2, 0],
  'escalated-early': ['d1cec6af943afa9e9c0fa8a5ae90f16821eff380bc27ee7f4b795442d711a59a', 10, 1, 0, 0],
  'four-eyes': ['df8552fdd965c33d836bc0bfa19b44f0b9afa49bd9f383139f7e24e44620ce0c', 18, 1, 2, 0],
  held: ['f292ae1d99bd4f2b57ab4fc22d8886022af99462f86a34dba3542622e20d10b1', 6, 1, 0, 0],
  linked: ['0d2649b650c53cdf0ded935daaac05c9f0291ea5c4b49a1a5c1fca1d9f7c82b8', 10, 1, 0, 0],
  'next-channel': ['643aca1e00346bd35d65fc5eb57d34aa3496347db60b92f6837602315b957114', 8, 1, 0, 0],
  'no-longer-approver': ['7f30df2ce9401f2e2c7f56f7f37fb29d986fbabc65f7ee421b8d295385ee1107', 12, 1, 2, 0],
  operated: ['cef2491c94c06a51a03a590ae902a739f72bc0ea303fb62112783be0e0041704', 53, 4, 1, 0],
  'out-of-office': ['da17f936f0943e8b9206106befe7c43298321daf97e4ffd6bc6482fb69ccba94', 11, 1, 3, 0],
  'passkey-attacks': ['f7593ae0dd75735af7478cc7578babab8d05b3ec82bd31118ecc33c51b3ce146', 24, 1, 7, 0],
  'passkey-by-operator': ['6a9ac0fcd491b605c9575edbb49c30fdc3d89ebf6dd424cf91a6fe03cec17987', 26, 3, 1, 0],
  'passkey-replayed': ['aeb1a323b5e0ce8aa8ec2d110025ee0df4f4114a2eaa7968870e4c1970163445', 13, 1, 3, 0],
  passkeys: ['dbe8cfa78561f9eea6eafba77904c01ec85cfa29168919509b2e7e1aa5edf8be', 83, 8, 6, 0],
  'proof-insufficient': ['37789e5b7a1c2192b380d1613f9febb7bdb5b6a4de5cea218983089f5b4c1068', 12, 1, 2, 0],
  'reason-missing': ['de7fef6c3eafbb4fbebc870b69a30f69e838c121d0cb715c2188d1e728e0b366', 11, 1, 1, 0],
  reminded: ['3be73340d52816f7890bc6c45a8f5da5d2328722f8448606de9e8b5feea0f4ef', 9, 1, 0, 0],
  'request-mismatch': ['89f16fd21a9cefd0e046c7958b6b3dba97fb21285538d22d2e3772320a9907a7', 7, 1, 1, 0],
  rollback: ['c521281790c7df7c8aa4afc36097bc08052b35215b10e843c5cc29b8d66ea05e', 26, 2, 1, 0],
  'schema-mismatch': ['605e4ecdf82da7bcd7c293afea4ba884f6658273d25f4e21f798f634a15c17f1', 7, 1, 1, 0],
  spent: ['14aae0d72f8faac62058c7cc329710ccea3881d4ad79a55388a871bf0a23969a', 13, 1, 1, 0],
  statuses: ['00da44f3bb13f4dfe20193a243148668ae1bd438769e5a160869b6d36ced4017', 13, 1, 0, 0],
  'token-altered': ['c54618bd2125d12adecf1e524662dfe95919079a84b4dce29af65f62bf78f506', 7, 1, 2, 0],
  'token-expired': ['7a8746262d301cf6d4ecada7f4545fb7aae1bde0330a71c0257a3ec8d6158cdf', 14, 1, 4, 0],
  'unknown-sender': ['e1c7092683710a00dc581ac9a040d31aca59579a37f4cd776d7a3705b4f28e2e', 6, 1, 1, 0],
  'voted-before': ['b7eb73b76adb9de680164923e382fab96e9b9c31baad3c9d81c4c65a2aac5fae', 10, 1, 2, 0],
  'votes-given': ['57b3dd4cc2924248f2f3d546c5a14e52971e1f739cc6bd1035de7e9b703b62cb', 22, 1, 4, 0],
  'votes-refused': ['1264ef6427df3a692a94a39ce958c4fa98f649a80abd8f34f1ac7025a96f9bb3', 18, 1, 2, 0],
  words: ['cbe0b9e88b0820aa694cd21f1bb4f851b6452b854cfed05e45f2cf7a95417c5b', 170, 21, 21, 0],
  'wrong-recipient': ['9a7188d669077255cfde4e23b01b7e8553c5d4545ba0a3de962e832ccaa6d9b3', 10, 1, 1, 0],
}

/** A name that no part of the program gives to anything it does: CONTENT_ERASED tells it in a story of its own. */
const NEVER_DONE = ['content_erased']
const DEEDS = BODIES.OPERATOR_ACTED.shape.deed.options.filter(
  deed => flawOf('OPERATOR_ACTED', { deed, about: 'x', by: 'x' }, '2') === null && !NEVER_DONE.includes(deed),
)
const TYPES = EVENT_TYPES.filter(type => !flawOf(type, {}, '2')?.startsWith('unknown entry type'))

const partsOf = (name: string): readonly URL[] =>
  ['ndjson', 'raws.ndjson', 'evidence.ndjson']
    .map(end => new URL(`${name}.${end}`, FOLDER))
    .filter(existsSync)
const linesOf = (name: string, end = 'ndjson'): string[] => {
  const file = new URL(`${name}.${end}`, FOLDER)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

function wordsOf(name: string): (replyId: string) => RawReply | null {
  const all = linesOf(name, 'raws.ndjson').map(line => JSON.parse(line) as RawReply & { salt: string })
  const kept = new Map(all.map(reply => [reply.reply_id, reply]))
  return replyId => {
    const reply = kept.get(replyId)
    return reply === undefined ? null : { ...reply, salt: Buffer.from(reply.salt, 'base64url') }
  }
}

function evidenceOf(name: string): (replyId: string) => string | null {
  const all = linesOf(name, 'evidence.ndjson').map(line => JSON.parse(line) as Record<string, string>)
  const kept = new Map(all.map(({ reply_id, evidence }) => [reply_id, evidence]))
  return replyId => kept.get(replyId) ?? null
}

describe.each(Object.entries(LEDGERS))(
  'the ledger %s of rules 2',
  (name, [pin, size, cases, replies, erased]) => {
    test('is the one that was written then, verifies and replays, with its words and its evidence', async () => {
      const hash = createHash('sha256')
      for (const file of partsOf(name)) hash.update(readFileSync(file))
      expect(hash.digest('hex')).toBe(pin)
      const { ok, entries, problems } = await verify(linesOf(name))
      expect({ ok, entries, problems }).toEqual({ ok: true, entries: size, problems: [] })
      expect(await replay(linesOf(name), wordsOf(name), { evidence: evidenceOf(name) })).toEqual({
        ok: true,
        cases,
        replies,
        erased,
        absent: 0,
        problems: [],
        beyond: null,
      })
    })
  },
)

type Loose = Readonly<Record<string, never>>
type Told = Entry & { readonly body: Loose }

describe('together the ledgers of rules 2 hold', () => {
  const ledgers = Object.keys(LEDGERS).map(name => linesOf(name).map(parseEntry) as unknown as Told[])
  const entries = ledgers.flat()
  const of = (type: string): readonly Loose[] =>
    entries.filter(one => one.type === type).map(({ body }) => body)
  const values = (type: string, member: string): readonly unknown[] => of(type).map(body => body[member])
  const expectAll = (wanted: readonly string[], there: readonly unknown[]): void =>
    expect(
      wanted.filter(one => !there.includes(one)),
      REMEDY,
    ).toEqual([])
  /** The type of request and the kind of reply behind each entry of this type. */
  const behind = (type: string): readonly string[] =>
    ledgers.flatMap(ledger => {
      const asked = new Map<string, string>()
      return ledger.flatMap(one => {
        if (one.type === 'REQUEST_OPENED') {
          const { request } = one.body as unknown as { request: { type: string; reply_schema: ReplySchema } }
          asked.set(one.request_id ?? '', request.reply_schema.kind)
        }
        return one.type === type ? [asked.get(one.request_id ?? '') ?? ''] : []
      })
    })

  test('files that are all pinned here', () => {
    const pinned = Object.keys(LEDGERS)
      .flatMap(partsOf)
      .map(({ pathname }) => pathname.split('/').at(-1))
    expect(readdirSync(FOLDER).sort()).toEqual(['README.md', ...pinned].sort())
  })

  test('every entry type that the program knows under rules 2, and no start under others', () => {
    expectAll(
      TYPES,
      entries.map(({ type }) => type),
    )
    expect(new Set(values('LANE_STARTED', 'rules'))).toEqual(new Set(['2']))
    for (const ledger of ledgers) expect(ledger[0]?.type).toBe('LANE_STARTED')
  })

  test('every reason that the program knows, and every kind of reply answered, refused and left to its default', () => {
    expectAll(REASONS_OF['2'], values('INBOUND_REPLY_REJECTED', 'reason'))
    for (const type of ['HUMAN_REPLY_EVENT', 'INBOUND_REPLY_REJECTED', 'TIMEOUT_RECEIPT'])
      expectAll(REPLY_KINDS, behind(type))
  })

  test('every outcome, default action, proof and channel, YES and NO, by votes too', () => {
    const resolved = of('REQUEST_RESOLVED')
    expectAll(OUTCOMES, values('REQUEST_RESOLVED', 'outcome'))
    expectAll(DEFAULT_ACTIONS, values('REQUEST_RESOLVED', 'default_action'))
    const senders = values('HUMAN_REPLY_EVENT', 'sender_identity') as readonly { proof: string }[]
    expectAll(
      PROOFS,
      senders.map(({ proof }) => proof),
    )
    expectAll(CHANNELS, values('HUMAN_REPLY_EVENT', 'channel'))
    const answers = resolved.map(
      ({ answer }) => answer as undefined | { votes?: object; parsed_choice: string },
    )
    for (const some of [answers, answers.filter(answer => answer?.votes !== undefined)])
      expectAll(
        ['YES', 'NO'],
        some.map(answer => answer?.parsed_choice),
      )
  })

  test('every deed of an operator that the program does', () => {
    expectAll(DEEDS, values('OPERATOR_ACTED', 'deed'))
    for (const deed of NEVER_DONE) expect(values('OPERATOR_ACTED', 'deed')).not.toContain(deed)
  })

  test('every way of people: hands, steps, early ones, passkeys registered and taken back, by person and operator', () => {
    expectAll(['person', 'away', 'lane'], values('REQUEST_DELEGATED', 'by'))
    expectAll(['add', 'next_channel'], values('REQUEST_ESCALATED', 'do'))
    expectAll(['failed', 'out_of_office'], values('REQUEST_ESCALATED', 'early'))
    for (const type of ['PASSKEY_REGISTERED', 'PASSKEY_REVOKED'])
      expectAll(['person', 'operator'], values(type, 'by'))
    expectAll(['passkey'], values('REQUEST_DELEGATED', 'proof'))
  })

  test('every decision, of the lane and of another director, and proposals, taken and refused', () => {
    for (const own of [true, false]) {
      const told = of('DIRECTOR_DECIDED').filter(({ by }) => (by === 'lane') === own)
      expectAll(
        DECISIONS,
        told.map(({ decision }) => decision),
      )
    }
    const proposals = of('AHDB_DELTA').map(({ field, state }) => `${field} ${state}`)
    const wanted = 'drive proposed,believe proposed,believe refused,assert refused,hypothesize refused'
    expectAll(wanted.split(','), proposals)
  })

  test('both profiles, every state of the clock, keys of every purpose that is told, every origin', () => {
    expectAll(['embedded', 'cluster'], values('LANE_STARTED', 'profile'))
    expectAll(['suspected', 'confirmed', 'cleared'], values('CLOCK_SUSPECT', 'state'))
    expectAll(['reply-token', 'checkpoint', 'artifact'], values('KEY_ROTATED', 'purpose'))
    const origins = values('REQUEST_OPENED', 'origin') as readonly (undefined | { system: string })[]
    expectAll(
      ORIGIN_SYSTEMS,
      origins.map(origin => origin?.system),
    )
  })

  test('reasons, comments, defaults that were taken, contents whole and cut, copies that announce', () => {
    const text = entries.map(entry => JSON.stringify(entry.body)).join('\n')
    for (const part of [
      '"reason_hash":',
      '"comment_hash":',
      '"by":"default"',
      '"whole":true',
      '"whole":false',
      '"announces":true',
      '"urgency":"high"',
      '"urgency":"low"',
      '"urgency_asked":"high"',
      '"four_eyes":true',
      '"veto":false',
      '"uncertain":true',
      '"stands":false',
    ])
      expect([part, text.includes(part)], REMEDY).toEqual([part, true])
  })
})
