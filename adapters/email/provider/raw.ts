// Any mail server that can run a program: it posts the message as it came, with the time in X-Lane-Timestamp and in
// X-Lane-Signature the HMAC-SHA256 over time, dot and message, in lower-case hexadecimal.
import { createHmac } from 'node:crypto'
import { isSame, type Provider, readTimestamp, untilOf } from './provider.js'

export const raw: Provider = ({ bytes, headers }, secret, now) => {
  const [timestamp, signature] = [headers['x-lane-timestamp'], headers['x-lane-signature']]
  const at = readTimestamp(timestamp, now)
  if (at === null) return null
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(bytes).digest()
  return isSame(signature, expected) ? { once: `raw ${signature}`, until: untilOf(at), mail: bytes } : null
}
