// docs/spec/reply-token.md, held to the code: its example is recomputed, by our rooms and past them.
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign,
  verify as verifySignature,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { canonical } from '../../src/canonical.js'
import { REASONS } from '../../src/reason.js'
import { PROOFS } from '../../src/request/channel.js'
import { display, hashDisplay } from '../../src/request/display.js'
import { hashRequest, type Request } from '../../src/request/request.js'
import { hashReplySchema } from '../../src/request/schema-hash.js'
import { keepPageCode, keepReplyCode, writePageCode, writeReplyCode } from '../../src/token/code.js'
import { hashToken } from '../../src/token/jws.js'
import { hashHandle, writeHandle } from '../../src/token/reply-handle.js'
import { mint, type ReplyClaims, verify } from '../../src/token/reply-token.js'
import { START } from '../lane/stage.js'
import { exampleRing } from './example-ring.js'
import { macOf, openShelf } from './ring.js'

const page = readFileSync(new URL('../../docs/spec/reply-token.md', import.meta.url), 'utf8')
function block(name: string): string {
  const found = new RegExp(`\`\`\`(?:json|text) ${name}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1]
  if (found === undefined) throw new Error(`the page has no block ${name}`)
  return found
}
const key = JSON.parse(block('key')) as { kty: string; crv: string; d: string; x: string }
const request = JSON.parse(block('request')) as Request
const claims = JSON.parse(block('claims')) as ReplyClaims & { iss: string; aud: string }
const token = block('token')
const kept = JSON.parse(block('kept')) as Record<string, string>
const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

const opened = openShelf()
afterAll(opened.close)

describe('the example of docs/spec/reply-token.md', () => {
  test('its claims bind the request, its schema and what was shown', () => {
    const facts = {
      request,
      request_hash: hashRequest(request),
      run: { run_id: 'run-9', mood: 'DEFERENTIAL' },
      deadline_at: '2026-11-01T13:00:00.000Z',
      // It was opened under rules 1.
      terms: null,
      asked_by: null,
      origin: null,
    } as const
    const shown = display(facts, 'release pipeline')
    expect(claims).toMatchObject({
      rqh: hashRequest(request),
      rsh: hashReplySchema(request.reply_schema),
      dsh: hashDisplay(shown),
      exp: Date.parse('2026-11-01T13:00:00.000Z') / 1000,
    })
  })

  test('our mint makes exactly this token, and our verify reads these claims from it', async () => {
    const { iss: _iss, aud: _aud, ...ours } = claims
    const ring = await exampleRing(opened.shelf, key, KID)
    expect(await mint(ring, ours)).toBe(token)
    expect(await verify(ring, token, START)).toEqual({ ok: true, claims: ours })
  })

  test('so does a reader who has this page and an Ed25519 library alone', () => {
    const [head = '', body = '', signature = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      typ: 'lane-reply+jwt',
      kid: KID,
    })
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual(claims)
    const input = Buffer.from(`${head}.${body}`)
    const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' })
    expect(verifySignature(null, input, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(sign(null, input, createPrivateKey({ key, format: 'jwk' })).toString('base64url')).toBe(signature)
  })

  test('the kid is the thumbprint of the key', () => {
    const members = `{"crv":"${key.crv}","kty":"${key.kty}","x":"${key.x}"}`
    expect(createHash('sha256').update(members).digest('base64url')).toBe(KID)
    expect(page).toContain(KID)
  })

  test('handles, codes and what is kept of them are as the page says, by our code and by its formulas', () => {
    const bytes = (length: number, from = 0) => new Uint8Array(length).map((_, index) => from + index)
    const [page_handle, reply_handle] = [writeHandle(bytes(17)), writeHandle(bytes(17, 17))]
    const page_code = writePageCode(new Uint8Array([0xab, 0xcd, 0xef]))
    const reply_code = writeReplyCode(new Uint8Array([0xab, 0xcd, 0xef, 0x01, 0x23]))
    expect(kept).toEqual({
      page_handle,
      page_code,
      reply_handle,
      reply_code,
      token_hash: hashToken(token),
      page_handle_hash: hashHandle(page_handle),
      reply_handle_hash: hashHandle(reply_handle),
      page_code_hash: keepPageCode(macOf(0x40), hashHandle(page_handle), page_code),
      reply_code_hash: keepReplyCode(macOf(0x40), 'sms', 'release-owner', reply_code),
    })
    const sha = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
    const hmac = (text: string) =>
      `hmac:${createHmac('sha256', Buffer.alloc(32, 0x40)).update(text).digest('hex')}`
    expect(kept).toMatchObject({
      token_hash: sha(token),
      page_handle_hash: sha(`lane/handle/v1\n${page_handle}`),
      page_code_hash: hmac(`lane/code/v2\npage\n${kept.page_handle_hash}\n${page_code}`),
      reply_code_hash: hmac(`lane/code/v2\nreply\nsms\nrelease-owner\n${reply_code}`),
    })
    expect(claims.rsh).toBe(sha(`lane/reply-schema/v1\n${canonical(request.reply_schema)}`))
  })
})

describe('the tables of the page', () => {
  test('the checks stand in the order in which they are made', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| ([a-z_]+) \|/gm)]
    expect(rows.map(([, number]) => Number(number))).toEqual(REASONS.map((_, index) => index + 1))
    expect(rows.map(([, , check]) => check)).toEqual([...REASONS])
  })

  test('the claims are those of the token', () => {
    const section = page.slice(page.indexOf('| claim |'), page.indexOf('All of them are required'))
    const rows = [...section.matchAll(/^\| ([a-z]{2,3}) \|/gm)].map(([, claim]) => claim)
    expect(rows).toEqual(Object.keys(claims))
  })

  test('the proofs that need a code are proofs', () => {
    expect(PROOFS).toEqual(expect.arrayContaining(['link_code', 'console']))
  })
})
