// What an append puts on the shelf, as rows (L6). What people and providers said goes as hexadecimal: JSON that holds
// U+0000 cannot become text in the database.
import type { Shelving } from '../contract.js'
import { hexOf } from './facts.js'

/** `key` is given where a later row takes the place of an earlier one. */
export type Put = { readonly table: string; readonly key: string | null; readonly row: object }

export const shelved = (shelvings: readonly Shelving[]): readonly Put[] => shelvings.map(rowOf)

function rowOf(shelving: Shelving): Put {
  switch (shelving.put) {
    case 'grant':
      return { table: 'grants', key: null, row: shelving.grant }
    case 'raw': {
      const { reply_id, request_id, salt, raw } = shelving.reply
      const row = { reply_id, request_id, salt: Buffer.from(salt).toString('hex'), raw: hexOf(raw) }
      return { table: 'raw_replies', key: null, row }
    }
    case 'ref': {
      const { channel, ref, delivery_id, handle_hash } = shelving
      const row = { channel, ref: hexOf(ref), delivery_id, handle_hash }
      return { table: 'refs', key: `${channel} ${ref}`, row }
    }
    case 'cursor': {
      const { channel, cursor } = shelving
      return { table: 'cursors', key: channel, row: { channel, cursor: hexOf(cursor) } }
    }
    case 'erasure':
      return { table: 'erasures', key: shelving.reply_id, row: { reply_id: shelving.reply_id } }
    case 'callback':
      return {
        table: 'callbacks',
        key: null,
        row: { request_id: shelving.request_id, url: shelving.url },
      }
    case 'link': {
      const { user_id, channel, address } = shelving.link
      return {
        table: 'links',
        key: `${channel} ${user_id}`,
        row: { user_id, channel, address: hexOf(address) },
      }
    }
    case 'invitation':
      return { table: 'invitations', key: null, row: shelving.invitation }
    case 'api_key': {
      const { key } = shelving
      return { table: 'api_keys', key: key.key_id, row: { ...key, scopes: key.scopes.join(',') } }
    }
  }
}
