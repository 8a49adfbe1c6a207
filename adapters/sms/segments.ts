// The cost of a message: its encoding, and the number of segments it is cut into (3GPP TS 23.038, 23.040). One
// character outside the GSM alphabet turns the whole message into UCS-2, at less than half the room.

/** The default alphabet, without the escape: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** Its extension table: an escape and a septet. */
const EXTENSION = '\f^{}\\[~]|€'

/** Septets by the character's code, all of one unit; 0 outside the alphabet. */
const SEPTETS = new Uint8Array(0x10000)
for (const [alphabet, septets] of [
  [BASIC, 1],
  [EXTENSION, 2],
] as const)
  for (const one of alphabet) SEPTETS[one.charCodeAt(0)] = septets

/** Room in a single segment, and in each of several: the header that joins them takes six octets. */
const ROOM = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const

type Counted = {
  readonly encoding: 'GSM-7' | 'UCS-2'
  /** Septets, or 16-bit units. */
  readonly units: number
  readonly segments: number
}

export function countSegments(text: string): Counted {
  const encoding = isGsm(text) ? 'GSM-7' : 'UCS-2'
  const sizeAt = encoding === 'GSM-7' ? septetsAt : unitsAt
  let units = 0
  for (let at = 0; at < text.length; at += stepAt(text, at)) units += sizeAt(text, at)
  const { alone, joined } = ROOM[encoding]
  return { encoding, units, segments: units <= alone ? 1 : divide(text, sizeAt, joined) }
}

type SizeAt = (text: string, at: number) => number

const septetsAt: SizeAt = (text, at) => SEPTETS[text.charCodeAt(at)] ?? 0
/** A character beyond the basic plane is two units, and one character. */
const unitsAt: SizeAt = (text, at) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
const stepAt = unitsAt

function isGsm(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (septetsAt(text, at) === 0) return false
  return true
}

/** A character of two units is not split: it begins the next segment, and leaves one place empty. */
function divide(text: string, sizeAt: SizeAt, room: number): number {
  let segments = 1
  let used = 0
  for (let at = 0; at < text.length; at += stepAt(text, at)) {
    const size = sizeAt(text, at)
    if (used + size > room) {
      segments += 1
      used = 0
    }
    used += size
  }
  return segments
}
