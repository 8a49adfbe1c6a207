// Signed notes and verifier keys (c2sp.org/signed-note, Ed25519). Pure: whoever calls brings the check of a signature,
// so that a browser reads notes by the same code.
import { digest } from '../canonical.js'
import { decode, encode } from './base64.js'

const ED25519 = 1
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const ID_BYTES = 4
/** The text says at least 16; a note of ours has one or two. */
const MOST_SIGNATURES = 64
const LONGEST_NOTE = 65_536

/** A key by which notes are verified. */
export type VerifierKey = {
  readonly name: string
  /** 8 hex digits. */
  readonly id: string
  readonly publicKey: Uint8Array
}

export type Signature = { readonly name: string; readonly id: string; readonly signature: Uint8Array }
export type Note = { readonly text: string; readonly signatures: readonly Signature[] }

/** Whether this is a signature of the key over the text. */
export type Check = (
  publicKey: Uint8Array,
  text: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>

const encoder = new TextEncoder()
const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

export function keyOf(name: string, publicKey: Uint8Array): VerifierKey {
  const named = joined(encoder.encode(`${name}\n`), Uint8Array.of(ED25519), publicKey)
  return { name, id: hexOf(digest(named).slice(0, ID_BYTES)), publicKey }
}

export const writeVkey = ({ name, id, publicKey }: VerifierKey): string =>
  `${name}+${id}+${encode(joined(Uint8Array.of(ED25519), publicKey))}`

/** Null for a line that is no Ed25519 verifier key, or whose id is not that of its name and key. */
export function readVkey(line: string): VerifierKey | null {
  const [, name = '', id = '', data = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(line) ?? []
  const bytes = decode(data)
  if (bytes === null || bytes[0] !== ED25519 || bytes.length !== 1 + KEY_BYTES) return null
  const key = keyOf(name, bytes.slice(1))
  return key.id === id ? key : null
}

export function writeNote({ text, signatures }: Note): string {
  const lines = signatures.map(
    ({ name, id, signature }) => `— ${name} ${encode(joined(bytesOfHex(id), signature))}\n`,
  )
  return `${text}\n${lines.join('')}`
}

const SIGNATURE_LINE = /^— ([^\s+]+) (\S+)$/u

/** Null for what is no note. */
export function readNote(words: string): Note | null {
  if (words.length > LONGEST_NOTE || hasControl(words)) return null
  // The last empty line parts the text from the signatures.
  const end = words.lastIndexOf('\n\n')
  if (end < 0 || !words.endsWith('\n')) return null
  const lines = words.slice(end + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return null
  const signatures = lines.map(readSignature)
  if (!signatures.every(one => one !== null)) return null
  return { text: words.slice(0, end + 1), signatures }
}

function readSignature(line: string): Signature | null {
  const [, name = '', data = ''] = SIGNATURE_LINE.exec(line) ?? []
  const bytes = name === '' ? null : decode(data)
  if (bytes === null || bytes.length <= ID_BYTES) return null
  return { name, id: hexOf(bytes.slice(0, ID_BYTES)), signature: bytes.slice(ID_BYTES) }
}

/** Any below U+0020 but the line's end. */
const hasControl = (text: string): boolean =>
  Array.from(text).some(char => char < ' ' && char !== '\n') || /\p{Surrogate}/u.test(text)

/** Which of these keys have signed it. Null where a signature in the name of one of them is none of its: such a note is
 *  refused, whoever else has signed it. Signatures of other keys say nothing. */
export async function signersOf(
  { text, signatures }: Note,
  keys: readonly VerifierKey[],
  check: Check,
): Promise<readonly VerifierKey[] | null> {
  const bytes = encoder.encode(text)
  const signers: VerifierKey[] = []
  for (const { name, id, signature } of signatures) {
    const key = keys.find(one => one.name === name && one.id === id)
    if (key === undefined) continue
    if (signature.length !== SIGNATURE_BYTES || !(await check(key.publicKey, bytes, signature))) return null
    signers.push(key)
  }
  return signers
}
