// A form is answered by mail in lines: all that the author wrote, and nothing that anybody else did.
import { describe, expect, test } from 'vitest'
import { compile } from '../../../src/compiler/compile.js'
import type { FormSchema } from '../../../src/compiler/reply-schema.js'
import { facts, letter, MARKER, MESSAGE_ID, NOTICE_ID, said } from './letter.js'

const FORM: FormSchema = {
  kind: 'form',
  decisions: [
    { id: 'ship', type: 'approval', prompt: 'Ship?', required: true },
    { id: 'tell', type: 'approval', prompt: 'Tell?', required: true },
    { id: 'note', type: 'text', prompt: 'A note', required: false },
  ],
}
const asked = async () => ({
  delivery_id: 'd-1',
  isKnown: true,
  messageId: MESSAGE_ID,
  noticeId: NOTICE_ID,
  reminderIds: [],
  decisions: ['ship', 'tell', 'note'],
})
const words = (raw: string): Promise<string> => said(raw, { ...facts(), asked })
const taken = async (raw: string): Promise<unknown> => {
  const compiled = compile(FORM, await words(raw))
  return compiled.ok ? compiled.answer.parsed_payload : compiled.reason
}

const both = (text: string, html: string): string =>
  letter(
    { 'Content-Type': 'multipart/alternative; boundary=b' },
    `--b\nContent-Type: text/plain\n\n${text}\n--b\nContent-Type: text/html\n\n${html}\n--b--\n`,
  )
const QUOTED = `\n\nOn Mon, 16 Nov 2026 at 10:00, Lane <lane@lane.example> wrote:\n> ${MARKER}\n> Ship?\n`
const YES_NO = {
  decisions: [
    { decision_id: 'ship', approved: true },
    { decision_id: 'tell', approved: false },
  ],
}

describe('a mail answers a form', () => {
  test('by its lines, with blank ones between, a delimited signature and the quotation below', async () => {
    expect(await taken(letter({}, `ship yes\n\ntell no\n-- \nAna${QUOTED}`))).toEqual(YES_NO)
  })
  test('by one line, and leaves the rest for later', async () => {
    expect(await taken(letter({}, `tell no${QUOTED}`))).toEqual({
      decisions: [{ decision_id: 'tell', approved: false }],
    })
  })
  test('by the same lines in both of its parts, though a program broke one in the text', async () => {
    const long = `note ${'word '.repeat(20).trim()}`
    const broken = `note ${'word '.repeat(10)}\n${'word '.repeat(10).trim()}`
    expect(await words(both(`ship yes\n${broken}\n`, `<div>ship yes</div><div>${long}</div>`))).toBe(
      `ship yes\n${long}`,
    )
  })
})

describe('a mail answers no decision of a form', () => {
  test.each([
    ['by a condition below its lines', `ship yes\ntell yes\nbut only after legal has signed it off${QUOTED}`],
    ['by a condition above them', `Please wait for Bob.\nship yes${QUOTED}`],
    [
      'by a condition far below a dozen lines',
      `ship yes\ntell yes\n${'\nOne more thing.'.repeat(30)}\nDo not.`,
    ],
    ['by another answer in the signature', `ship yes\n-- \nship no${QUOTED}`],
    ['by lines below the quotation', `ship yes${QUOTED}\ntell yes\n`],
    ['by the same decision twice', `ship yes\nship yes${QUOTED}`],
    ['by a quotation alone', `> ship yes\n> tell yes\n`],
  ])('%s', async (_, body) => {
    expect(await taken(letter({}, body))).toBe('reply_not_in_schema')
  })

  test('by lines that one of its parts has as one', async () => {
    const raw = both('note a\nship yes\n', '<div>note a ship yes</div>')
    expect(await taken(raw)).toBe('reply_not_in_schema')
  })
  test('by a line that only its HTML, or only its text, has', async () => {
    expect(await taken(both('ship yes\ntell no\n', '<div>ship yes</div>'))).toBe('reply_not_in_schema')
    expect(await taken(both('ship yes\n', '<div>ship yes</div><div>tell no</div>'))).toBe(
      'reply_not_in_schema',
    )
  })
})
