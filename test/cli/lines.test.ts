import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesOf, NOT_UTF8 } from '../../src/cli/lines.js'

async function* pieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(bytes: Uint8Array, size = 7): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(pieces(bytes, size))) lines.push(line)
  return lines
}

describe('the lines of an export', () => {
  test('are the same however the bytes arrive', async () => {
    const line = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\n') && text !== '')
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const text = lines.map(each => `${each}\n`).join('')
        expect(await read(Buffer.from(text), size)).toEqual(lines)
      }),
    )
  })

  test('only LF ends a line: U+2028, CR and NEL stand inside', async () => {
    expect(await read(Buffer.from('{"a":"\u2028\u0085\r"}\nb\n'))).toEqual(['{"a":"\u2028\u0085\r"}', 'b'])
  })

  test('bytes that are not UTF-8 never pass for a replacement character', async () => {
    const good = Buffer.from('{"a":"\ufffd"}\n')
    const bad = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n')])
    expect(await read(good)).toEqual(['{"a":"\ufffd"}'])
    expect(await read(bad)).toEqual([NOT_UTF8])
  })

  test('a last line without its end is still read, an empty one in between too', async () => {
    expect(await read(Buffer.from('a\n\nb'))).toEqual(['a', '', 'b'])
  })

  test('a byte order mark is not swallowed', async () => {
    expect(await read(Buffer.from('\ufeffa\n'))).toEqual(['\ufeffa'])
  })

  test('a file without line ends does not fill the memory', async () => {
    await expect(read(Buffer.alloc(5 * 1024 * 1024, 'a'), 1024 * 1024)).rejects.toThrow('this is no export')
  })
})
