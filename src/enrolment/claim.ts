// What somebody wants to be theirs: a passkey that they have just made, or an account at the OpenID provider. It waits
// beside the ledger, sealed, until the person has said YES.
import { z } from 'zod'
import { canonical, type Hash, hashOf } from '../canonical.js'
import { hashCredential } from '../token/credential.js'

const claim = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passkey'), credential_id: z.string(), public_key: z.string() }),
  z.strictObject({ kind: z.literal('oidc'), issuer: z.string(), sub: z.string() }),
])
export type Claim = z.infer<typeof claim>

export const writeClaim = (one: Claim): string => canonical(one)
export const readClaim = (text: string): Claim => claim.parse(JSON.parse(text))

/** 64 bits: nobody makes another with the same ones while a question is open. */
const SHOWN = /^sha256:(.{4})(.{4})(.{4})(.{4})/

/** The characters by which a person tells one passkey, or one account, from another. */
export const fingerprintOf = (one: Claim): string => SHOWN.exec(hashOfClaim(one))?.slice(1).join('-') ?? ''

const hashOfClaim = (one: Claim): Hash =>
  one.kind === 'passkey'
    ? hashCredential(one)
    : hashOf('lane/account/v1', { issuer: one.issuer, sub: one.sub })
