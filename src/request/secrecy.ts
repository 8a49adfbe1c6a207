// Text that must not be written down for good: a JWS, an API key of the lane, a link with its reply handle. A bare
// handle looks like anybody's id and cannot be told apart. The doors refuse such text, so that the ledger never holds
// it (I23).
const SECRET =
  /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|lane_[0-9a-hjkmnp-tv-z]{20,}|\/r\/[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}/

export function holdsSecret(text: string): boolean {
  // Plain searches are cheaper than the pattern, and nearly always enough. A capital is rarer than what it stands behind.
  const mayHold =
    (text.includes('J') && text.includes('eyJ')) || text.includes('lane_') || text.includes('/r/')
  if (!mayHold) return false
  return SECRET.test(text)
}

/** The places in a value where such a text stands, names of members included. */
export function secretPlaces(value: unknown, path: readonly PropertyKey[] = []): readonly PropertyKey[][] {
  // There is nearly always none, and that is found without keeping track of places.
  return holdsAny(value) ? placesWithin(value, path) : []
}

function holdsAny(value: unknown): boolean {
  if (typeof value === 'string') return holdsSecret(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsAny)
  for (const name of Object.keys(value)) {
    if (holdsSecret(name) || holdsAny((value as Record<string, unknown>)[name])) return true
  }
  return false
}

function placesWithin(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[][] {
  if (typeof value === 'string') return holdsSecret(value) ? [[...path]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    holdsSecret(name) ? [[...path, name]] : placesWithin(member, [...path, name]),
  )
}
