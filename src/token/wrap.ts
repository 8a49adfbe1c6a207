// Secrets at rest are wrapped under one secret of the installation: AES-256-GCM, a key per label by HKDF.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Secret = { readonly bytes: Uint8Array }

const keyFor = (secret: Secret, label: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret.bytes, 'interrupt-lane', label, 32))

export function wrap(secret: Secret, label: string, plain: Uint8Array, nonce: Uint8Array): Uint8Array {
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`a nonce has ${NONCE_BYTES} bytes`)
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, label), nonce)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Null when it was wrapped under another secret or label, or the bytes were altered. */
export function unwrap(secret: Secret, label: string, wrapped: Uint8Array): Uint8Array | null {
  if (wrapped.length < NONCE_BYTES + TAG_BYTES) return null
  const bytes = Buffer.from(wrapped)
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, label), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)),
      decipher.final(),
    ])
  } catch {
    return null
  }
}
