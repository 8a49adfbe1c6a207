// "On … wrote:": the line by which a mail program introduces what it quotes. It counts only directly above a quotation or
// our marker; a line that resembles one elsewhere is the author's own.
//
// EA1  It begins with a date, behind a word for "on" or without; or it names who is quoted, by an address.
// EA2  It holds nothing but a date, a name, an address and the words of such lines, also where the address is ours. A
//      name has at most one word in small letters (or in a script without capitals), right before the verb or the
//      address: more of them are a sentence. No name has a word that begins a condition.
import { bare, beginsWithDate, isName, isOfDate } from './calendar.js'
import { hasCondition } from './condition.js'

/** Characters. Name, address and date written out in full have about two hundred. */
const MAX_CHARS = 400
/** Programs break it into at most these many lines. */
const MAX_LINES = 4

const listed = (words: string): readonly string[] => words.split('|')

const OPENERS = listed(
  'on |am |le |el |in data |il |il giorno |em |no dia |op |den |på |w dniu |dnia |dne |dňa |la |pe |на |vào |a(z) |' +
    'στις |el día |pada |v |v v |в |u |在 |於 |בתאריך |ב-|في |เมื่อ ',
)

const CLOSERS = listed(
  'wrote:|wrote :|writes:|a écrit:|a écrit :|escribió:|ha escrit:|va escriure:|ha scritto:|escreveu:|escribiu:|' +
    'schreef:|het volgende geschreven:|schrieb:|geschrieben:|skrev:|skrifaði:|kirjoitti:|kirjutas:|napisał(a):|napisał:|' +
    'napisała:|pisze:|napsal(a):|napsal:|napísal(a):|napísal:|je napisao/la:|je napisao:|napisao je:|je napisal/a:|' +
    'je napisal:|napisal:|napisala:|написал(а):|написал:|написала:|пишет:|писал(а):|пише:|написав:|написав(ла):|написа:|' +
    'a scris:|írta:|ezt írta:|έγραψε:|yazdı:|rašė:|rakstīja:|idatzi du:|写道：|写道:|寫道：|寫道:|のメール:|のメール：|' +
    'さんは書きました:|wrote：|님이 작성:|이(가) 쓴 글:|đã viết:|menulis:|כתב:|כתב/ה:|כתבה:|كتب:|نوشت:|เขียนว่า:',
)

/** Some programs leave the colon out; then they name an address. */
const WITHOUT_COLON = ['wrote', 'a écrit']

/** Verbs that stand in the middle of the line in some languages; the line then ends with a colon. */
const MIDDLE = ['schrieb ', 'schreef ', 'skrev ', 'scrive ', 'пише ', 'ezt írta ']

/** Further words of such lines: "via", "the user", and words that join names. */
const OWN_WORDS = new Set(
  listed(
    'via|mailto|van|von|ten|ter|dos|los|di|da|du|und|and|from|of|the|y|e|ο|χρήστης|heeft|użytkownik|lietotājs|oseba|' +
      'пользователь|користувач|şunu|tarihinde|időpont|keltezéssel|מאת|' +
      [...CLOSERS, ...WITHOUT_COLON, ...MIDDLE].join('|').replaceAll(' ', '|'),
  ).map(bare),
)

const COLON = /[:：]\s*$/
/** A year, or a time of day. */
const NUMBERS = /\p{Nd}{4}|\p{Nd}[.:h]\p{Nd}{2}/u
/** Signs that only turn the direction of writing, as programs put them around names and addresses. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The number of last lines that introduce the quotation below them; 0 for none. The fewest lines that begin as an
 *  introduction does are taken; else the fewest that name an address. */
export function attributionLines(lines: readonly string[], own: readonly string[]): number {
  const last = lines.slice(-MAX_LINES).map(line => line.replace(DIRECTION, ''))
  const kinds = last.map((_, index) => attributionKind(last.slice(-index - 1), own))
  return kinds.indexOf('plain') + 1 || kinds.indexOf('by_address') + 1
}

/** 'plain': begins with a date and ends as an introduction does. 'by_address': ends so and has an address. */
function attributionKind(lines: readonly string[], own: readonly string[]): 'plain' | 'by_address' | null {
  const joined = lines.join(' ').replace(/[\s\u00a0]+/g, ' ')
  if (joined.length > MAX_CHARS || !isBrokenByProgram(lines)) return null
  const whole = unruled(joined)
  const said = whole.toLowerCase()
  const isOurs = own.some(address => namesAddress(said, address))
  if (!hasOnlyItsWords(whole.slice(openerOf(said).length))) return null
  const ends = said.includes('@') ? [...CLOSERS, ...WITHOUT_COLON] : CLOSERS
  const hasColon = COLON.test(said)
  const isClosed = ends.some(end => said.endsWith(end))
  const isMiddle = hasColon && MIDDLE.some(verb => said.includes(` ${verb}`))
  if (beginsAsOne(said) && (isClosed || isMiddle || (hasColon && endsWithAddress(said)))) return 'plain'
  // A line above the one with the address would be another's, or the author's.
  const isByWhom = lines[0]?.includes('@') === true && (isOurs || beginsWithAddress(whole))
  const isEnded = isClosed || ((isOurs ? hasColon : isMiddle) && hasDate(said))
  return isByWhom && isEnded ? 'by_address' : null
}

/** Some programs draw dashes around it. */
const unruled = (text: string): string => text.replace(/^[-*_ ]+|[-*_ ]+$/g, '')

/** A middle line holds only an address or the time: other words are the author's. It ends at its colon. */
const isBrokenByProgram = (lines: readonly string[]): boolean =>
  lines.slice(1, -1).every(line => isOfAddresses(line) || TIME.test(line.trim())) &&
  !lines.slice(0, -1).some(line => COLON.test(line))
const TIME = /^(?:at |um |à |om |kl\.? |alle )?\d{1,2}[.:]\d{2}(?: ?[ap]\.?m\.?)?,?$/i

const hasDate = (said: string): boolean => NUMBERS.test(said) || said.split(/[\s,]+/).some(isName)

const beginsAsOne = (said: string): boolean =>
  hasDate(said) &&
  ['', ...OPENERS].some(word => said.startsWith(word) && beginsWithDate(said.slice(word.length).trimStart()))

/** The longest opener that the line begins with. */
const openerOf = (said: string): string =>
  OPENERS.filter(word => said.startsWith(word)).reduce(
    (one, next) => (next.length > one.length ? next : one),
    '',
  )

const namesAddress = (said: string, address: string): boolean =>
  [`<${address}`, `(${address}`, `mailto:${address}`].some(written => said.includes(written))

const QUOTED_NAME = /"[^"]{0,80}"/g

/** Nothing but names and addresses, in words that no sentence is made of. */
export const isOfAddresses = (text: string): boolean =>
  text.includes('@') && text.split(/\s+/).every(word => word.includes('@') || !/^\p{Ll}/u.test(word))

const SEPARATORS = /[\s,;:()[\]<>"“”„«»，：、]+/

export function hasOnlyItsWords(whole: string): boolean {
  if (hasCondition(whole.split(SEPARATORS))) return false
  const words = whole
    .replace(QUOTED_NAME, '')
    .split(SEPARATORS)
    .filter(word => word !== '')
  const strange = words.flatMap((word, at) => (isStrange(word) ? [words[at + 1] ?? ''] : []))
  return strange.length === 0 || (strange.length === 1 && strange.every(isAfterName))
}

const isStrange = (word: string): boolean =>
  /^[\p{Ll}\p{Lo}]/u.test(word) &&
  !word.includes('@') &&
  bare(word).length > 1 &&
  !isOfDate(word) &&
  !isOwnWord(word)
const isOwnWord = (word: string): boolean => OWN_WORDS.has(bare(word))
const isAfterName = (next: string): boolean => next === '' || next.includes('@') || isOwnWord(next)

function endsWithAddress(said: string): boolean {
  const last = said.slice(0, -1).trimEnd()
  const open = Math.max(last.lastIndexOf('<'), last.lastIndexOf('('))
  return /[>)]$/.test(last) && open !== -1 && last.slice(open).includes('@')
}

/** "Name <address> …": no number stands in a name. */
const beginsWithAddress = (whole: string): boolean =>
  /^[^<>()@\p{Nd}]{0,80}[<(][^<>()\s]{1,120}@/u.test(whole)
