// What a stranger, a broken client or an attacker may send. The lane runs in a process of its own, so that its memory
// can be measured and its death would be seen.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, type Link, question } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { speak } from './raw.js'
import { ALL, API_KEY, endAll, freshDirectory, type Launched, launch, memoryOf } from './rig.js'

const RUNS = ALL ? 3_000 : 400
/** Each of these stands in the story of one request, which is read whole at every one of them. */
const MOST_RECORDED = 400
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

const dataDir = join(freshDirectory(), 'data')
const journal = new Journal()
let lane: Launched
let client: Client
let link: Link
let stamp: string

beforeAll(async () => {
  lane = await launch({ dataDir, env: { LOG_LEVEL: 'warn' } })
  client = connect(lane.url, dataDir, journal, 64)
  await client.open('besieged')
  link = await client.link('besieged')
  stamp = await client.stamp(link)
})

afterAll(async () => {
  const unresolved = await client.call('GET', '/v1/requests/besieged')
  const output = lane.output()
  client.leave()
  await lane.stop()
  const entries = await expectKept(journal, readLines(dataDir))
  await endAll()
  // After everything in this file: still open, nothing logged as a surprise, nobody's answer on record.
  expect(unresolved.json.state).toBe('pending')
  expect(output).not.toMatch(/"level":(50|60)/)
  expect(entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toEqual([])
})

const known = (status: number): boolean => status >= 200 && status < 500

/** The lane's answers to generated input; every one of them must be its own, and none a 500. */
async function expectAnswered<T>(
  arbitrary: fc.Arbitrary<T>,
  send: (input: T) => Promise<number>,
  numRuns = RUNS,
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async input => known(await send(input)))
  await fc.assert(property, { numRuns })
}

describe('fuzzed input is never a 500', () => {
  const bodies = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.jsonValue().map(value => JSON.stringify({ request: value, run: value, recipients: value })),
    broken(question('fuzzed')),
  )

  test('bodies of a request', async () => {
    await expectAnswered(bodies, async body => {
      const { status, json } = await client.call('POST', '/v1/requests', { headers: JSON_TYPE, body })
      if (status === 201) journal.open(json.request_id as string, json.receipt as never)
      return status
    })
  }, 120_000)

  test('bodies of a withdrawal, of a key and of a blob', async () => {
    const routes = fc.constantFrom(
      ['POST', '/v1/requests/unknown/withdraw'],
      ['POST', '/v1/keys'],
      ['PUT', '/v1/blobs'],
    )
    await expectAnswered(fc.tuple(routes, bodies), async ([[method = '', path = ''], body]) => {
      return (await client.call(method, path, { headers: JSON_TYPE, body })).status
    })
  }, 120_000)

  test('forms of the reply page', async () => {
    const field = fc.tuple(
      fc.constantFrom('reply', 'code', 'csrf', 'other'),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.constant('yes'), fc.constant(link.code)),
    )
    // A right code with an understandable reply would be an answer; a wrong stamp keeps it from being one.
    const forms = fc.array(field, { maxLength: 8 }).map(fields => new URLSearchParams(fields).toString())
    const raw = fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes).toString('latin1'))
    const types = fc.constantFrom(
      FORM_TYPE,
      JSON_TYPE,
      { 'content-type': 'multipart/form-data; boundary=x' },
      {},
    )
    await expectAnswered(fc.tuple(fc.oneof(forms, raw), types), async ([body, headers]) => {
      const { status } = await client.call('POST', new URL(link.link).pathname, { key: false, headers, body })
      return status === 200 ? 500 : status
    })
  }, 120_000)

  test('replies with the right code: only the grammar’s own words are taken, and none of these is one', async () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.constantFrom(
        'yes but',
        'not yes',
        '“YES”',
        'YE\u017f',
        'ｙｅｓ',
        'yes\u200b',
        '> yes',
        'yes yes',
        'y\u0435s',
      ),
    )
    const meant = /^[ \t\r\n]*(yes|y|no|n)[.!]?[ \t\r\n]*$/i
    const meaningless = words.filter(text => !meant.test(text))
    await expectAnswered(
      meaningless,
      async text => {
        const { status } = await client.reply(link, stamp, text)
        return [413, 422].includes(status) ? status : 500
      },
      MOST_RECORDED,
    )
  }, 120_000)

  test('reply handles, paths and queries', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }).map(encode),
      fc.string({ maxLength: 60 }).map(text => text.replace(/[^\x21-\x7e]/g, '%')),
      fc.constantFrom(
        '..',
        '%2e%2e',
        '%00',
        '%',
        '%ff',
        'a'.repeat(5_000),
        new URL(link.link).pathname.slice(3),
      ),
    )
    const starts = fc.constantFrom(
      '/r/',
      '/v1/requests/',
      '/v1/ledger?from=',
      '/v1/requests?cursor=',
      '/v1/blobs/',
      '/',
    )
    await expectAnswered(
      fc.tuple(starts, piece, fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE')),
      async parts => {
        const [start, end, method] = parts
        const head = `${method} ${start}${end} HTTP/1.1\r\nhost: lane\r\nauthorization: Bearer ${API_KEY}\r\n`
        return speak(lane.url, `${head}content-length: 0\r\nconnection: close\r\n\r\n`)
      },
    )
  }, 120_000)

  test('headers', async () => {
    const name = fc.constantFrom(
      ...[
        'accept',
        'origin',
        'sec-fetch-site',
        'content-type',
        'content-length',
        'authorization',
        'last-event-id',
      ],
      ...[
        'x-forwarded-for',
        'x-forwarded-host',
        'host',
        'transfer-encoding',
        'content-encoding',
        'expect',
        'upgrade',
        'range',
      ],
    )
    const value = fc.string({ unit: 'binary', maxLength: 80 }).map(text => text.replace(/[\r\n\0]/g, ''))
    const headers = fc.array(fc.tuple(name, value), { maxLength: 12 })
    const target = fc.constantFrom(
      `POST ${new URL(link.link).pathname}`,
      'POST /v1/requests',
      'GET /v1/recipients',
    )
    await expectAnswered(fc.tuple(target, headers), async ([line, fields]) => {
      const head = fields.map(([field, text]) => `${field}: ${text}\r\n`).join('')
      const status = await speak(lane.url, `${line} HTTP/1.1\r\n${head}connection: close\r\n\r\n0\r\n\r\n`)
      // Node closes without a word where the start of the request cannot be read.
      return status === 0 ? 400 : status
    })
  }, 120_000)
})

/** A sound request with a few of its characters replaced, taken away or doubled. */
function broken(request: unknown): fc.Arbitrary<string> {
  const envelope = { request, run: { run_id: 'run-1', mood: 'DEFERENTIAL' }, recipients: ['operator'] }
  const text = JSON.stringify(envelope)
  const blow = fc.tuple(
    fc.nat(text.length - 1),
    fc.constantFrom('', '{', '}', '"', ',', ':', '\\', '\0', '0', 'é', '\\ud800'),
  )
  return fc
    .array(blow, { minLength: 1, maxLength: 4 })
    .map(blows => blows.reduce((all, [at, put]) => all.slice(0, at) + put + all.slice(at + 1), text))
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}

/** What speak() gives where the connection ended without an answer. */
const CUT_OFF = 0

describe('more than anybody needs', () => {
  test('10 000 headers, a header of a megabyte, an endless request line: refused, each within its own connection', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `x-${n}: ${n}\r\n`).join('')
    const large = `x-large: ${'a'.repeat(1_000_000)}\r\n`
    const told = (head: string) => speak(lane.url, `GET /v1/recipients HTTP/1.1\r\nhost: lane\r\n${head}\r\n`)
    expect(await told(`x-large: ${'a'.repeat(17_000)}\r\n`)).toBe(431)
    // The lane hangs up on what is still being sent, and with that the answer may be lost on its way.
    for (const head of [many, large]) expect([431, CUT_OFF]).toContain(await told(head))
    expect([400, 414, 431, CUT_OFF]).toContain(
      await speak(lane.url, `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: lane\r\n\r\n`),
    )
    expect((await client.call('GET', '/v1/recipients')).status).toBe(200)
  })

  test('a gzip bomb is not unpacked: its bytes are no JSON and no form, and as a blob they are only bytes', async () => {
    const before = memoryOf(lane)
    const bomb = gzipSync(Buffer.alloc(50_000_000)).toString('latin1')
    const packed = { 'content-encoding': 'gzip' }
    const call = (method: string, path: string, type: Record<string, string>) =>
      client.call(method, path, {
        headers: { ...type, ...packed },
        body: Buffer.from(bomb, 'latin1') as unknown as string,
      })
    const told = await Promise.all([
      ...Array.from({ length: 20 }, () => call('POST', '/v1/requests', JSON_TYPE)),
      ...Array.from({ length: 20 }, () => call('POST', new URL(link.link).pathname, FORM_TYPE)),
    ])
    for (const { status } of told) expect([400, 403, 413, 415]).toContain(status)
    const kept = await call('PUT', '/v1/blobs', { 'content-type': 'text/plain' })
    expect([201, 400, 415, 422]).toContain(kept.status)
    expect(memoryOf(lane) - before).toBeLessThan(100)
  })

  test('bodies without end, deep nesting and thousands of keys are refused, and the memory comes to a rest', async () => {
    const before = memoryOf(lane)
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const keys = `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":0`).join()}}`
    const huge = JSON.stringify({ request: 'a'.repeat(20_000_000) })
    for (const body of [deep, keys, huge]) {
      const told = await Promise.all(
        Array.from({ length: 20 }, () =>
          // The lane may close on a body it will not read: the client then learns it from the connection.
          client.call('POST', '/v1/requests', { headers: JSON_TYPE, body }).then(
            ({ status }) => status,
            () => 413,
          ),
        ),
      )
      for (const status of told) expect([400, 413, 422]).toContain(status)
    }
    expect(memoryOf(lane) - before).toBeLessThan(100)
  }, 60_000)
})
