// The fields that several shapes share, each rule with the sentence that teaches it.
import { z } from 'zod'
import type { Rules } from '../rules.js'
import { fieldsOnly } from './refusal.js'
import { flawOfLines, TEXT_RULES, type TextFlaw } from './text.js'

/** request_id, run_id, work_item_id and user_id: safe in a URL, a file name and a log line. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
export const ID_WORDS = '1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit'
export const id = z.string({ error: ID_WORDS }).regex(ID, { error: ID_WORDS })

/** An object with these members and no others, named in the refusal of any other. */
export const shape = <S extends z.core.$ZodLooseShape>(noun: string, fields: S) =>
  z.strictObject(fields, { error: fieldsOnly(noun, Object.keys(fields)) })

/** Names that mean something to a JavaScript object; a record with such a key is not the record it looks like. */
export const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype']

const UNSHOWABLE_WORDS = {
  sign: 'which is not shown',
  blank: 'and blanks stand alone, each a U+0020',
  mark: 'and marks stand on letters, at most four on one, none over it',
} as const

function teach(flaw: TextFlaw): string {
  switch (flaw.kind) {
    case 'blank':
      return 'this shows nothing'
    case 'too_long':
      return `this has ${flaw.length}`
    case 'gap':
      return 'empty lines stand alone'
    case 'unshowable':
      return `character ${flaw.at} is ${flaw.character}, ${UNSHOWABLE_WORDS[flaw.as]}`
  }
}

/** A string people will read (invariant T1 of text.ts). The part of a rule that JSON Schema can express stands beside
 *  it as `meta`. */
export const shownText = (maxChars: number, words: string, rules: Rules) =>
  z
    .string({ error: words })
    .superRefine((text, context) => {
      const flaw = TEXT_RULES[rules](text, maxChars)
      if (flaw) context.addIssue({ code: 'custom', message: `${words}; ${teach(flaw)}` })
    })
    .meta({ minLength: 1, maxLength: maxChars })

/** Shown text of several lines, each ended by LF; a line may be empty, two in a row and all of them may not. */
export const shownLines = (maxChars: number, words: string, rules: Rules) =>
  z
    .string({ error: words })
    .superRefine((text, context) => {
      const flaw = flawOfLines(text, maxChars, TEXT_RULES[rules])
      if (flaw) context.addIssue({ code: 'custom', message: `${words}; ${teach(flaw)}` })
    })
    .meta({ minLength: 1, maxLength: maxChars })
