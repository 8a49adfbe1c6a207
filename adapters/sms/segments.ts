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
  const septets = septetsOf(text)
  const encoding = septets === null ? 'UCS-2' : 'GSM-7'
  const units = septets ?? text.length
  const { alone, joined } = ROOM[encoding]
  if (units <= alone) return { encoding, units, segments: 1 }
  // Where every character has one septet none is in danger of being split.
  if (septets === text.length) return { encoding, units, segments: Math.ceil(units / joined) }
  return { encoding, units, segments: divide(text, septets === null ? unitsAt : septetsAt, joined) }
}

/** Null for a text with a character outside the alphabet. */
function septetsOf(text: string): number | null {
  let septets = 0
  for (let at = 0; at < text.length; at++) {
    const size = septetsAt(text, at)
    if (size === 0) return null
    septets += size
  }
  return septets
}

type SizeAt = (text: string, at: number) => number

const septetsAt: SizeAt = (text, at) => SEPTETS[text.charCodeAt(at)] ?? 0
/** A character beyond the basic plane is two units, and one character. */
const unitsAt: SizeAt = (text, at) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
const stepAt = unitsAt

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
