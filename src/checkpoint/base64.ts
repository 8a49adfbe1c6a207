// Base64 (RFC 4648, section 4) in its one spelling, in Node and in a browser alike.

export function encode(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Null for a text that is not the one spelling of its bytes. */
export function decode(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0))
  return encode(bytes) === text ? bytes : null
}
