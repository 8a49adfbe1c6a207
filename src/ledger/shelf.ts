// What is kept beside the ledger: grants, raw replies, references of copies, links, invitations, rests, keys, contents. A row
// that gives a right is sealed (rights.ts); none of them decides an outcome.
import type { Hash } from '../canonical.js'
import type { Channel } from '../request/channel.js'

/** A handle either opens a page or stands for the copy that a reply answers. */
type Use = 'page' | 'reply'

export type Grant = {
  /** SHA-256 of the reply handle, which the store itself never has. */
  readonly handle_hash: Hash
  /** Null for a grant made before grants had uses: it serves both. */
  readonly use: Use | null
  /** The hash of the code that goes with the grant (see token/code.ts); empty where there is none. */
  readonly code_hash: string
  readonly token: string
  readonly request_id: string
  readonly delivery_id: string
  readonly channel: Channel
  readonly user_id: string
}

/** An address a person has linked themselves, as canonical JSON. It is linked to one person at a time. */
export type Link = { readonly user_id: string; readonly channel: Channel; readonly address: string }

/** The right to link an address to a person, once, until `expires_ms`. */
export type Invitation = {
  readonly code_hash: Hash
  readonly user_id: string
  readonly channel: Channel
  readonly expires_ms: number
}

/** After too many wrong codes a person's codes on a channel answer nothing until `until_ms`. */
export type Rest = {
  readonly channel: Channel
  readonly user_id: string
  readonly until_ms: number
  readonly length_ms: number
}

/** A person is away, and perhaps somebody is asked in their place. One row for each person: the last word counts. */
export type Away = {
  readonly user_id: string
  readonly from_ms: number
  readonly until_ms: number
  readonly deputy: string | null
}

/** Somebody who has signed in at the console: a person, or an operator by their key. It is never both. */
export type SessionRow = {
  /** SHA-256 of the id, which the browser alone has. */
  readonly id_hash: Hash
  readonly kind: 'person' | 'operator'
  /** The person's id, or the id of the operator's key. */
  readonly whose: string
  /** By what they signed in. */
  readonly by: 'oidc' | 'passkey' | 'passkey_by_operator' | 'console' | 'key'
  /** The passkey by which they signed in, without which it is over; null where it was something else. */
  readonly credential_hash: Hash | null
  readonly until_ms: number
}

/** A passkey of a person. Its signature counter is not kept: passkeys that are synced between devices always say 0, so
 *  that it would tell nothing of most of them. */
export type PasskeyRow = {
  /** As token/credential.ts makes it; the ledger has it too. */
  readonly credential_hash: Hash
  /** In base64url, as the browser names it. */
  readonly credential_id: string
  readonly user_id: string
  /** The COSE key, in base64url. */
  readonly public_key: string
  /** By whose word it is theirs. */
  readonly by: 'person' | 'operator'
}

/** Something that is to be a person's once they have said YES to this request of the lane's own. */
export type EnrolmentRow = {
  readonly request_id: string
  readonly user_id: string
  /** As canonical JSON (enrolment/claim.ts). */
  readonly claim: string
}

export type RawReply = {
  readonly reply_id: string
  readonly request_id: string
  readonly salt: Uint8Array
  readonly raw: string
  /** The fields beside it, and the words of its reasons (beside.ts); null or absent where there are none. */
  readonly beside?: string | null
}

export type Shelving =
  | { readonly put: 'grant'; readonly grant: Grant }
  | { readonly put: 'raw'; readonly reply: RawReply }
  /** This person's codes on this channel rest. Wrong codes are counted anew from here, and the agenda is asked at
   *  once about every request for which the person has an open code. */
  | { readonly put: 'rest'; readonly rest: Rest; readonly since_ms: number }
  | {
      readonly put: 'ref'
      readonly delivery_id: string
      /** The grant of the attempt that left this copy with the provider. */
      readonly handle_hash: Hash
      readonly channel: Channel
      readonly ref: string
    }
  /** The assertion by which a passkey confirmed a reply, as text. It holds no words, and stays when those are erased. */
  | { readonly put: 'evidence'; readonly reply_id: string; readonly evidence: string }
  | { readonly put: 'cursor'; readonly channel: Channel; readonly cursor: string }
  | { readonly put: 'erasure'; readonly reply_id: string }
  | { readonly put: 'callback'; readonly request_id: string; readonly url: string }
  /** Replaces this person's earlier address on this channel, and takes the address from anybody else who had it. */
  | { readonly put: 'link'; readonly link: Link }
  /** Replaces the row of this kid. The time until which it verifies only ever becomes earlier. */
  | { readonly put: 'key'; readonly key: KeyRow }
  | { readonly put: 'invitation'; readonly invitation: Invitation }
  /** Takes the place of the one before it, unless that is larger. */
  | { readonly put: 'checkpoint'; readonly checkpoint: SignedCheckpoint }
  /** Replaces what was said of this person before. */
  | { readonly put: 'away'; readonly away: Away }
  /** Texts or bytes that this key has sent in one go; those it has sent before are kept once. */
  | { readonly put: 'contents'; readonly key_id: string; readonly contents: ReadonlyMap<Hash, Uint8Array> }
  /** This key's content is forgotten, bytes and all, unless another key has sent the same. */
  | { readonly put: 'content_erasure'; readonly handle: Hash; readonly key_id: string }
  /** With PASSKEY_REGISTERED. A credential is one person's for good: a second row with its hash or its id is refused. */
  | { readonly put: 'passkey'; readonly passkey: PasskeyRow }
  /** With PASSKEY_REVOKED. The sessions that began with it end too. */
  | { readonly put: 'passkey_end'; readonly credential_hash: Hash }
  /** With the opening of its request, or with the deed that somebody is to be told of. */
  | { readonly put: 'enrolment'; readonly enrolment: EnrolmentRow }
  | { readonly put: 'enrolment_end'; readonly request_id: string }
  /** Every session of this person ends. */
  | { readonly put: 'sessions_end'; readonly user_id: string }
  /** A new key, or the revocation of one. Nothing else about an existing key changes, and
   *  a revoked key stays revoked. */
  | { readonly put: 'api_key'; readonly key: ApiKey }

/** A checkpoint as it was signed, and when: a note over this many entries. */
export type SignedCheckpoint = { readonly size: number; readonly note: string; readonly at_ms: number }

/** The purpose of a key of the ring: it signs tokens, checkpoints or artifacts, seals what the lane writes, keeps codes, names the mails the
 *  lane sends, or stamps the forms it draws. */
export type Purpose = 'reply-token' | 'checkpoint' | 'artifact' | 'seal' | 'code' | 'message-id' | 'csrf'

export type KeyRow = {
  readonly kid: string
  readonly purpose: Purpose
  /** Null for a key that never leaves the lane. */
  readonly public_jwk: string | null
  /** The secret half, encrypted with the installation's secret. */
  readonly wrapped: Uint8Array
  readonly not_before: number
  /** Tokens of a rotated key verify until here; null while it signs. */
  readonly verify_until: number | null
  /** When everything that a revoked key had signed had been sent anew; null before, and for every other key. */
  readonly renewed_at: number | null
}

export const SCOPES = ['request', 'operate', 'audit', 'direct'] as const
export type Scope = (typeof SCOPES)[number]

export type ApiKey = {
  readonly key_id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly secret_hash: Hash
  readonly created_at: string
  readonly revoked_at: string | null
  /** The person it belongs to, for its life: they cannot be the other pair of eyes. */
  readonly owner: string | null
  /** Whether it may say that something is urgent. */
  readonly urgent: boolean
}

/** An API key as both stores keep it. */
export type ApiKeyRow = Omit<ApiKey, 'scopes' | 'urgent'> & {
  readonly scopes: string
  readonly urgent: number
}
export const rowOfApiKey = (key: ApiKey): ApiKeyRow => ({
  ...key,
  scopes: key.scopes.join(','),
  urgent: Number(key.urgent),
})
export const readApiKey = (row: ApiKeyRow): ApiKey => ({
  ...row,
  scopes: row.scopes.split(',') as Scope[],
  urgent: row.urgent === 1,
})

export interface Shelf {
  grant(handleHash: Hash): Promise<Grant | null>
  grantByRef(channel: Channel, ref: string): Promise<Grant | null>
  /** This person's reply grants on this channel with this code, the newest last. */
  grantsByCode(channel: Channel, userId: string, codeHash: string): Promise<readonly Grant[]>
  /** For each open request, the newest grant by whose code this person can answer on this
   *  channel, the newest last. */
  openCodes(channel: Channel, userId: string): Promise<readonly Grant[]>
  /** This person's last grants on this channel from before handles had a use, the newest last. */
  formerGrants(channel: Channel, userId: string, limit: number): Promise<readonly Grant[]>
  /** How many wrong codes came from this person's address after `since`, since their codes rested last. */
  misses(channel: Channel, userId: string, since: number): Promise<number>
  /** The last time this person's codes rested on this channel, whether or not it is over. */
  rest(channel: Channel, userId: string): Promise<Rest | null>
  /** The rests that are not over by then. */
  rests(ms: number): Promise<readonly Rest[]>
  refs(deliveryId: string): Promise<readonly string[]>
  raw(replyId: string): Promise<RawReply | null>
  raws(): AsyncIterable<RawReply>
  /** As it was put; null where no passkey confirmed this reply. */
  evidence(replyId: string): Promise<string | null>
  cursor(channel: Channel): Promise<string | null>
  /** The address at which the asking program wants to be called. */
  callback(requestId: string): Promise<string | null>

  /** The newest checkpoint. It is signed, so it needs no seal. */
  checkpoint(): Promise<SignedCheckpoint | null>

  links(): Promise<readonly Link[]>
  invitation(codeHash: Hash): Promise<Invitation | null>
  /** Those whose absence is not over by then. */
  away(ms: number): Promise<readonly Away[]>

  /** Of these four none tells of a passkey that was taken back (L15). */
  passkey(credentialHash: Hash): Promise<PasskeyRow | null>
  /** By the name that browsers have for it. */
  passkeyById(credentialId: string): Promise<PasskeyRow | null>
  passkeysOf(userId: string): Promise<readonly PasskeyRow[]>
  /** Everybody's: read once, at the start. */
  passkeys(): Promise<readonly PasskeyRow[]>

  enrolment(requestId: string): Promise<EnrolmentRow | null>
  /** All that nobody has settled yet. */
  enrolments(): Promise<readonly EnrolmentRow[]>

  /** Also one that is over by now. */
  session(idHash: Hash): Promise<SessionRow | null>
  /** Forgets, with it, the sessions that were over by then. */
  putSession(session: SessionRow, ms: number): Promise<void>
  endSession(idHash: Hash): Promise<void>
  /** Ends every session of this person, and no operator's. */
  endSessions(userId: string): Promise<void>

  /** All rows until the store is unlocked, sealed or not: the key it is unlocked with is one of them. */
  keyring(): Promise<readonly KeyRow[]>
  /** All at once, each in the place of the row of its kid; a key that was retired stays so. */
  putKeys(rows: readonly KeyRow[]): Promise<void>

  apiKeys(): Promise<readonly ApiKey[]>

  /** Content-addressed: what a key has sent before is not kept again, and counts once against its quota. */
  putBlob(handle: Hash, bytes: Uint8Array, keyId: string, quota: number): Promise<'new' | 'known' | 'full'>
  blob(handle: Hash): Promise<Uint8Array | null>
  /** Those of these contents that this key has sent. */
  ownBlobs(keyId: string, handles: readonly Hash[]): Promise<ReadonlyMap<Hash, Uint8Array>>
}
