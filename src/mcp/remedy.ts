// Troubles that no repetition of the call mends, and the person who can: without these words a model that is told to
// call again does so for ever.

const BY_CODE = {
  unauthenticated:
    'The lane does not accept LANE_API_KEY of this server. Do not call again: report that it needs a valid key.',
  scope_missing:
    'The key of this server may not do this. Do not call again: report that it needs a key with that scope.',
} as const

/** The sentence for a code that stands between this server and the lane; null if the call itself is to be mended. */
export const remedyOf = (code: string): string | null =>
  Object.hasOwn(BY_CODE, code) ? BY_CODE[code as keyof typeof BY_CODE] : null
