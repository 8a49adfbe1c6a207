// Out by SMTP, against a real server that also refuses, hangs and hangs up: what the lane is told is what happened.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authenticate } from 'mailauth'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emailAdapter } from '../../adapters/email/index.js'
import type { Adapter, Outbound, Sent } from '../../src/adapter/contract.js'
import { ALL } from '../faults/rig.js'
import { certificate } from '../waiter/certificate.js'
import { type PostOffice, raisePostOffice } from './post-office.js'
import { display, HANDLE, outbound } from './samples.js'

let office: PostOffice
beforeEach(async () => {
  office = await raisePostOffice()
})
afterEach(() => office.close())

const variables = (more: Record<string, string> = {}): Record<string, string> => ({
  SMTP_URL: office.url,
  EMAIL_FROM: 'Interrupt Lane <lane@lane.test>',
  EMAIL_WEBHOOK_SECRET: 'a secret of more than 24 characters',
  ...more,
})
const adapter = (more: Record<string, string> = {}, ca?: string): Adapter =>
  emailAdapter(
    {
      variables: variables(more),
      publicUrl: () => 'https://lane.example.org',
      say: () => undefined,
      stamp: value => `stamped ${value}`,
    },
    ca === undefined ? {} : { ca },
  )
const send = (more: Partial<Outbound> = {}, by = adapter()): Promise<Sent> =>
  by.send(display, { ...outbound, ...more })

describe('a mail that is taken', () => {
  test('[LANE-032] goes to the person, from the lane, with the reply handle where replies and bounces bring it back', async () => {
    const sent = await send()
    const [letter, ...more] = await office.letters()
    expect(more).toEqual([])
    const back = `lane+${HANDLE}@lane.test`
    expect(letter?.envelope).toEqual({ from: back, to: ['owner@people.test'] })
    expect(letter?.header('reply-to')).toBe(`Interrupt Lane <${back}>`)
    expect(letter?.header('from')).toBe('Interrupt Lane <lane@lane.test>')
    expect(letter?.header('to')).toBe('owner@people.test')
    expect(letter?.header('auto-submitted')).toBe('auto-generated')
    expect(letter?.header('date')).toBe('Mon, 16 Nov 2026 12:00:00 +0000')
    expect(letter?.header('content-type')).toMatch(/^multipart\/alternative/)
    expect([letter?.email.text, letter?.email.html]).toEqual([
      expect.stringContaining('Reply YES or NO.'),
      expect.stringContaining('Reply YES or NO.'),
    ])
    expect(sent).toEqual({ kind: 'sent', ref: letter?.header('message-id') })
  })

  test('that only announces has no reply handle anywhere: neither in an address nor in the text', async () => {
    const sent = await send({ reply: null })
    const [letter] = await office.letters()
    expect(letter?.envelope.from).toBe('lane@lane.test')
    expect(letter?.header('reply-to')).toBe('Interrupt Lane <lane@lane.test>')
    expect(letter?.header('message-id')).toBe(sent.kind === 'sent' && sent.ref)
    expect(letter?.raw.toString()).not.toMatch(new RegExp(`${HANDLE}|LANE-|Reply above`))
  })

  test('that could be answered and cannot show the command it approves does not leave', async () => {
    const prompt = { ...display, type: 'REQUEST_APPROVAL', action: 'USE_TOOL', impact: null } as const
    expect(await adapter().send(prompt, outbound)).toEqual({
      kind: 'failed',
      code: 'too_long_here',
      retryable: false,
    })
    expect(await office.letters()).toEqual([])
  })

  test('keeps its Message-ID when the attempt is repeated with another handle, and has another for another delivery', async () => {
    const first = await send()
    const again = await send({ attempt: 2, reply: { handle: 'z'.repeat(26), code: '7K3FQ2M' } })
    const other = await send({ delivery_id: 'd-ffffffffffffffffffffffff' })
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  test('has another Message-ID where the mails before can be answered no more, or only announced', async () => {
    const first = await send()
    const kinds = [first, await send({ attempt: 2, voided: 1 }), await send({ reply: null })]
    expect(new Set(kinds.map(sent => JSON.stringify(sent))).size).toBe(3)
  })

  test('is known by the id its server says it gave it', async () => {
    office.mood = { kind: 'rename', id: '<DB9.Renamed@EURPRD.prod.example>' }
    expect(await send()).toEqual({ kind: 'sent', ref: '<DB9.Renamed@EURPRD.prod.example>' })
  })

  test.each([
    ['lane@lane.test', `lane+${HANDLE}@lane.test`],
    ['lane+@lane.test', `lane+${HANDLE}@lane.test`],
    ['lane-@lane.test', `lane-${HANDLE}@lane.test`],
    ['replies@in.lane.test', `replies+${HANDLE}@in.lane.test`],
  ])('EMAIL_REPLY_TO %s is written to as %s', async (EMAIL_REPLY_TO, expected) => {
    await send({}, adapter({ EMAIL_REPLY_TO }))
    expect((await office.letters())[0]?.header('reply-to')).toContain(`<${expected}>`)
  })

  test('many go out over few connections', async () => {
    const by = adapter({ SMTP_URL: `${office.url}&connections=3&rate=1000` })
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, at) => send({ delivery_id: `d-${at}` }, by)),
    )
    expect(sent.every(({ kind }) => kind === 'sent')).toBe(true)
    expect(office.kept).toHaveLength(30)
    expect(office.sessions.length).toBeLessThanOrEqual(3)
  })

  test('more than the rate allows turn back with nothing sent, and may be tried again', async () => {
    const by = adapter({ SMTP_URL: `${office.url}&rate=2` })
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send({ delivery_id: `d-${at}` }, by)),
    )
    const busy = sent.filter(({ kind }) => kind === 'failed')
    expect(busy.length).toBeGreaterThan(5)
    expect(busy).toEqual(
      busy.map(() => ({ kind: 'failed', code: 'smtp_busy', retryable: true, retry_after_ms: 3_000 })),
    )
    expect(office.kept).toHaveLength(sent.length - busy.length)
  })

  test('is signed where a key is given, so that a receiver with the published key says pass', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'dkim-'))
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(join(dir, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const url = `${office.url}&dkim_selector=lane&dkim_key=${encodeURIComponent(join(dir, 'key.pem'))}`
    await send({}, adapter({ SMTP_URL: url }))
    rmSync(dir, { recursive: true })
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const zone: Record<string, string[][]> = {
      'lane._domainkey.lane.test': [[`v=DKIM1; k=rsa; p=${key}`]],
      '_dmarc.lane.test': [['v=DMARC1; p=reject']],
    }
    const resolver = async (name: string): Promise<string[][]> => {
      const found = zone[name]
      if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return found
    }
    const seen = await authenticate(office.kept[0]?.raw ?? '', {
      resolver,
      disableBimi: true,
      disableArc: true,
    })
    expect(seen.dkim.results[0]?.status.result).toBe('pass')
    expect(seen.dmarc ? seen.dmarc.status.result : null).toBe('pass')
  })
})

describe('a mail that is not taken', () => {
  test.each([
    ['rcpt', 450, true],
    ['rcpt', 550, false],
    ['data', 451, true],
    ['data', 554, false],
  ] as const)(
    'the server says no at %s with %i: failed, to be tried again %s',
    async (at, code, retryable) => {
      office.mood = { kind: 'refuse', at, code }
      expect(await send()).toEqual({ kind: 'failed', code: `smtp_${code}`, retryable })
      expect(office.kept).toEqual([])
    },
  )

  test('a server that refuses one mail takes the next', async () => {
    const by = adapter()
    office.mood = { kind: 'refuse', at: 'rcpt', code: 450 }
    await send({}, by)
    office.mood = { kind: 'kind' }
    expect((await send({}, by)).kind).toBe('sent')
  })

  test('a silent server: failed while it can have nothing, uncertain once it may have the mail; never both', {
    skip: !ALL,
    timeout: 20_000,
  }, async () => {
    const places = ['greeting', 'rcpt', 'data'] as const
    const offices = await Promise.all(places.map(() => raisePostOffice()))
    const sent = await Promise.all(
      offices.map((one, at) => {
        one.mood = { kind: 'hang', at: places[at] ?? 'data' }
        return send({}, adapter({ SMTP_URL: one.url }))
      }),
    )
    const nothing = { kind: 'failed', code: 'smtp_timeout', retryable: true }
    const ref = expect.stringMatching(/^<lane\.[0-9a-f]{32}@lane\.test>$/)
    expect(sent).toEqual([nothing, nothing, { kind: 'uncertain', ref }])
    for (const one of offices) one.mood = { kind: 'kind' }
    expect(offices.map(({ kept }) => kept)).toEqual([[], [], []])
    await Promise.all(offices.map(one => one.close()))
  })

  test('a server that trickles its replies is left, with nothing sent', {
    skip: !ALL,
    timeout: 20_000,
  }, async () => {
    const said: string[] = []
    const trickling = createServer(socket => {
      socket.write('220 slow.test ESMTP\r\n')
      const more = setInterval(() => socket.write('250-SLOW\r\n'), 500)
      socket.on('data', chunk => said.push(chunk.toString()))
      socket.on('close', () => clearInterval(more)).on('error', () => undefined)
    })
    await new Promise<void>(resolve => trickling.listen(0, '127.0.0.1', resolve))
    const { port } = trickling.address() as AddressInfo
    const sent = await send({}, adapter({ SMTP_URL: `smtp://127.0.0.1:${port}?tls=off` }))
    expect(sent).toEqual({ kind: 'failed', code: 'smtp_timeout', retryable: true })
    expect(said.join('')).not.toContain('DATA')
    trickling.close()
  })

  test.each([true, false])(
    'a server that hangs up after the whole mail may have it (it has: %s): uncertain',
    async kept => {
      office.mood = { kind: 'drop', kept }
      expect((await send()).kind).toBe('uncertain')
      expect(office.kept).toHaveLength(kept ? 1 : 0)
    },
  )

  test('nobody there: failed, to be tried again', async () => {
    await office.close()
    expect(await send()).toEqual({ kind: 'failed', code: 'smtp_unreachable', retryable: true })
    office = await raisePostOffice()
  })

  test('a login that is refused is the operator’s to mend: failed, to be tried again', async () => {
    await office.close()
    office = await raisePostOffice({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    const SMTP_URL = office.url.replace('//', '//lane:wrong@')
    expect(await send({}, adapter({ SMTP_URL }))).toMatchObject({
      kind: 'failed',
      code: 'smtp_login_refused',
      retryable: true,
    })
  })
})

describe('encryption', () => {
  const { key, cert } = certificate('localhost')
  const encrypted = (): string => `smtp://localhost:${office.port}`

  test('without it nothing is sent: a server that offers no STARTTLS gets no mail', async () => {
    const SMTP_URL = encrypted()
    expect(await send({}, adapter({ SMTP_URL }))).toMatchObject({ kind: 'failed', retryable: true })
    expect(office.kept).toEqual([])
  })

  test('a certificate nobody vouches for gets no mail; one that is trusted does', async () => {
    await office.close()
    office = await raisePostOffice({ disabledCommands: [], key, cert })
    const SMTP_URL = encrypted()
    expect(await send({}, adapter({ SMTP_URL }))).toMatchObject({ kind: 'failed', retryable: true })
    expect(office.kept).toEqual([])
    expect((await send({}, adapter({ SMTP_URL }, cert))).kind).toBe('sent')
  })
})
