// Base64url (RFC 4648, section 5) without padding, in its one spelling, in Node and in a browser alike.

export function encode(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Null for a text that is not the one spelling of its bytes. */
export function decode(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const spelt = text.replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(spelt), char => char.charCodeAt(0))
  return encode(bytes) === text ? bytes : null
}
