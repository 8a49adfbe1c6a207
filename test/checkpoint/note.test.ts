// Signed notes: a vector that everybody has, and every way of spoiling one.
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../src/checkpoint/base64.js'
import { readCheckpoint, textOf, trustedCheckpoint } from '../../src/checkpoint/checkpoint.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { keyOf, readNote, readVkey, signersOf, writeNote, writeVkey } from '../../src/checkpoint/note.js'
import { logOf, nextEpoch, originOf } from '../../src/checkpoint/origin.js'
import { leafOf } from '../../src/ledger/tree/hash.js'

/** The example of the Go package that the format comes from. */
const VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const NOTE =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const NAME = 'lane.example.org/0123456789abcdef/1'
const key = keyOf(NAME, publicKey.export({ format: 'der', type: 'spki' }).subarray(12))
const signed = (text: string): string =>
  writeNote({ text, signatures: [{ ...key, signature: sign(null, Buffer.from(text), privateKey) }] })

describe('the known note', () => {
  test('is verified by its key', async () => {
    const known = readVkey(VKEY)
    const note = readNote(NOTE)
    if (known === null || note === null) throw new Error('the vector cannot be read')
    expect(writeVkey(known)).toBe(VKEY)
    expect(await signersOf(note, [known], checkEd25519)).toEqual([known])
    expect(writeNote(note)).toBe(NOTE)
  })

  test('is refused as soon as its words are others', async () => {
    const note = readNote(NOTE.replace('problem is', 'answer is'))
    expect(note && (await signersOf(note, [readVkey(VKEY) as never], checkEd25519))).toBeNull()
  })

  test('is signed by nobody whom a reader of another key knows', async () => {
    const note = readNote(NOTE)
    expect(note && (await signersOf(note, [key], checkEd25519))).toEqual([])
  })
})

describe('verifier keys', () => {
  test.each([
    ['another id', VKEY.replace('c74f20a3', 'c74f20a4')],
    ['another name', VKEY.replace('Peter', 'Paul')],
    ['another type', VKEY.replace('+AR', '+Ah')],
    ['no name', VKEY.replace('PeterNeumann', '')],
    ['a blank in the name', VKEY.replace('PeterNeumann', 'Peter Neumann')],
    ['a byte less', 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10Q='],
  ])('with %s are none', (_, vkey) => {
    expect(readVkey(vkey)).toBeNull()
  })
})

describe('a checkpoint', () => {
  const said = { origin: NAME, size: 1042, root: Uint8Array.from(leafOf('root')) }
  const note = signed(textOf(said))

  test('says what was signed', async () => {
    expect(await trustedCheckpoint(note, [key], checkEd25519)).toEqual(said)
  })

  test('with any one bit flipped is trusted no more', async () => {
    const bytes = Buffer.from(note)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes)
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7))
      if ((await trustedCheckpoint(other.toString('utf8'), [key], checkEd25519)) !== null)
        expect.fail(`bit ${bit} of ${JSON.stringify(other.toString('utf8'))}`)
    }
  })

  test.each([
    ['an extension line', `${NAME}\n5\n${encode(leafOf('x'))}\nmore\n`],
    ['a leading zero', `${NAME}\n05\n${encode(leafOf('x'))}\n`],
    ['a short root', `${NAME}\n5\nAAAA\n`],
    ['a size beyond what is counted exactly', `${NAME}\n9007199254740993\n${encode(leafOf('x'))}\n`],
    ['no origin', `\n5\n${encode(leafOf('x'))}\n`],
  ])('with %s is none', (_, text) => {
    const read = readNote(signed(text))
    expect(read && readCheckpoint(read)).toBeNull()
  })

  test('of an origin that is not the name of its key is not trusted', async () => {
    const other = signed(textOf({ ...said, origin: `${NAME}1` }))
    expect(await trustedCheckpoint(other, [key], checkEd25519)).toBeNull()
  })

  test('whose signature is one of ours and wrong is refused, whoever else has signed it', async () => {
    const text = textOf(said)
    const right = { ...key, signature: sign(null, Buffer.from(text), privateKey) }
    const wrong = { ...key, signature: sign(null, Buffer.from('another'), privateKey) }
    const stranger = { name: 'witness.example', id: '00000000', signature: wrong.signature }
    const both = writeNote({ text, signatures: [right, wrong] })
    expect(await trustedCheckpoint(both, [key], checkEd25519)).toBeNull()
    const witnessed = writeNote({ text, signatures: [stranger, right] })
    expect(await trustedCheckpoint(witnessed, [key], checkEd25519)).toEqual(said)
  })

  test.each([
    '',
    '\n\n',
    'text\n',
    'text\n\n',
    `${textOf(said)}\n— ${NAME} AAAA\n`,
    note.replace('\n', '\r\n'),
    note.slice(0, -1),
  ])('is not %j', words => {
    expect(readNote(words)).toBeNull()
  })
})

test('base64 has one spelling', () => {
  expect(decode('AA==')).toEqual(Uint8Array.of(0))
  for (const other of ['AB==', 'AA=', 'AA', 'A', 'AA==\n', ' AA==', 'AA-_', 'AAA=='])
    expect(decode(other)).toBeNull()
})

test('an origin is where the lane was reached when the log began, its id and its epoch', () => {
  expect(originOf('https://lane.example.org/gate/', 'ab')).toBe('lane.example.org/gate/ab/1')
  expect(originOf('http://127.0.0.1:8787', 'ab')).toBe('127.0.0.1:8787/ab/1')
  expect(originOf('https://lane.example.org/a+b', 'ab')).toBe('lane.example.org/a%2Bb/ab/1')
  expect(nextEpoch('lane.example.org/gate/ab/9')).toBe('lane.example.org/gate/ab/10')
  expect(logOf('lane.example.org/gate/ab/10')).toEqual({ logId: 'ab', epoch: 10 })
})
