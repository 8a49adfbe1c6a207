// The channels on which people are asked, and the proof each gives of who is speaking.
export const CHANNELS = ['slack', 'email', 'telegram', 'sms', 'web'] as const
export type Channel = (typeof CHANNELS)[number]

/** Strongest facts first. No API caller can set one. */
export const PROOFS = [
  'slack_signed',
  'telegram_id',
  'dmarc',
  'passkey',
  'web_session',
  // The operator says whose passkey it is.
  'passkey_by_operator',
  'console',
  'link_code',
  'sms_from',
] as const
export type Proof = (typeof PROOFS)[number]
