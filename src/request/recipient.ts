// The people a request is put to: as the caller names them, and as the configuration knows them.
import type { Channel } from './channel.js'

/** A person the caller names. If channels are given all of them are used; else the person's
 *  own order of preference holds. */
export type Recipient = { readonly user_id: string; readonly channels?: readonly Channel[] }

export type ResolvedRecipient = {
  readonly user_id: string
  readonly channels: readonly Channel[]
  /** `first`: in order of preference, the next when one fails. `all`: the request named them, and all are used. */
  readonly route: 'first' | 'all'
}
