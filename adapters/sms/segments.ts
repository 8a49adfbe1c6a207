// The cost of a message: its encoding, and the number of segments it is cut into (3GPP TS 23.038, 23.040). One
// character outside the GSM alphabet turns the whole message into UCS-2, at less than half the room.

/** The default alphabet, without the escape: one septet each. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension table: an escape and a septet. */
const EXTENSION = new Set('\f^{}\\[~]|€')

/** Room in a single segment, and in each of several: the header that joins them takes six octets. */
const ROOM = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const

type Counted = {
  readonly encoding: 'GSM-7' | 'UCS-2'
  /** Septets, or 16-bit units. */
  readonly units: number
  readonly segments: number
}

export function countSegments(text: string): Counted {
  const characters = [...text]
  const encoding = characters.every(one => BASIC.has(one) || EXTENSION.has(one)) ? 'GSM-7' : 'UCS-2'
  const sizes = characters.map(one => (encoding === 'UCS-2' ? one.length : BASIC.has(one) ? 1 : 2))
  const units = sizes.reduce((sum, size) => sum + size, 0)
  const { alone, joined } = ROOM[encoding]
  return { encoding, units, segments: units <= alone ? 1 : divide(sizes, joined) }
}

/** A character of two units is not split: it begins the next segment, and leaves one place empty. */
function divide(sizes: readonly number[], room: number): number {
  let segments = 1
  let used = 0
  for (const size of sizes) {
    if (used + size > room) {
      segments += 1
      used = 0
    }
    used += size
  }
  return segments
}
