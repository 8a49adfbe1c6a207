// The provider's signature, held to its own published example and to its own library.
import fc from 'fast-check'
import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { isSigned, sign } from '../../adapters/sms/signature.js'

const TOKEN = '12345'
const URL_OF_EXAMPLE = 'https://mycompany.com/myapp.php?foo=1&bar=2'
const PARAMETERS = new URLSearchParams({
  CallSid: 'CA1234567890ABCDE',
  Caller: '+12349013030',
  Digits: '1234',
  From: '+12349013030',
  To: '+18005551212',
})
const posted = { url: URL_OF_EXAMPLE, parameters: PARAMETERS }
const SIGNATURE = '0/KCTR6DLpKmkAf8muzZqo1nDgQ='

describe('a signature', () => {
  test('[LANE-037] is the one of the published example, and no other', () => {
    expect(sign(TOKEN, posted)).toBe(SIGNATURE)
    expect(isSigned(TOKEN, posted, SIGNATURE)).toBe(true)
    for (const wrong of [undefined, '', SIGNATURE.slice(0, -1), SIGNATURE.toLowerCase(), `${SIGNATURE} `]) {
      expect(isSigned(TOKEN, posted, wrong)).toBe(false)
    }
    expect(isSigned('12346', posted, SIGNATURE)).toBe(false)
  })

  test('[LANE-037] covers the address, and every name and value', () => {
    expect(isSigned(TOKEN, { ...posted, url: `${URL_OF_EXAMPLE}&x=1` }, SIGNATURE)).toBe(false)
    expect(isSigned(TOKEN, { ...posted, url: URL_OF_EXAMPLE.replace('mycompany', 'other') }, SIGNATURE)).toBe(
      false,
    )
    for (const name of PARAMETERS.keys()) {
      const changed = new URLSearchParams(PARAMETERS)
      changed.set(name, `${PARAMETERS.get(name)}0`)
      const without = new URLSearchParams(PARAMETERS)
      without.delete(name)
      for (const parameters of [changed, without])
        expect(isSigned(TOKEN, { ...posted, parameters }, SIGNATURE)).toBe(false)
    }
  })

  test("is what the provider's own library makes and takes, for whatever is posted", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/)
    const values = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.dictionary(name, values, { maxKeys: 8 }), given => {
        const parameters = new URLSearchParams(
          Object.entries(given).flatMap(([key, each]) => each.map((value): [string, string] => [key, value])),
        )
        const theirs = Object.fromEntries(
          [...new Set(parameters.keys())].map(key => {
            const all = parameters.getAll(key)
            return [key, all.length === 1 ? (all[0] ?? '') : all]
          }),
        )
        const url = 'https://lane.example.org/sub/hooks/sms?handle=0123'
        const ours = sign(TOKEN, { url, parameters })
        expect(ours).toBe(twilio.getExpectedTwilioSignature(TOKEN, url, theirs))
        expect(twilio.validateRequest(TOKEN, ours, url, theirs)).toBe(true)
        expect(isSigned(TOKEN, { url, parameters }, ours)).toBe(true)
      }),
    )
  })

  test('holds whether or not the provider names the usual port', () => {
    const parameters = new URLSearchParams({ Body: 'Y 7K3F' })
    for (const [plain, named] of [
      ['https://lane.example.org/hooks/sms', 'https://lane.example.org:443/hooks/sms'],
      ['http://lane.example.org/hooks/sms', 'http://lane.example.org:80/hooks/sms'],
    ] as const) {
      const signature = sign(TOKEN, { url: named, parameters })
      expect(isSigned(TOKEN, { url: plain, parameters }, signature)).toBe(true)
    }
    const other = sign(TOKEN, { url: 'https://lane.example.org:8443/hooks/sms', parameters })
    expect(isSigned(TOKEN, { url: 'https://lane.example.org/hooks/sms', parameters }, other)).toBe(false)
  })
})
