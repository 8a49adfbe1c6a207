// The room on each channel. The core cuts contents by this table, and what it cuts an adapter draws as it is.
import type { Channel } from '../request/channel.js'

type Limits = {
  /** Units of the whole message, counted as the channel counts them: UTF-16 units, bytes of a mail's HTML, and segments for
   *  text messages. Null where a message is as long as it has to be. */
  readonly message: number | null
  /** UTF-16 units of all its contents together, however short the rest is. */
  readonly contents: number
}

export const LIMITS: Readonly<Record<Channel, Limits>> = {
  // Slack publishes no limit for rich text; this is its limit for a message's markdown, and no other is lower.
  slack: { message: 12_000, contents: 11_000 },
  // Mail programs fold away the end of a mail whose HTML has more than 102 400 bytes.
  email: { message: 100_000, contents: 32_000 },
  // The Bot API counts characters; units are never fewer.
  telegram: { message: 4_096, contents: 3_800 },
  // Longer ones arrive late, in pieces or not at all with some carriers.
  sms: { message: 6, contents: 800 },
  // More would make a page that a phone cannot draw; each content also has a page of its own.
  web: { message: null, contents: 1_048_576 },
}
