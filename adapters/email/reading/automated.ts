// Mail that no person wrote as an answer: robots, absences, receipts, calendars, lists. Programs say so of
// themselves; X-Auto-Response-Suppress does not count, because Exchange puts it on ordinary mail.
import { decodeWords } from 'postal-mime'
import { type Field, firstOf, valuesOf } from './head.js'
import { allParts, type Part } from './parts.js'

/** A mail with one of these fields is automatic, whatever the field says. */
const TELLING = new Set([
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-autoresponse',
  'x-auto-reply',
  'x-auto-reply-from',
  'x-autoreply-from',
  'x-auto-respond',
  'x-mail-autoreply',
  'x-vacation',
  'x-vacation-response',
  'x-out-of-office',
  'x-loop',
  'x-ms-exchange-inbox-rules-loop',
  'x-failed-recipients',
])
const PRECEDENCES = new Set(['auto_reply', 'auto-reply', 'bulk', 'junk'])
const ROBOTS = /^(?:mailer-daemon|postmaster|autoreply|auto-reply|vacation)@/
const LIST = ['list-id', 'list-post', 'mailing-list', 'x-mailing-list', 'x-beenthere']

/** The beginnings of an absence's subject, in the words of the large mail programs. */
const SUBJECTS = [
  'automatic reply',
  'auto reply',
  'auto-reply',
  'autoreply',
  'auto response',
  'auto:',
  'autosvar',
  'out of office',
  'out of the office',
  'out-of-office',
  'vacation:',
  'on vacation',
  'away:',
  'automatische antwort',
  'abwesenheitsnotiz',
  'abwesenheit:',
  'abwesend:',
  'réponse automatique',
  "message d'absence",
  'absence du bureau',
  'respuesta automática',
  'fuera de la oficina',
  'resposta automática',
  'fora do escritório',
  'ausência temporária',
  'risposta automatica',
  'fuori sede',
  'fuori ufficio',
  'automatisch antwoord',
  'afwezig',
  'afwezigheid',
  'automatiskt svar',
  'automatisk svar',
  'frånvaro',
  'fravær',
  'automaattinen vastaus',
  'poissa',
  'odpowiedź automatyczna',
  'autoodpowiedź',
  'automatická odpověď',
  'automatikus válasz',
  'răspuns automat',
  'автоответ',
  'автоматический ответ',
  'автоматична відповідь',
  'otomatik yanıt',
  'αυτόματη απάντηση',
  '自动回复',
  '自動回覆',
  '自動応答',
  '自動返信',
  '不在通知',
  '자동 회신',
  '부재중',
  'trả lời tự động',
  'tự động trả lời',
  'read:',
  'gelesen:',
  'lu :',
  'leído:',
  'letto:',
  'not read:',
]

/** Of these, the receipts. */
const RECEIPTS = ['read:', 'gelesen:', 'lu :', 'leído:', 'letto:', 'not read:']
/** Fields of mails that somebody's absence has written. */
const ABSENT = new Set([
  'x-vacation',
  'x-vacation-response',
  'x-out-of-office',
  'x-autoreply',
  'x-auto-reply',
])

export const isListMail = (fields: readonly Field[]): boolean =>
  fields.some(({ name }) => LIST.includes(name)) || word(firstOf(fields, 'precedence')) === 'list'

export const isResent = (fields: readonly Field[]): boolean =>
  fields.some(({ name }) => name.startsWith('resent-'))

export function isAutomated(fields: readonly Field[], root: Part, author: string): boolean {
  return (
    fields.some(({ name }) => TELLING.has(name)) ||
    valuesOf(fields, 'auto-submitted').some(value => word(value) !== 'no') ||
    valuesOf(fields, 'precedence').some(value => PRECEDENCES.has(word(value))) ||
    valuesOf(fields, 'return-path').some(value => value.replace(/\s/g, '') === '<>') ||
    ROBOTS.test(author) ||
    hasRobotsSubject(fields) ||
    allParts(root).some(isRobotsPart)
  )
}

/** Whether an automated mail says that its author is away: not a receipt, a report or a calendar's answer. */
export function isAbsence(fields: readonly Field[], root: Part): boolean {
  const subject = subjectOf(fields)
  if (allParts(root).some(isRobotsPart) || RECEIPTS.some(beginning => subject.startsWith(beginning)))
    return false
  return (
    fields.some(({ name }) => ABSENT.has(name)) ||
    valuesOf(fields, 'auto-submitted').some(value => word(value) === 'auto-replied') ||
    hasRobotsSubject(fields)
  )
}

/** The first word, without the parameters or comment that RFC 3834 allows after it. */
const word = (value: string | null): string => (value ?? '').toLowerCase().split(/[;\s(]/, 1)[0] ?? ''

const subjectOf = (fields: readonly Field[]): string =>
  decodeWords((firstOf(fields, 'subject') ?? '').slice(0, 1_000))
    .trim()
    .toLowerCase()

function hasRobotsSubject(fields: readonly Field[]): boolean {
  const subject = subjectOf(fields)
  return SUBJECTS.some(beginning => subject.startsWith(beginning))
}

/** Reports of every kind, and the Accept or Decline of an invitation: a click in a calendar is no answer to us. */
const isRobotsPart = ({ type, parameters }: Part): boolean =>
  type === 'multipart/report' ||
  type === 'message/disposition-notification' ||
  type === 'message/feedback-report' ||
  (type === 'text/calendar' && parameters.has('method')) ||
  type === 'application/ics'
