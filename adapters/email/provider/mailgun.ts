// Mailgun's forward() route to an address that ends in `mime`: a form with the raw message in `body-mime`, and beside it
// timestamp, token and the HMAC-SHA256 over both. The message itself is not signed, so nothing of it is believed for
// having come this way: it is authenticated like any other mail.
import { createHmac } from 'node:crypto'
import { type Fields, readFields } from './form.js'
import { isSame, type Provider, readTimestamp, untilOf } from './provider.js'

/** Without dot and control character, so text signed here never passes as text signed for another provider. */
const TOKEN = /^[0-9A-Za-z]{50}$/

const text = (fields: Fields, name: string): string | undefined => fields.get(name)?.toString('latin1')

export const mailgun: Provider = ({ bytes, headers }, secret, now) => {
  const fields = readFields(bytes, headers['content-type'] ?? '')
  if (fields === null) return null
  const [timestamp, token = '', signature] = ['timestamp', 'token', 'signature'].map(name =>
    text(fields, name),
  )
  const at = readTimestamp(timestamp, now)
  if (at === null || !TOKEN.test(token)) return null
  const expected = createHmac('sha256', secret).update(`${timestamp}${token}`).digest()
  if (!isSame(signature, expected)) return null
  return { once: `mailgun ${token}`, until: untilOf(at), mail: fields.get('body-mime') ?? null }
}
