// The rows that an append puts on the shelf (L6). The words of people and providers go as hexadecimal: JSON that
// holds U+0000 cannot become text in the database.

import type { Seals } from '../seals.js'
import { type Grant, type KeyRow, rowOfApiKey, type Shelving } from '../shelf.js'
import { hexOf } from './facts.js'

/** `key` is given where a later row takes the place of an earlier one. `undoes` names the table whose row of the same key
 *  was put before and is taken back: tables are written one after the other, whatever came first. */
type Put = {
  readonly table: string
  readonly key: string | null
  readonly row: object
  readonly undoes?: string
}

export const shelved = (shelvings: readonly Shelving[], seals: Seals): readonly Put[] =>
  shelvings.flatMap(shelving =>
    shelving.put === 'contents' ? contentRows(shelving) : [rowOf(shelving, seals), ...rowsBeside(shelving)],
  )

/** Whether people answer by the grant's code. */
export const isCoded = ({ use, code_hash }: Grant): boolean => use === 'reply' && code_hash !== ''

/** Rows that come with a shelved one. */
function rowsBeside(shelving: Shelving): readonly Put[] {
  switch (shelving.put) {
    // Anybody else who had the address loses it.
    case 'link': {
      const { channel, address } = shelving.link
      return [{ table: 'addresses', key: null, row: { channel, address: hexOf(address) } }]
    }
    case 'content_erasure':
      return [{ table: 'forgotten_contents', key: shelving.handle, row: { handle: shelving.handle } }]
    case 'passkey_end': {
      const { credential_hash } = shelving
      return [{ table: 'passkey_sessions_end', key: credential_hash, row: { credential_hash } }]
    }
    case 'grant': {
      const { channel, user_id, request_id, handle_hash } = shelving.grant
      const row = { channel, user_id, request_id, handle_hash }
      return isCoded(shelving.grant)
        ? [{ table: 'open_codes', key: `${channel} ${user_id} ${request_id}`, row }]
        : []
    }
    case 'rest': {
      const { channel, user_id } = shelving.rest
      const row = { channel, user_id, since_ms: Math.ceil(shelving.since_ms) }
      return [
        { table: 'misses_over', key: null, row },
        { table: 'asked_again', key: null, row },
      ]
    }
    default:
      return []
  }
}

type Sent = Extract<Shelving, { readonly put: 'contents' }>

/** The bytes are kept once, whoever has sent them. */
const contentRows = ({ key_id, contents }: Sent): readonly Put[] =>
  [...contents].flatMap(([handle, bytes]) => [
    { table: 'blobs', key: handle, row: { handle, bytes: Buffer.from(bytes).toString('hex') } },
    {
      table: 'blob_owners',
      key: `${key_id} ${handle}`,
      row: { handle, key_id, size: bytes.length },
      undoes: 'content_erasures',
    },
  ])

function rowOf(shelving: Exclude<Shelving, Sent>, seals: Seals): Put {
  switch (shelving.put) {
    case 'grant': {
      const { grant } = shelving
      return { table: 'grants', key: null, row: { ...grant, seal: seals.ofRow('grants', grant) } }
    }
    case 'content_erasure': {
      const { handle, key_id } = shelving
      return { table: 'content_erasures', key: `${key_id} ${handle}`, row: { handle, key_id } }
    }
    case 'rest':
      return {
        table: 'code_rests',
        key: `${shelving.rest.channel} ${shelving.rest.user_id}`,
        row: shelving.rest,
      }
    case 'raw': {
      const { reply_id, request_id, salt, raw, beside = null } = shelving.reply
      const row = { reply_id, request_id, salt: Buffer.from(salt).toString('hex'), raw: hexOf(raw), beside }
      return { table: 'raw_replies', key: null, row }
    }
    case 'evidence': {
      const { reply_id, evidence } = shelving
      return { table: 'evidence', key: null, row: { reply_id, evidence } }
    }
    case 'ref': {
      const { channel, ref, delivery_id, handle_hash } = shelving
      const right = { channel, ref, delivery_id, handle_hash }
      const row = { ...right, ref: hexOf(ref), seal: seals.ofRow('refs', right) }
      return { table: 'refs', key: `${channel} ${ref}`, row }
    }
    case 'cursor': {
      const { channel, cursor } = shelving
      return { table: 'cursors', key: channel, row: { channel, cursor: hexOf(cursor) } }
    }
    case 'erasure':
      return { table: 'erasures', key: shelving.reply_id, row: { reply_id: shelving.reply_id } }
    case 'callback': {
      const { request_id, url } = shelving
      const right = { request_id, url }
      return { table: 'callbacks', key: null, row: { ...right, seal: seals.ofRow('callbacks', right) } }
    }
    case 'link': {
      const { user_id, channel, address } = shelving.link
      const seal = seals.ofRow('links', shelving.link)
      const row = { user_id, channel, address: hexOf(address), seal }
      return { table: 'links', key: `${channel} ${user_id}`, row }
    }
    case 'key':
      return { table: 'keys', key: shelving.key.kid, row: rowOfKey(shelving.key, seals) }
    case 'checkpoint':
      return { table: 'checkpoint', key: null, row: shelving.checkpoint }
    case 'invitation': {
      const { invitation } = shelving
      const row = { ...invitation, seal: seals.ofRow('invitations', invitation) }
      return { table: 'invitations', key: null, row }
    }
    case 'away': {
      const { away } = shelving
      return { table: 'away', key: away.user_id, row: { ...away, seal: seals.ofRow('away', away) } }
    }
    case 'passkey': {
      const { passkey } = shelving
      return { table: 'passkeys', key: null, row: { ...passkey, seal: seals.ofRow('passkeys', passkey) } }
    }
    case 'passkey_end': {
      const { credential_hash } = shelving
      return { table: 'passkeys_end', key: credential_hash, row: { credential_hash } }
    }
    case 'enrolment': {
      const { enrolment } = shelving
      const row = { ...enrolment, seal: seals.ofRow('enrolments', enrolment) }
      return { table: 'enrolments', key: null, row }
    }
    case 'enrolment_end': {
      const { request_id } = shelving
      return { table: 'enrolments_end', key: request_id, row: { request_id } }
    }
    case 'sessions_end': {
      const { user_id } = shelving
      return { table: 'sessions_end', key: user_id, row: { whose: user_id } }
    }
    case 'api_key': {
      const right = rowOfApiKey(shelving.key)
      const row = { ...right, seal: seals.ofRow('api_keys', right) }
      return { table: 'api_keys', key: right.key_id, row }
    }
  }
}

export const rowOfKey = (key: KeyRow, seals: Seals): object => ({
  ...key,
  wrapped: Buffer.from(key.wrapped).toString('hex'),
  seal: seals.ofRow('keys', key),
})
