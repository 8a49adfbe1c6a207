// Ledgers written under rules 2, kept as they were written: every later program verifies and replays them. The pins stand
// here so that nobody makes one anew without changing this page.
import { describe, expect, test } from 'vitest'
import { canonical } from '../../src/canonical.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import { BODIES, DECISIONS, DELTA_CHARS, EVENT_TYPES, flawOf, OUTCOMES } from '../../src/event.js'
import { REASONS_OF } from '../../src/reason.js'
import { CHANNELS, PROOFS } from '../../src/request/channel.js'
import { REPLY_KINDS } from '../../src/request/reply-shape.js'
import { DEFAULT_ACTIONS } from '../../src/request/request.js'
import { CONTENT_RULES, ORIGIN_SYSTEMS, URGENCIES } from '../../src/request/terms.js'
import { keepAll, type Loose, type Pinned } from './kept.js'

/** For whoever has added something to rules 2. */
const REMEDY =
  'Rules 2 are fixed by test/vectors/ledgers/2/: what those hold stays valid for ever. Until a release has rules 2, something may still join them, with a further ledger in that folder that holds it, written by the program; from then on what is new needs new rules (src/rules.ts) with vectors of their own.'

const LEDGERS: Pinned = {
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
  crowd: ['5dd6f5ea2dbb88fe8403f75b20c9c8bcf6fd792709140b6cb69958d674e56f4a', 309, 3, 12, 0],
  'deadline-passed': ['4fc2ae0715c0cc4b3e7c0613d3c87d86b09d5870dbf6130c0a5f96f964b0fff7', 7, 1, 1, 0],
  'decision-answered': ['8d509d7accb2bd2eb37fa113546902b9d80c92880887079d42ed4515164397e7', 10, 1, 2, 0],
  deliveries: ['dd0bf53adbf886c155e341e85ef8da17ba0de8f7074abffa7bb0af1aa4469a58', 524, 53, 38, 2],
  duplicate: ['061eadeea6b2596c627d5140bd7b36013adbfa8d277050b10415a61042ca4ad5', 7, 1, 2, 0],
  edges: ['722008f72d08b1147e91ea7b0b8130527ba2fb7b10615bdb9785a284ff59a703', 246, 25, 24, 0],
  'escalated-early': ['d1cec6af943afa9e9c0fa8a5ae90f16821eff380bc27ee7f4b795442d711a59a', 10, 1, 0, 0],
  exhibits: ['da4812dcdf17978ba883f346513f88ace2a3c988972aa472020f438df631fb71', 120, 7, 5, 1],
  forms: ['964bbcb428cdaf4ece841954b3ecadae644bf7c95bfc3ce235507a984a64db6d', 80, 7, 10, 0],
  'four-eyes': ['df8552fdd965c33d836bc0bfa19b44f0b9afa49bd9f383139f7e24e44620ce0c', 18, 1, 2, 0],
  held: ['f292ae1d99bd4f2b57ab4fc22d8886022af99462f86a34dba3542622e20d10b1', 6, 1, 0, 0],
  kinds: ['9625c8ee2e12ada5ecd30038265df72809442d3adeb94c18107a41430d0491e6', 166, 18, 27, 0],
  linked: ['0d2649b650c53cdf0ded935daaac05c9f0291ea5c4b49a1a5c1fca1d9f7c82b8', 10, 1, 0, 0],
  named: ['e290d41d5a285bf1451ac2381c1883f25234dc3bf0ef8a37bd8a22edac7a12d5', 33, 2, 2, 0],
  'next-channel': ['643aca1e00346bd35d65fc5eb57d34aa3496347db60b92f6837602315b957114', 8, 1, 0, 0],
  'no-longer-approver': ['7f30df2ce9401f2e2c7f56f7f37fb29d986fbabc65f7ee421b8d295385ee1107', 12, 1, 2, 0],
  operated: ['cef2491c94c06a51a03a590ae902a739f72bc0ea303fb62112783be0e0041704', 53, 4, 1, 0],
  'out-of-office': ['da17f936f0943e8b9206106befe7c43298321daf97e4ffd6bc6482fb69ccba94', 11, 1, 3, 0],
  'passkey-attacks': ['f7593ae0dd75735af7478cc7578babab8d05b3ec82bd31118ecc33c51b3ce146', 24, 1, 7, 0],
  'passkey-by-operator': ['6a9ac0fcd491b605c9575edbb49c30fdc3d89ebf6dd424cf91a6fe03cec17987', 26, 3, 1, 0],
  'passkey-replayed': ['aeb1a323b5e0ce8aa8ec2d110025ee0df4f4114a2eaa7968870e4c1970163445', 13, 1, 3, 0],
  passkeys: ['dbe8cfa78561f9eea6eafba77904c01ec85cfa29168919509b2e7e1aa5edf8be', 83, 8, 6, 0],
  people: ['37fb1c764ade89ef3b00712e6d85ebfba7e894cf6ba90a953d500daa414c3d1b', 128, 9, 7, 0],
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

/** A request of this type may be answered so. */
const ASKED = ['QUESTION', 'REVIEW']
  .flatMap(type => REPLY_KINDS.map(kind => `REQUEST_${type} ${kind}`))
  .concat('REQUEST_APPROVAL yes_no', 'REQUEST_APPROVAL form')

const ledgers = keepAll('2', LEDGERS)

const sizeOf = (list: unknown): number => (list as readonly unknown[]).length
const isText = (value: unknown): boolean => typeof value === 'string'
const unitsOf = (text: unknown): number => String(text).length
const lengths = (texts: readonly unknown[]): readonly number[] => texts.map(text => [...String(text)].length)
/** What stands at the end of this path, where it leads anywhere; `*` for each of a list. */
const deep = (value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] => {
  if (step === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Array.isArray(value) ? value.flatMap(one => deep(one, rest)) : []
  return Object.hasOwn(value, step) ? deep((value as Record<string, unknown>)[step], rest) : []
}

describe('together the ledgers of rules 2 hold', () => {
  const entries = ledgers.flat()
  const of = (type: string): readonly Loose[] =>
    entries.filter(one => one.type === type).map(({ body }) => body)
  const values = (type: string, member: string): readonly unknown[] => of(type).map(body => body[member])
  const expectAll = (wanted: readonly string[], there: readonly unknown[]): void =>
    expect(
      wanted.filter(one => !there.includes(one)),
      REMEDY,
    ).toEqual([])
  /** The type of request and the kind of reply behind each entry of this type, with its body. */
  const behind = (type: string): readonly (readonly [string, Loose])[] =>
    ledgers.flatMap(ledger => {
      const asked = new Map<string, string>()
      return ledger.flatMap(one => {
        if (one.type === 'REQUEST_OPENED') {
          const { request } = one.body as unknown as { request: { type: string; reply_schema: ReplySchema } }
          asked.set(one.request_id ?? '', `${request.type} ${request.reply_schema.kind}`)
        }
        return one.type === type ? [[asked.get(one.request_id ?? '') ?? '', one.body] as const] : []
      })
    })

  test('every entry type that the program knows under rules 2, and no start under others', () => {
    expectAll(
      TYPES,
      entries.map(({ type }) => type),
    )
    expect(new Set(values('LANE_STARTED', 'rules'))).toEqual(new Set(['2']))
    for (const ledger of ledgers) expect(ledger[0]?.type).toBe('LANE_STARTED')
  })

  test('every reason that the program knows, and every kind of reply in every type of request: answered, refused, left to its default', () => {
    expectAll(REASONS_OF['2'], values('INBOUND_REPLY_REJECTED', 'reason'))
    for (const type of ['HUMAN_REPLY_EVENT', 'INBOUND_REPLY_REJECTED', 'TIMEOUT_RECEIPT'])
      expectAll(
        ASKED,
        behind(type).map(([asked]) => asked),
      )
  })

  test('every outcome of every type of request, by a form and without one, and every default that it may have', () => {
    const ends = behind('REQUEST_RESOLVED').map(([asked, { outcome }]) => `${asked} ${outcome}`)
    const both = ASKED.filter(asked => /yes_no|form/.test(asked))
    expectAll(
      both.flatMap(asked => OUTCOMES.map(outcome => `${asked} ${outcome}`)),
      ends,
    )
    const defaults = behind('TIMEOUT_RECEIPT').map(
      ([asked, { default_action }]) => `${asked.split(' ')[0]} ${default_action}`,
    )
    const wanted = ['REQUEST_QUESTION', 'REQUEST_REVIEW'].flatMap(type =>
      DEFAULT_ACTIONS.map(action => `${type} ${action}`),
    )
    const careful = ['DENY', 'HALT', 'QUARANTINE_OUTPUTS', 'DO_NOT_PUBLISH', 'DO_NOT_EXPORT']
    expectAll([...wanted, ...careful.map(action => `REQUEST_APPROVAL ${action}`)], defaults)
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

  /** A member of these bodies, where they have it; several steps deep. */
  const within = (type: string, ...path: readonly string[]): readonly unknown[] =>
    of(type).flatMap(body => deep(body, path))

  test('the longest and the shortest of what rules 2 let in, and the most and the fewest', () => {
    const asked = (values('REQUEST_OPENED', 'request') as readonly unknown[]).map(request => request as Loose)
    const askedOf = (...path: readonly string[]): readonly unknown[] => asked.flatMap(one => deep(one, path))
    const names = asked.flatMap(({ parameters }) => Object.keys(parameters ?? {}))
    const ids = ['question_id', 'review_id', 'approval_id'].flatMap(id => askedOf(id))
    const forms = askedOf('reply_schema').filter(one => (one as Loose).kind === 'form')
    const wanted: Readonly<Record<string, readonly [readonly unknown[], ...number[]]>> = {
      'ids of requests': [lengths(ids), 1, 128],
      'ids of runs': [lengths(within('REQUEST_OPENED', 'run', 'run_id')), 1, 128],
      'ids of work items': [lengths(within('REQUEST_OPENED', 'run', 'work_item_id')), 128],
      'ids of work items that are split': [lengths(within('DIRECTOR_DECIDED', 'work_item_id')), 128],
      'ids of people': [lengths(values('DELIVERY_STARTED', 'recipient')), 1, 128],
      'names of keys': [lengths(values('REQUEST_OPENED', 'asked_by')), 1, 64],
      'ids of spendings': [lengths(values('POLICY_TOKEN_SPENT', 'spend_id')), 128],
      'ids of providers’ messages': [lengths(within('HUMAN_REPLY_EVENT', 'provider_message_id')), 1, 200],
      'words of providers': [lengths(values('DELIVERY_STATUS', 'status')), 256],
      'references of origins': [lengths(within('REQUEST_OPENED', 'origin', 'ref')), 1, 200],
      questions: [lengths(askedOf('question_text')), 1, 500],
      impacts: [lengths(askedOf('impact')), 1, 500],
      whys: [lengths(askedOf('why')), 1, 500],
      'reasons of withdrawals': [lengths(values('REQUEST_WITHDRAWN', 'reason')), 1, 500],
      'reasons of revocations': [lengths(values('POLICY_TOKEN_REVOKED', 'reason')), 500],
      'names of actions': [lengths(askedOf('action')), 1, 64],
      'names of parameters': [lengths(names), 1, 64],
      parameters: [asked.map(({ parameters }) => Object.keys(parameters ?? {}).length), 1, 20],
      handles: [askedOf('context_handles').map(sizeOf), 0, 20],
      targets: [askedOf('target_handles').map(sizeOf), 1, 20],
      seconds: [askedOf('deadline_seconds'), 1, 2_592_000],
      'seconds of a right': [values('POLICY_TOKEN_ISSUED', 'valid_seconds'), 1, 86_400],
      options: [askedOf('reply_schema', 'options').map(sizeOf), 2, 26],
      'values of options': [lengths(askedOf('reply_schema', 'options', '*', 'value')), 1, 32],
      labels: [lengths(askedOf('reply_schema', 'options', '*', 'label')), 1, 75],
      'values that were chosen': [
        within('HUMAN_REPLY_EVENT', 'parsed_payload', 'selected').map(sizeOf),
        1,
        26,
      ],
      texts: [lengths(within('HUMAN_REPLY_EVENT', 'parsed_payload', 'text')), 1, 500],
      'texts, in UTF-16 units': [within('HUMAN_REPLY_EVENT', 'parsed_payload', 'text').map(unitsOf), 998],
      reasons: [askedOf('reply_schema', 'reason', 'max_chars'), 1, 500],
      'least numbers': [askedOf('reply_schema', 'min'), -999_999_999_999_999, 0.000001],
      'greatest numbers': [askedOf('reply_schema', 'max'), 999_999_999_999_999],
      numbers: [
        within('HUMAN_REPLY_EVENT', 'parsed_payload', 'number'),
        ...[999_999_999_999_999, -999_999_999_999_999, 0.000008, -0.5, 0],
      ],
      'units and leads': [
        lengths([...askedOf('reply_schema', 'unit'), ...askedOf('reply_schema', 'lead')]),
        ...[1, 32],
      ],
      'requests with a form, in bytes': [asked.map(one => Buffer.byteLength(canonical(one))), 65_536],
      decisions: [askedOf('reply_schema', 'decisions').map(sizeOf), 1, 50],
      'ids of decisions': [lengths(askedOf('reply_schema', 'decisions', '*', 'id')), 1, 32],
      prompts: [lengths(askedOf('reply_schema', 'decisions', '*', 'prompt')), 1, 500],
      descriptions: [lengths(askedOf('reply_schema', 'decisions', '*', 'description')), 2000],
      contexts: [lengths(askedOf('reply_schema', 'context')), 1, 2000],
      'descriptions of options': [
        lengths(askedOf('reply_schema', 'decisions', '*', 'options', '*', 'description')),
        ...[1, 200],
      ],
      'what waits': [forms.flatMap(one => deep(one as Loose, ['blocking'])).map(sizeOf), 0, 50],
      'decisions that are answered together': [
        within('HUMAN_REPLY_EVENT', 'parsed_payload', 'decisions').map(sizeOf),
        ...[1, 49],
      ],
      'decisions of an answer': [
        within('REQUEST_RESOLVED', 'answer', 'parsed_payload', 'decisions').map(sizeOf),
        ...[1, 50],
      ],
      'texts of a form': [
        lengths(
          within('REQUEST_RESOLVED', 'answer', 'parsed_payload', 'decisions', '*', 'value').filter(isText),
        ),
        ...[1, 500],
      ],
      recipients: [values('REQUEST_OPENED', 'recipients').map(sizeOf), 1, 10],
      steps: [within('REQUEST_OPENED', 'terms', 'ladder').map(sizeOf), 1, 10],
      'moments of steps': [
        within('REQUEST_OPENED', 'terms', 'ladder', '*', 'after_seconds'),
        ...[1, 2_591_999],
      ],
      'people of a step': [within('REQUEST_OPENED', 'terms', 'ladder', '*', 'recipients').map(sizeOf), 10],
      'people whom a step reached': [values('REQUEST_ESCALATED', 'to').map(sizeOf), 0, 10],
      'votes that are needed': [within('REQUEST_OPENED', 'terms', 'quorum', 'need'), 2, 10],
      electors: [within('REQUEST_OPENED', 'terms', 'electorate').map(sizeOf), 30],
      votes: [within('REQUEST_RESOLVED', 'answer', 'votes').map(sizeOf), 2, 10],
      contents: [within('REQUEST_OPENED', 'contents').map(sizeOf), 1, 20],
      'bytes of contents': [within('REQUEST_OPENED', 'contents', '*', 'size'), 0, 1, 65_536, 262_144],
      'characters of contents': [within('REQUEST_OPENED', 'contents', '*', 'chars'), 0, 1, 65_536],
      'places of contents': [within('DELIVERY_STARTED', 'contents', '*', 'shown').map(sizeOf), 0, 1, 2],
      'attempts of a delivery': [values('DELIVERY_STARTED', 'attempt'), 1, 2, 3],
      'attempts to call': [values('CALLBACK_ATTEMPTED', 'attempt'), 1, 10],
    }
    const missing = Object.entries(wanted).flatMap(([what, [there, ...all]]) =>
      all.filter(one => !there.includes(one)).map(one => `${what}: ${one}`),
    )
    expect(missing, REMEDY).toEqual([])
    // Of an answer to a form a delta may be longer than any other; fifty of the longest texts come to this.
    const own = values('AHDB_DELTA', 'delta').map(delta => JSON.stringify(delta).length)
    expect(Math.max(...own)).toBeGreaterThan(54_000)
    expect(own).toContain(DELTA_CHARS)
  })

  test('every member that may be absent or null, there and not', () => {
    const both: Readonly<Record<string, readonly [readonly unknown[], ...unknown[]]>> = {
      'attempts that failed for good': [values('DELIVERY_FAILED', 'final'), true, false],
      'with another attempt': [of('DELIVERY_FAILED').map(one => 'retry_at' in one), true, false],
      'copies that nobody knows of': [
        of('OUTBOUND_REQUEST_SENT').map(one => 'uncertain' in one),
        true,
        false,
      ],
      'closings that were edited': [values('DELIVERY_CLOSED', 'edited'), true, false],
      'reports that it stands': [values('DELIVERY_STATUS', 'stands'), true, false],
      'words of reports': [
        values('DELIVERY_STATUS', 'status'),
        ...['delivered', 'read', 'linked', 'key_revoked'],
      ],
      'statuses of a call': [values('CALLBACK_ATTEMPTED', 'status'), null, 200, 204, 307, 410, 429, 500],
      'codes of a call': [
        values('CALLBACK_ATTEMPTED', 'code'),
        ...[undefined, 'connection_failed', 'timed_out', 'gone', 'throttled', 'redirected', 'refused'],
      ],
      'calls that are made again': [of('CALLBACK_ATTEMPTED').map(one => 'next_at' in one), true, false],
      'the last call': [
        of('CALLBACK_ATTEMPTED').map(({ ok, final }) => `${ok} ${final}`),
        ...['true true', 'false true', 'false false'],
      ],
      'reminders with a token': [of('REQUEST_REMINDED').map(one => 'token_hash' in one), true, false],
      'steps before their moment': [
        values('REQUEST_ESCALATED', 'early'),
        undefined,
        'failed',
        'out_of_office',
      ],
      'contents that are text': [
        within('REQUEST_OPENED', 'contents', '*').map(one => (one as Loose).chars !== null),
        ...[true, false],
      ],
      'texts that are shown': [
        within('DELIVERY_STARTED', 'contents', '*').map(one => (one as Loose).chars !== null),
        ...[true, false],
      ],
      'names of contents': [
        within('DELIVERY_STARTED', 'contents', '*').map(one => (one as Loose).name !== null),
        ...[true, false],
      ],
      'rules of contents': [within('REQUEST_OPENED', 'terms', 'policy', 'content'), ...CONTENT_RULES],
      urgencies: [within('REQUEST_OPENED', 'terms', 'urgency'), ...URGENCIES],
      'defaults that are taken': [within('REQUEST_OPENED', 'terms', 'policy', 'take_defaults'), true],
      'votes with a reason': [
        within('REQUEST_RESOLVED', 'answer', 'votes', '*').map(one => 'reason_hash' in (one as Loose)),
        ...[true, false],
      ],
      'decisions with a comment': [
        within('REQUEST_RESOLVED', 'answer', 'parsed_payload', 'decisions', '*').map(
          one => 'comment_hash' in (one as Loose),
        ),
        ...[true, false],
      ],
      'where somebody is asked in their place': [of('RECIPIENT_AWAY').map(one => 'to' in one), true, false],
    }
    const missing = Object.entries(both).flatMap(([what, [there, ...all]]) =>
      all.filter(one => !there.includes(one)).map(one => `${what}: ${one}`),
    )
    expect(missing, REMEDY).toEqual([])
  })

  test('attempts that another took over, that nobody concluded, and that were concluded after the outcome', () => {
    type Attempt = { readonly seq: number; readonly place: string; readonly type: string }
    const found = ledgers.flatMap(ledger => {
      const resolved = new Map<string, number>()
      const tried: Attempt[] = []
      for (const { type, seq, request_id = '', body } of ledger) {
        if (type === 'REQUEST_RESOLVED') resolved.set(request_id, seq)
        const { delivery_id, attempt } = body
        if (/^(DELIVERY_STARTED|OUTBOUND_REQUEST_SENT|DELIVERY_FAILED)$/.test(type))
          tried.push({ seq, type, place: `${request_id} ${delivery_id} ${attempt}` })
      }
      const begun = tried.filter(({ type }) => type === 'DELIVERY_STARTED')
      const over = tried.filter(({ type }) => type !== 'DELIVERY_STARTED')
      return [
        ...begun.flatMap(one => {
          const end = over.find(({ place }) => place === one.place)
          const [request, delivery, attempt] = one.place.split(' ')
          const next = begun.find(({ place }) => place === `${request} ${delivery} ${Number(attempt) + 1}`)
          if (next === undefined) return []
          if (end === undefined) return ['never concluded, and made anew']
          return end.seq > next.seq ? ['concluded after the next had begun'] : []
        }),
        ...over.flatMap(({ type, place, seq }) =>
          seq > (resolved.get(place.split(' ')[0] ?? '') ?? Number.POSITIVE_INFINITY)
            ? [`${type} after the outcome`]
            : [],
        ),
      ]
    })
    expectAll(
      [
        'never concluded, and made anew',
        'concluded after the next had begun',
        'OUTBOUND_REQUEST_SENT after the outcome',
        'DELIVERY_FAILED after the outcome',
      ],
      found,
    )
  })

  test('no RAW_ERASED of no request: whoever erases words does it in the story they belong to', () => {
    for (const { type, request_id } of entries)
      if (type === 'RAW_ERASED') expect(request_id).toBeTypeOf('string')
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
