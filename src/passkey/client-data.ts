// What a browser says of the page on which a passkey was made or asked for.

export type ClientData = {
  readonly challenge: string
  readonly origin: string
  /** Whether it stood in a frame of somebody else's page. */
  readonly isFramed: boolean
}

/** Null for what no browser says of this. */
export function readClientData(
  bytes: Uint8Array,
  expected: 'webauthn.create' | 'webauthn.get',
): ClientData | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const said: unknown = JSON.parse(text)
    if (typeof said !== 'object' || said === null || Array.isArray(said)) return null
    const { type, challenge, origin, crossOrigin } = said as Readonly<Record<string, unknown>>
    if (type !== expected || typeof challenge !== 'string' || typeof origin !== 'string') return null
    return { challenge, origin, isFramed: crossOrigin !== undefined && crossOrigin !== false }
  } catch {
    return null
  }
}
