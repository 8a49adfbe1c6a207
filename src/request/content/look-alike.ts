// Words that look like others: letters of two scripts within one word, or a word of foreign letters that all have a
// Latin twin, among Latin words. Marked, never refused: names may be written so.
//
// What may stand together in a word is what UTS #39 calls highly restrictive.

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const ASCII = /^[\u0000-\u007f]*$/
const LATIN = /\p{Script=Latin}/u

/** The scripts that share looks with Latin, by which a reader can be deceived, and those that Latin is mixed with. */
const SCRIPTS = [
  ['Latin', LATIN],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
] as const

/** Cyrillic and Greek letters that are drawn as Latin ones. */
const TWINS = /^[асеорхуіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅοναιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]+$/u

/** What is marked, in our words; null where nothing is. */
export function lookAlike(text: string): string | null {
  if (ASCII.test(text)) return null
  let twin: string | null = null
  let hasLatin = false
  for (const [word] of text.matchAll(WORD)) {
    if (ASCII.test(word)) {
      hasLatin ||= /[A-Za-z]/.test(word)
      continue
    }
    const scripts = SCRIPTS.filter(([, letters]) => letters.test(word)).map(([name]) => name)
    if (scripts.length > 1) return `look-alike: a word mixes ${scripts.join(' and ')} letters`
    hasLatin ||= scripts[0] === 'Latin'
    if (twin === null && TWINS.test(word)) twin = scripts[0] ?? null
  }
  return twin !== null && hasLatin ? `look-alike: a word of ${twin} letters can be read as Latin` : null
}
