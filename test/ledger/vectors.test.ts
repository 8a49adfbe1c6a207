// Ledgers written under rules 1, kept as they were written: every later program verifies and replays them. The pins stand
// here so that nobody makes one anew without changing this page.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Entry, EntryOf, EventType } from '../../src/event.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { replay } from '../../src/ledger/replay.js'
import type { RawReply } from '../../src/ledger/shelf.js'
import { verify } from '../../src/ledger/verify.js'

const FOLDER = new URL('../vectors/ledgers/1/', import.meta.url)

type Told = {
  readonly sha256: string
  /** Of the raw replies beside it. */
  readonly words: string
  readonly entries: number
  readonly cases: number
  readonly replies: number
  readonly erased: number
}
const LEDGERS: Readonly<Record<string, Told>> = {
  words: {
    sha256: '09e257b30a68dd8ad6fc2f84ff6e16871a10416e3f5aefe1695b86ef9de80d66',
    words: '82caf2115f51b7bee7e976c371211b7e53c11d17de9c9134c65b1fef02b23433',
    entries: 444,
    cases: 51,
    replies: 87,
    erased: 0,
  },
  edges: {
    sha256: 'a84b3075283e8b8e9487cf9e82fa6b01f8b490191a282d44131350bf01a7a320',
    words: 'ef335bdd38fee6d11fa6972144b237655d336ab2f5cd01592476f857726426cf',
    entries: 190,
    cases: 17,
    replies: 30,
    erased: 0,
  },
  rejections: {
    sha256: '5151b3147cfcccff4a751b83d1a98942362e2ce3d13aaa6a5b2285ce235ac645',
    words: '14ff9cf059629de392530d8867b8c38861e30d99dfcdd147a8b3aa3a30c38e7c',
    entries: 151,
    cases: 8,
    replies: 65,
    erased: 0,
  },
  deliveries: {
    sha256: 'aca638469c8486dfd4bb0e456e708b92b6b0ad9d2032aa56634412b8e4d5c16f',
    words: '25166aedbb0b13e9390ea3b1afd7bd36e641b1097df5ebedf4e786199ac39340',
    entries: 300,
    cases: 30,
    replies: 13,
    erased: 0,
  },
  direction: {
    sha256: '440e394f5676d4e6d7724fcb744ba44e2abd365385cadbe0e6a8bcad64c024f1',
    words: '7bca4cfae96ddeb7dbd807e4a717937f346a0f100d798cb701eb3735d9909f77',
    entries: 290,
    cases: 34,
    replies: 24,
    erased: 0,
  },
  clock: {
    sha256: 'a200b72f252a92a0817eaf506073e1a2493bc7a9cc97342fa6dc21b3ae066aa5',
    words: 'd4d9350f9f008a25d828fd1f87efa584037eb46da793048fb0e89cdc43c3b847',
    entries: 75,
    cases: 7,
    replies: 7,
    erased: 3,
  },
  served: {
    sha256: '17580bcccf1d0289380600c318c8157252e324add53203139f1f3b752fbc8b34',
    words: '2958dcd45f776ac985eb8a77778c4b3cfebfac1b025f0a5f14c3f6380fcb588d',
    entries: 144,
    cases: 16,
    replies: 22,
    erased: 2,
  },
  cluster: {
    sha256: '4bff38d4163b231f2a4843301974b0299611a387699ed1a4a05f88944e819093',
    words: 'f3c3cb4121684232371abd4297540190f56324229b4d60bd89c454a72eff18bc',
    entries: 137,
    cases: 15,
    replies: 21,
    erased: 2,
  },
  'cluster-clock': {
    sha256: '315b327d3022a33e64f98580f8cc20146c6f2b06b8d89f046a9e01c4f440510a',
    words: '6cb642d6bbf0f0d013046d1c2f0b5dc9e086e0444e1fc2c4d907d6994847ecc1',
    entries: 67,
    cases: 6,
    replies: 7,
    erased: 3,
  },
}

/** The types, reasons, kinds and so on of rules 1, spelt out: the program's own lists grow. */
const TYPES = [
  'LANE_STARTED',
  'KEY_ROTATED',
  'REQUEST_OPENED',
  'DELIVERY_STARTED',
  'OUTBOUND_REQUEST_SENT',
  'DELIVERY_FAILED',
  'DELIVERY_STATUS',
  'DELIVERY_CLOSED',
  'NOTICE_SENT',
  'INBOUND_REPLY_RECEIVED',
  'HUMAN_REPLY_EVENT',
  'INBOUND_REPLY_REJECTED',
  'TIMEOUT_RECEIPT',
  'REQUEST_WITHDRAWN',
  'REQUEST_RESOLVED',
  'DIRECTOR_DECIDED',
  'AHDB_DELTA',
  'POLICY_TOKEN_ISSUED',
  'POLICY_TOKEN_SPENT',
  'POLICY_TOKEN_REVOKED',
  'CALLBACK_REGISTERED',
  'CALLBACK_ATTEMPTED',
  'RECIPIENT_LINKED',
  'RAW_ERASED',
  'CLOCK_SUSPECT',
]
const REASONS = [
  'rate_limited',
  'token_malformed',
  'token_unknown_key',
  'token_bad_signature',
  'request_mismatch',
  'schema_mismatch',
  'automated_message',
  'unknown_sender',
  'sender_unauthenticated',
  'wrong_recipient',
  'proof_insufficient',
  'duplicate_message',
  'already_resolved',
  'deadline_passed',
  'token_expired',
  'token_replayed',
  'code_mismatch',
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
]
const KINDS = ['yes_no', 'choice', 'multi_choice', 'text', 'number', 'date']
const ASKED = [
  ...['REQUEST_QUESTION', 'REQUEST_REVIEW'].flatMap(type => KINDS.map(kind => `${type} ${kind}`)),
  'REQUEST_APPROVAL yes_no',
]
const PROOFS = ['slack_signed', 'telegram_id', 'dmarc', 'web_session', 'console', 'link_code', 'sms_from']
const CHANNELS = ['slack', 'email', 'telegram', 'sms', 'web']
const PROPOSALS = [
  'drive proposed',
  'believe proposed',
  'believe refused',
  'assert refused',
  'hypothesize refused',
]
const DEFAULTS = [
  'HALT',
  'SPLIT',
  'DOWNGRADE_TO_HYPOTHESIS',
  'QUARANTINE_OUTPUTS',
  'DENY',
  'DO_NOT_PUBLISH',
  'DO_NOT_EXPORT',
]

const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8')
const linesOf = (file: string): string[] => read(file).trimEnd().split('\n').filter(Boolean)
const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(new URL(file, FOLDER)))
    .digest('hex')

/** As GET /v1/raw-replies gives them. */
function wordsOf(name: string): (replyId: string) => RawReply | null {
  const all = linesOf(`${name}.raws.ndjson`).map(line => JSON.parse(line) as RawReply & { salt: string })
  const kept = new Map(all.map(reply => [reply.reply_id, reply]))
  return replyId => {
    const reply = kept.get(replyId)
    return reply === undefined ? null : { ...reply, salt: Buffer.from(reply.salt, 'base64url') }
  }
}

describe.each(Object.entries(LEDGERS))('the ledger %s of rules 1', (name, told) => {
  test('is the one that was written then', () => {
    expect([hashOf(`${name}.ndjson`), hashOf(`${name}.raws.ndjson`)]).toEqual([told.sha256, told.words])
  })

  test('verifies', async () => {
    const { ok, entries, problems } = await verify(linesOf(`${name}.ndjson`))
    expect({ ok, entries, problems }).toEqual({ ok: true, entries: told.entries, problems: [] })
  })

  test('replays: every reply that was not erased is read again, to the same end', async () => {
    const { cases, replies, erased } = told
    expect(await replay(linesOf(`${name}.ndjson`), wordsOf(name))).toEqual({
      ok: true,
      cases,
      replies,
      erased,
      absent: 0,
      problems: [],
      beyond: null,
    })
  })
})

describe('together the ledgers of rules 1 hold', () => {
  const entries = Object.keys(LEDGERS).flatMap(name => linesOf(`${name}.ndjson`).map(parseEntry))
  const of = <T extends EventType>(type: T): EntryOf<T>[] =>
    entries.filter((entry: Entry): entry is EntryOf<T> => entry.type === type)
  const expectAll = (wanted: readonly string[], there: readonly (string | null | undefined)[]): void =>
    expect(wanted.filter(one => !there.includes(one))).toEqual([])
  const asked = new Map(
    of('REQUEST_OPENED').map(({ hash, body }) => {
      const { type, reply_schema } = body.request as { type: string; reply_schema: { kind: string } }
      return [hash, `${type} ${reply_schema.kind}`]
    }),
  )
  /** The request type and reply kind behind each entry of a type; request ids repeat from ledger to ledger. */
  function behind(type: EventType): string[] {
    let open = new Map<string, string>()
    return entries.flatMap(entry => {
      if (entry.seq === 0) open = new Map()
      if (entry.type === 'REQUEST_OPENED') open.set(entry.request_id ?? '', asked.get(entry.hash) ?? '')
      return entry.type === type ? [open.get(entry.request_id ?? '') ?? ''] : []
    })
  }

  test('files that are all pinned here', () => {
    const pinned = Object.keys(LEDGERS).flatMap(name => [`${name}.ndjson`, `${name}.raws.ndjson`])
    expect(readdirSync(FOLDER).sort()).toEqual(['README.md', ...pinned].sort())
  })

  test('every entry type', () => {
    const types = entries.map(({ type }) => type)
    expectAll(TYPES, types)
  })

  test('every reply kind in every request type that allows it: answered, refused, and left to its default', () => {
    expectAll(ASKED, behind('HUMAN_REPLY_EVENT'))
    expectAll(ASKED, behind('INBOUND_REPLY_REJECTED'))
    expectAll(ASKED, behind('TIMEOUT_RECEIPT'))
  })

  test('every reason a reply was turned away for, and every proof and channel of one that was not', () => {
    const rejected = of('INBOUND_REPLY_REJECTED').map(({ body }) => body.reason)
    const answers = of('REQUEST_RESOLVED').map(({ body }) => body.answer)
    expectAll(REASONS, rejected)
    expectAll(
      PROOFS,
      answers.map(answer => answer?.proof),
    )
    expectAll(
      CHANNELS,
      answers.map(answer => answer?.channel),
    )
    expectAll(
      ['YES', 'NO'],
      answers.map(answer => answer?.parsed_choice),
    )
  })

  test('every outcome and every default action', () => {
    const resolved = of('REQUEST_RESOLVED').map(({ body }) => body)
    const outcomes = resolved.map(({ outcome }) => outcome)
    const applied = resolved.map(({ default_action }) => default_action)
    expectAll(['answered', 'defaulted', 'undelivered', 'withdrawn'], outcomes)
    expectAll(DEFAULTS, applied)
  })

  test('every decision, of the lane and of another director, and every proposal, taken and refused', () => {
    const moves = ['CONTINUE', 'CHANGE_MOOD', 'SPLIT', 'HALT']
    const decided = of('DIRECTOR_DECIDED').map(({ body }) => body)
    const proposed = of('AHDB_DELTA').map(({ body }) => `${body.field} ${body.state}`)
    for (const own of [true, false]) {
      const told = decided.filter(({ by }) => (by === 'lane') === own).map(({ decision }) => decision)
      expectAll(moves, told)
    }
    expectAll(PROPOSALS, proposed)
  })

  test('both profiles, starts after the first, and a clock that was suspected, confirmed and cleared', () => {
    const starts = of('LANE_STARTED')
    const profiles = starts.map(({ body }) => body.profile)
    const suspicions = of('CLOCK_SUSPECT').map(({ body }) => body.state)
    expectAll(['embedded', 'cluster'], profiles)
    expectAll(['suspected', 'confirmed', 'cleared'], suspicions)
    expect(starts.filter(({ seq }) => seq > 0)).not.toEqual([])
    for (const { body } of starts) expect(Object.keys(body)).not.toContain('rules')
  })
})
