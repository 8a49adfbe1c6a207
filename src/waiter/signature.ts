// Callbacks are signed as Standard Webhooks 1.0.0 says: HMAC-SHA256 over `{id}.{timestamp}.{body}`, symmetric `v1`.
//
// WS1  Neither id nor timestamp holds a full stop, so that the three parts can be told apart.
// WS2  Several secrets make several signatures, and each alone is enough: receivers change over one after the other.
import { createHmac } from 'node:crypto'
import { type Hash, hashOf, sha256 } from '../canonical.js'

const PREFIX = 'whsec_'
/** Bounds of the specification: fewer bytes could be searched for, more add nothing to SHA-256. */
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
/** The old one and the new one; a third is a rotation that was never finished. */
const MAX_SECRETS = 2

export const SECRETS_WORDS =
  `${PREFIX} and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} random bytes in base64 ` +
  `(openssl rand -base64 32); during a change ${MAX_SECRETS} of them with a blank between`

/** The keys behind LANE_WEBHOOK_SECRET, or null if it is not as SECRETS_WORDS says. */
export function readSecrets(text: string): readonly Uint8Array[] | null {
  const keys = text.split(/\s+/).map(readSecret)
  return keys.length <= MAX_SECRETS && keys.every(key => key !== null) ? keys : null
}

function readSecret(text: string): Uint8Array | null {
  if (!text.startsWith(PREFIX)) return null
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Node's decoder skips characters that are not base64; only a text it writes back the same was read whole.
  if (bytes.toString('base64') !== encoded) return null
  return bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : null
}

type Signed = {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

export function sign(keys: readonly Uint8Array[], id: string, ms: number, body: string): Signed {
  const timestamp = String(Math.floor(ms / 1000))
  const signatures = keys.map(
    key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** The same for every attempt, so that a receiver recognises a repetition. A request id may hold a full stop; this
 *  may not. */
export const webhookId = (requestId: string): string =>
  `msg_${sha256('lane/webhook/v1\n', requestId).slice(7, 39)}`

/** The URL's hash for the ledger: it shows whether the one on the shelf was changed, and gives away no secret. */
export const hashUrl = (url: string): Hash => hashOf('lane/callback/v1', url)
