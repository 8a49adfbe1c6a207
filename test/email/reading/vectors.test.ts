// What the mail programs of the world make of a reply, by the letters under test/vectors/email.
import { describe, expect, test } from 'vitest'
import { readMail } from '../../../adapters/email/reading/read.js'
import { compile } from '../../../src/compiler/compile.js'
import type { ReplySchema } from '../../../src/compiler/reply-schema.js'
import { facts, HANDLE, MARKER } from './letter.js'
import { VECTORS } from './vectors.js'

const SCHEMAS: Readonly<Record<'yes_no' | 'text', ReplySchema>> = {
  yes_no: { kind: 'yes_no' },
  text: { kind: 'text', max_chars: 500 },
}

async function reply(bytes: Buffer) {
  const mail = await readMail(bytes, facts())
  if (mail.kind !== 'reply') throw new Error(`no reply but ${JSON.stringify(mail)}`)
  return mail
}

test('there are vectors of every large mail program, written for this marker', () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(60)
  const names = VECTORS.map(({ name }) => name).join(' ')
  for (const program of ['gmail', 'outlook-desktop', 'outlook-web', 'outlook-ios', 'apple-mail', 'iphone'])
    expect(names).toContain(program)
  for (const program of ['gmail-android', 'thunderbird', 'yahoo', 'proton', 'samsung', 'mutt'])
    expect(names).toContain(program)
  expect(VECTORS.filter(({ bytes }) => bytes.includes(MARKER.slice(-22, -4))).length).toBeGreaterThan(60)
})

describe('[LANE-057] quotation history and signature do not alter the compiled choice', () => {
  for (const { name, about, expected, bytes } of VECTORS) {
    if (expected.kind !== 'says') continue
    test(`${name}: ${about}`, async () => {
      const mail = await reply(bytes)
      expect(mail).toMatchObject({ text: expected.text, automated: false, binding: { handle: HANDLE } })
      const compiled = compile(SCHEMAS[expected.schema], mail.text)
      expect(compiled).toMatchObject({ ok: true })
    })
  }
})

describe('[LANE-049] what is not one clear answer compiles to a rejection', () => {
  for (const { name, about, expected, bytes } of VECTORS) {
    if (expected.kind !== 'refused') continue
    test(`${name}: ${about}`, async () => {
      const { text, automated } = await reply(bytes)
      expect(automated).toBe(false)
      expect([text, compile(SCHEMAS[expected.schema], text).ok]).toEqual([text, false])
    })
  }
})

describe('a letter no person wrote as an answer is marked so', () => {
  for (const { name, about, expected, bytes } of VECTORS) {
    if (expected.kind !== 'automated') continue
    test(`${name}: ${about}`, async () => expect((await reply(bytes)).automated).toBe(true))
  }
})
