// What waits beside the ledger, sealed: what somebody wants to be theirs (a passkey that they have just made, or an account
// at the OpenID provider) until the person has said YES, and a passkey that was taken back until the person is told.
import { z } from 'zod'
import { canonical, type Hash, hashOf } from '../canonical.js'
import { hashCredential } from '../passkey/credential.js'

const claim = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passkey'), credential_id: z.string(), public_key: z.string() }),
  z.strictObject({ kind: z.literal('oidc'), issuer: z.string(), sub: z.string() }),
])
export type Claim = z.infer<typeof claim>

const waiting = z.discriminatedUnion('kind', [
  ...claim.options,
  z.strictObject({
    kind: z.literal('revoked'),
    credential_hash: z.custom<Hash>(value => typeof value === 'string'),
    by: z.enum(['person', 'operator']),
  }),
])
type Waiting = z.infer<typeof waiting>

export const writeWaiting = (one: Waiting): string => canonical(one)
export const readWaiting = (text: string): Waiting => waiting.parse(JSON.parse(text))

/** 64 bits: nobody makes another with the same ones while a question is open. */
const SHOWN = /^sha256:(.{4})(.{4})(.{4})(.{4})/

/** The characters by which a person tells one passkey, or one account, from another. */
export const fingerprintOf = (one: Claim): string => shorten(hashOfClaim(one))

export const shorten = (hash: Hash): string => SHOWN.exec(hash)?.slice(1).join('-') ?? ''

const hashOfClaim = (one: Claim): Hash =>
  one.kind === 'passkey'
    ? hashCredential(one)
    : hashOf('lane/account/v1', { issuer: one.issuer, sub: one.sub })
