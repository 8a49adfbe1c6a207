import { cutToCharacters } from '../../src/adapter/index.js'

// Text by others, as it may stand in a message: phones turn text that looks like an address into a link, so nothing
// here looks like one; and typographic marks would double the cost of the message.

const TYPESET: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201b': "'",
  '\u2032': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2033': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2022': '-',
  '\u2026': '...',
  '\u00a0': ' ',
  '\u2007': ' ',
  '\u202f': ' ',
}
const SET = new RegExp(`[${Object.keys(TYPESET).join('')}]`, 'g')

/** Nothing of what is changed is without one of these. */
const TOUCHED = /[.:\u0080-\uffff]/

export function plain(text: string): string {
  if (!TOUCHED.test(text)) return text
  return text
    .replace(SET, mark => TYPESET[mark] ?? mark)
    .replace(/:\/\//g, ': //')
    .replace(/[.\u3002\uff0e\uff61](?=\p{L})/gu, (stop, at, all) =>
      isBlank(all, at - 1) ? stop : `${stop} `,
    )
    .replace(/([0-9])\.(?=[0-9]+\.[0-9]+\.[0-9])/g, '$1. ')
}

const isBlank = (text: string, at: number): boolean => at < 0 || /\s/.test(text.charAt(at))

/** A content, of which no character may be taken for another: where a phone would make a link of it the dot or colon
 *  is bracketed, and a bracket that was there before is bracketed too, so that it can be read back. */
export const exact = (text: string): string =>
  text
    .replace(/\[(?=[.:\u3002\uff0e\uff61[]\])/gu, '[[]')
    .replace(/:(?=\/\/)/g, '[:]')
    .replace(/(?<=\S)([.\u3002\uff0e\uff61])(?=\p{L})/gu, '[$1]')
    .replace(/([0-9])\.(?=[0-9]+\.[0-9]+\.[0-9])/g, '$1[.]')

/** The usual mark of a cut, "…", is not in the GSM alphabet. */
export const shortened = (text: string, characters: number): string =>
  cutToCharacters(plain(text), characters, '..')
