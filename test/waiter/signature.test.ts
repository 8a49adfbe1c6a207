// What we sign, the real package verifies; and what is changed, it refuses.
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { hashUrl, readSecrets, sign, webhookId } from '../../src/waiter/signature.js'

const OLD = `whsec_${Buffer.alloc(24, 3).toString('base64')}`
const NEW = `whsec_${Buffer.alloc(64, 5).toString('base64')}`
const keysOf = (text: string): readonly Uint8Array[] => {
  const keys = readSecrets(text)
  if (keys === null) throw new Error('not a secret')
  return keys
}
const BODY = '{"type":"request.resolved","data":{"text":"Möwe 🕊"}}'
const ID = webhookId('ship-4.2')
/** The package holds the timestamp against the machine's clock. */
const now = (): number => Date.now()

describe('a signature', () => {
  test('is taken by the standardwebhooks package', () => {
    const headers = sign(keysOf(OLD), ID, now(), BODY)
    expect(new Webhook(OLD).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  })

  test('of two secrets is taken by who knows either, and by nobody else', () => {
    const headers = sign(keysOf(`${OLD} ${NEW}`), ID, now(), BODY)
    for (const secret of [OLD, NEW]) expect(new Webhook(secret).verify(BODY, headers)).toBeDefined()
    const other = `whsec_${Buffer.alloc(24, 4).toString('base64')}`
    expect(() => new Webhook(other).verify(BODY, headers)).toThrow('No matching signature found')
  })

  test('does not hold for another body, id or time', () => {
    const headers = sign(keysOf(OLD), ID, now(), BODY)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    const forged = [
      [`${BODY} `, headers],
      [BODY, { ...headers, 'webhook-id': webhookId('ship-4.3') }],
      [BODY, { ...headers, 'webhook-timestamp': later }],
    ] as const
    for (const [body, claimed] of forged)
      expect(() => new Webhook(OLD).verify(body, claimed)).toThrow('No matching signature found')
  })

  test('is the one anybody computes by the specification', () => {
    expect(
      sign([Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')], 'msg_1', 1_614_265_330_999, '{}'),
    ).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1614265330',
      'webhook-signature': new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').sign(
        'msg_1',
        new Date(1_614_265_330_000),
        '{}',
      ),
    })
  })
})

describe('the id of a message', () => {
  test('is the same for a request for ever, another for another, and holds no full stop', () => {
    expect(webhookId('ship-4.2')).toBe(ID)
    expect(webhookId('ship-4.3')).not.toBe(ID)
    expect(ID).toMatch(/^msg_[0-9a-f]{32}$/)
  })
})

test('the hash of a URL is under a domain of its own', () => {
  expect(hashUrl('https://example.org/cb')).toBe(
    'sha256:8079fe4b3950b7792472ebd351a4eac711229b13d7d17e7d26661c233dd30863',
  )
})
