// What somebody wants to be theirs: a passkey that they have just made, or an account at the OpenID provider. It waits
// beside the ledger, sealed, until the person has said YES.
import { z } from 'zod'
import { canonical } from '../canonical.js'
import { hashCredential } from '../token/credential.js'

const claim = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passkey'), credential_id: z.string(), public_key: z.string() }),
  z.strictObject({ kind: z.literal('oidc'), issuer: z.string(), sub: z.string() }),
])
export type Claim = z.infer<typeof claim>

export const writeClaim = (one: Claim): string => canonical(one)
export const readClaim = (text: string): Claim => claim.parse(JSON.parse(text))

/** 64 bits: nobody makes another passkey with the same ones while a question is open. */
const SHOWN = /^sha256:(.{4})(.{4})(.{4})(.{4})/

/** The characters by which a person tells one passkey from another. */
export function fingerprintOf(passkey: Extract<Claim, { kind: 'passkey' }>): string {
  return SHOWN.exec(hashCredential(passkey))?.slice(1).join('-') ?? ''
}
