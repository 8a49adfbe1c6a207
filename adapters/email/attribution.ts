// "On … wrote:" and the block of From, Sent, To, Subject: the lines by which a mail program introduces what it quotes.
// They count only directly above a quotation or our marker; a line that resembles one elsewhere is the author's own.

/** Characters. Name, address and date written out in full have about two hundred. */
const MAX_CHARS = 400
/** Programs break it at most into these many lines. */
const MAX_LINES = 4
/** Lines of the block in which the other headers must follow; some are broken in two. */
const MAX_BLOCK_LINES = 12

const listed = (words: string): readonly string[] => words.split('|')

const OPENERS = listed(
  'on |am |le |el |in data |il |em |op |den |w dniu |dnia |dne |dňa |la |pe |на |vào |a(z) |στις |' +
    'tarihinde |il giorno |el día |pada |no dia ',
)

const CLOSERS = listed(
  'wrote:|wrote :|writes:|a écrit:|a écrit :|escribió:|ha escrit:|ha scritto:|' +
    'escreveu:|schreef:|schrieb:|skrev:|kirjoitti:|napisał(a):|napisał:|napisała:|pisze:|написал(а):|' +
    'написал:|написала:|пишет:|писал(а):|пише:|napsal(a):|napsal:|napísal(a):|a scris:|írta:|ezt írta:|' +
    'έγραψε:|yazdı:|写道：|写道:|寫道：|寫道:|のメール:|のメール：|wrote：|님이 작성:|đã viết:|menulis:|je napisao/la:|rašė:|' +
    'kirjutas:',
)

/** Some leave the colon out; then they name an address. */
const WITHOUT_COLON = ['wrote', 'a écrit']

/** Between who and what, in languages that put the verb there; the line then ends with a colon. */
const MIDDLE = ['schrieb ', 'schreef ', 'skrev ', 'scrive ', 'пише ']

const WEEKDAYS = listed(
  'mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mo|di|mi|do|' +
    'fr|sa|so|lun|mar|mer|mié|jue|jeu|ven|vie|sam|sáb|dim|dom|seg|ter|qua|qui|sex|пн|вт|ср|чт|пт|сб|вс|' +
    'pon|wt|śr|czw|pt|sob|niedz|ma|ti|ke|to|pe|la|su|tor|ons|tir|man|fre|lør|søn',
)

const COLON = /[:：]\s*$/
/** A year, or a time of day. */
const HAS_DATE = /\d{4}|\d[.:]\d{2}/

/** How many of the last lines introduce the quotation below them; 0 for none. The fewest that can, beginning as such a
 *  line begins; else the fewest that name an address. */
export function attributionLines(lines: readonly string[], own: readonly string[]): number {
  const counts = Array.from({ length: Math.min(MAX_LINES, lines.length) }, (_, index) => index + 1)
  const kinds = counts.map(count => attributionKind(lines.slice(-count), own))
  return kinds.indexOf('plain') + 1 || kinds.indexOf('by_address') + 1
}

/** 'plain': begins and ends as one. 'by_address': ends as one and names who is quoted. */
function attributionKind(lines: readonly string[], own: readonly string[]): 'plain' | 'by_address' | null {
  // Where it is broken twice, the address stands on the line between: anything else there was put there.
  if (!lines.slice(1, -1).every(line => line.includes('@'))) return null
  // And it ends where its colon is.
  if (lines.slice(0, -1).some(line => COLON.test(line))) return null
  const whole = lines.join(' ').replace(/[\s\u00a0]+/g, ' ')
  const said = whole
    .slice(0, MAX_CHARS + 1)
    .toLowerCase()
    .replace(/^[-*_ ]+|[-*_ ]+$/g, '')
  if (whole.length > MAX_CHARS || !HAS_DATE.test(said)) return null
  const begins = OPENERS.some(word => said.startsWith(word))
  const hasAddress = said.includes('@')
  const isClosed = (hasAddress ? [...CLOSERS, ...WITHOUT_COLON] : CLOSERS).some(word => said.endsWith(word))
  const hasColon = COLON.test(said)
  if (isClosed && (begins || isDated(said))) return 'plain'
  if (hasColon && begins && MIDDLE.some(word => said.includes(` ${word}`))) return 'plain'
  if (hasColon && isDated(said) && endsWithAddress(said)) return 'plain'
  if (isClosed && hasAddress) return 'by_address'
  return hasColon && own.some(address => said.includes(address)) ? 'by_address' : null
}

/** It begins with a date: a digit, or the name of a day with one right behind it or behind the month's. */
function isDated(said: string): boolean {
  if (/^\d/.test(said)) return true
  const [, day = ''] = /^(\p{L}+)[.,]* +(?:\p{L}+[.,]* +)?\d/u.exec(said) ?? []
  return WEEKDAYS.includes(day)
}

function endsWithAddress(said: string): boolean {
  const last = said.slice(0, -1).trimEnd()
  const open = Math.max(last.lastIndexOf('<'), last.lastIndexOf('('))
  return /[>)]$/.test(last) && open !== -1 && last.slice(open).includes('@')
}

const FROM = listed(
  'from|von|de|da|van|od|от|från|fra|lähettäjä|kimden|feladó|expéditeur|remitente|от кого|від|από|' +
    '发件人|寄件者|差出人|보낸 사람|von an|afzender|odesílatel|expeditor',
)
const FURTHER = listed(
  'sent|date|to|cc|subject|message du|copie à|sujet|reply to|reply-to|gesendet|datum|an|betreff|' +
    'envoyé|envoyé le|à|a|objet|date|enviado|enviado el|enviada em|para|asunto|assunto|data|fecha|' +
    'inviato|inviato il|oggetto|verzonden|verzonden op|aan|onderwerp|wysłano|wysłane|do|dw|temat|' +
    'отправлено|дата|кому|тема|skickat|till|ämne|sendt|til|emne|dato|lähetetty|vastaanottaja|aihe|' +
    'gönderildi|gönderme tarihi|kime|konu|elküldve|címzett|tárgy|надіслано|发送时间|收件人|主题|抄送|寄件日期|收件者|主旨|' +
    '送信日時|宛先|件名|보낸 날짜|받는 사람|제목|odesláno|komu|předmět|trimis|către|subiect',
)

const labelOf = (line: string): string => {
  const bare = line
    .slice(0, 60)
    .replace(/[*\u00a0]/g, ' ')
    .trimStart()
  const [label = ''] = bare.split(/[:：]/, 1)
  return label.length === bare.length ? '' : label.trim().toLowerCase()
}

/** Where a block of at least three header lines begins that ends with the lines, and of which one says From; -1 where
 *  there is none. Between them stands at most an address that was too long for its line: anything else was put there. */
export function findHeaderBlock(lines: readonly string[]): number {
  const labels = lines.map(labelOf)
  if (!isLabel(labels.at(-1) ?? '')) return -1
  return labels.findIndex((label, at) => {
    if (!isLabel(label) || labels.length - at > MAX_BLOCK_LINES) return false
    const block = labels.slice(at)
    const isWhole = block.every((one, index) => isLabel(one) || lines[at + index]?.includes('@'))
    return isWhole && block.filter(isLabel).length >= 3 && block.some(one => FROM.includes(one))
  })
}

const isLabel = (label: string): boolean => FROM.includes(label) || FURTHER.includes(label)

const ORIGINAL = listed(
  'original message|oprindelig besked|originalnachricht|ursprüngliche nachricht|message d’origine|' +
    "message d'origine|message original|mensaje original|mensagem original|messaggio originale|" +
    'oorspronkelijk bericht|ursprungligt meddelande|original meddelelse|opprinnelig melding|' +
    'alkuperäinen viesti|wiadomość oryginalna|исходное сообщение|původní zpráva|原始邮件|原始郵件|元のメッセージ|' +
    '원본 메시지',
)

/** A line of dashes or underscores, with or without "Original message" between them. */
export function isSeparator(line: string): boolean {
  const text = line.trim()
  if (text.length > 120) return false
  if (/^[-_*=–—]{4,}$/.test(text)) return true
  const inside = text.replace(/^[-_*=–—]+ ?| ?[-_*=–—]+$/g, '').toLowerCase()
  return /^[-_*]{2}/.test(text) && ORIGINAL.includes(inside)
}
