// From, Sent, To, Subject: the block by which a mail program introduces a quotation, and the line it draws above.
// They count only directly above a quotation or our marker; lines that resemble them elsewhere are the author's own.
import { hasOnlyItsWords, isOfAddresses } from './attribution.js'
import { dense } from './lines.js'

/** Lines of the longest block; some headers are broken in two. */
const MAX_LINES = 12
const MIN_LABELS = 3

const listed = (words: string): ReadonlySet<string> => new Set(words.split('|'))

const FROM = listed(
  'from|von|de|da|van|od|от|från|fra|lähettäjä|kimden|feladó|expéditeur|remitente|от кого|від|από|发件人|寄件者|差出人|' +
    '보낸 사람|von an|afzender|odesílatel|expeditor|מאת|من',
)
const SENT = listed(
  'sent|date|message du|gesendet|datum|envoyé|envoyé le|le|enviado|enviado el|enviada em|data|fecha|inviato|inviato il|' +
    'verzonden|verzonden op|wysłano|wysłane|отправлено|дата|skickat|sendt|dato|lähetetty|gönderildi|gönderme tarihi|' +
    'elküldve|надіслано|发送时间|寄件日期|送信日時|보낸 날짜|odesláno|trimis|נשלח|ημερομηνία|στάλθηκε',
)
const SUBJECT = listed(
  'subject|sujet|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|тема|ämne|emne|aihe|konu|tárgy|主题|主旨|件名|제목|' +
    'předmět|subiect|נושא|θέμα',
)
const FURTHER = listed(
  'to|cc|copie à|reply to|reply-to|an|à|a|para|aan|do|dw|кому|till|til|vastaanottaja|kime|címzett|收件人|抄送|收件者|宛先|' +
    '받는 사람|komu|către|אל|προς|risposta|rispondi a|répondre à|destinataire|antwort an|beantwoorden - aan|responder a|svar til',
)

type Header = { readonly label: string; readonly value: string }

/** A line without a colon near its beginning has no label and is all value. */
function headerOf(line: string): Header {
  const plain = line.replace(/[*\u00a0]/g, ' ').trimStart()
  const [label = ''] = plain.slice(0, 60).split(/[:：]/, 1)
  const known = label.trim().toLowerCase()
  return isLabel(known) && plain.length > label.length
    ? { label: known, value: plain.slice(label.length + 1) }
    : { label: '', value: plain }
}

const isLabel = (label: string): boolean => [FROM, SENT, SUBJECT, FURTHER].some(labels => labels.has(label))
const HAS_DATE = /\p{Nd}{4}|\p{Nd}[.:h]\p{Nd}{2}/u

/** The index of the block of headers that lasts to the final line; -1 for none. `subject`: the mail's own. */
export function findHeaderBlock(lines: readonly string[], subject: string): number {
  const start = Math.max(lines.length - MAX_LINES, 0)
  const headers = lines.slice(start).map(headerOf)
  const known = comparable(subject)
  const at = headers.findIndex((_, index) => isBlock(headers.slice(index), known))
  return at === -1 ? -1 : start + at
}

const comparable = (text: string): string => dense(text).toLowerCase()

/** A block has one From and one date, and no label twice. */
function isBlock(block: readonly Header[], subject: string): boolean {
  const labelled = block.filter(({ label }) => label !== '')
  const counts = [FROM, SENT, SUBJECT].map(kind => labelled.filter(({ label }) => kind.has(label)).length)
  const [from = 0, sent = 0, about = 0] = counts
  return (
    labelled.length >= MIN_LABELS &&
    from === 1 &&
    sent === 1 &&
    about <= 1 &&
    new Set(labelled.map(({ label }) => label)).size === labelled.length &&
    labelled.every(isCredible) &&
    block.every(
      (header, at) => header.label !== '' || continues(header, block[at - 1], block[at + 1], subject),
    )
  )
}

/** A date must be a date; people must be names and addresses. */
function isCredible({ label, value }: Header): boolean {
  if (SENT.has(label)) return HAS_DATE.test(value) && hasOnlyItsWords(value)
  const [people = ''] = value.split(SUBJECT_WITHIN, 1)
  return SUBJECT.has(label) || hasOnlyItsWords(people)
}

/** Samsung puts the subject on the line of the last recipient. */
const SUBJECT_WITHIN = new RegExp(` (?:${[...SUBJECT].join('|')}) ?[:：]`, 'iu')

/** An unlabelled line continues the one above: with addresses that were too long for it, or with the rest of the
 *  mail's own subject. Any other line is the author's. */
function continues(
  { value }: Header,
  before: Header | undefined,
  next: Header | undefined,
  subject: string,
): boolean {
  if (before === undefined) return false
  if (SUBJECT.has(before.label)) return subject.includes(comparable(before.value + value))
  return next !== undefined && isOfAddresses(value)
}

const ORIGINAL = listed(
  'original message|reply message|oprindelig besked|oprindelig meddelelse|originalnachricht|ursprüngliche nachricht|' +
    "antwort nachricht|message d’origine|message d'origine|message original|mensaje original|mensagem original|" +
    'messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|original meddelelse|opprinnelig melding|' +
    'alkuperäinen viesti|wiadomość oryginalna|исходное сообщение|původní zpráva|原始邮件|原始郵件|元のメッセージ|원본 메시지',
)

/** A line of dashes or underscores, with or without "Original message" between them. */
export function isSeparator(line: string): boolean {
  const text = line.trim()
  if (text.length > 120) return false
  if (/^[-_*=–—]{4,}$/.test(text)) return true
  const inside = text.replace(/^[-_*=–—]+ ?| ?[-_*=–—]+$/g, '').toLowerCase()
  return /^[-_*]{2}/.test(text) && ORIGINAL.has(inside)
}
