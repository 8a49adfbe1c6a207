// Updates are handed in here, whichever way they came. A reply is taken at the desk first; only then is the person
// told, and a failure to tell them changes nothing.
import {
  cutToCharacters,
  type Desk,
  reasonOf,
  type Say,
  Seen,
  type Verdict,
} from '../../src/adapter/index.js'
import type { BotApi } from './bot-api.js'
import { type Called, codeOf } from './failure.js'
import { controls } from './keyboard.js'
import { isPrompt } from './render.js'
import { type Bot, type Meaning, meaningOf } from './update.js'
import {
  GREETING,
  glancePieces,
  HOW_TO_REPLY,
  LINKED,
  NOT_LINKED,
  NOT_YOURS,
  verdictPieces,
} from './words.js'
import { code, type Piece, write } from './written.js'

/** The Bot API's limit for the answer to a pressed button. */
const MAX_TOAST_CHARS = 200
/** A person whose words belong to no card is told so this rarely: anybody can write to a bot. */
const HINT_EVERY_MS = 60_000
/** Hints remembered for that; more come from strangers. */
const MAX_HINTED = 1_000
/** Calls under way only to tell people something; beyond that a flood is answered by silence. */
const MAX_TELLING = 100

type IntakeParts = { readonly api: BotApi; readonly bot: Bot; readonly say: Say }
type Of<K extends Meaning['kind']> = Extract<Meaning, { kind: K }>

/** A reply that decided is told by its card, which is edited; one that was counted, and decided nothing, is not. */
const isNews = (verdict: Verdict): boolean =>
  verdict.kind === 'refused' || (verdict.kind === 'recorded' && verdict.missing !== null)

export class Intake {
  readonly #parts: IntakeParts
  /** Notices to people under way. Owned by #later(). */
  readonly #telling = new Set<Promise<void>>()
  /** Hints given lately, by chat and words. */
  readonly #hinted = new Seen(MAX_HINTED)

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Durable when it fulfils, and the cursor with it if the result is true; rejects if it could not be kept. */
  async hand(update: unknown, desk: Desk, cursor?: string): Promise<boolean> {
    const meaning = meaningOf(update, this.#parts.bot)
    switch (meaning.kind) {
      case 'pressed':
        await this.#pressed(meaning, desk, cursor)
        return true
      case 'replied':
        await this.#replied(meaning, desk, cursor)
        return true
      case 'picked':
        await this.#picked(meaning, desk)
        return false
      case 'started':
        await this.#started(meaning, desk)
        return false
      case 'blocked':
        await desk.report({
          channel: 'telegram',
          about: { kind: 'sender', sender: meaning.user },
          status: 'blocked',
          stands: false,
        })
        return false
      case 'chatter':
        this.#hint(meaning.chat, HOW_TO_REPLY, desk.now())
        return false
      case 'nothing':
        return false
    }
  }

  /** Waits until everybody was told. */
  async settle(): Promise<void> {
    while (this.#telling.size > 0) await Promise.all(this.#telling)
  }

  async #pressed({ query, inbound }: Of<'pressed'>, desk: Desk, cursor?: string): Promise<void> {
    const verdict = await desk.take(inbound, cursor)
    this.#later(() => this.#toast(query, verdictPieces(verdict), verdict.kind !== 'recorded'))
  }

  async #replied({ spot, inbound }: Of<'replied'>, desk: Desk, cursor?: string): Promise<void> {
    const verdict = await desk.take(inbound, cursor)
    if (verdict.kind === 'unknown' && inbound.authenticated && !inbound.automated) {
      this.#hint(spot.chat, HOW_TO_REPLY, desk.now())
    }
    if (!isNews(verdict)) return
    this.#later(async () => {
      if (verdict.kind === 'refused' && !(await desk.notice(verdict))) return null
      return this.#tell(spot.chat, verdictPieces(verdict), spot.message)
    })
  }

  async #picked({ query, ticked, inbound }: Of<'picked'>, desk: Desk): Promise<void> {
    const glance = await desk.look(inbound)
    const { spot, handle, picks } = ticked
    if (glance === null || spot === null) return this.#later(() => this.#toast(query, [NOT_YOURS], true))
    const { ending, reason, display } = glance
    if (reason !== null) return this.#later(() => this.#toast(query, glancePieces(reason, ending), true))
    const drawn = controls(display.reply_schema, handle, picks)
    this.#later(async () => {
      if (!isPrompt(drawn)) await this.#parts.api.editMessageReplyMarkup(spot.chat, spot.message, drawn)
      return this.#toast(query, [], false)
    })
  }

  async #started({ chat, code: invitation }: Of<'started'>, desk: Desk): Promise<void> {
    const user = invitation === null ? null : await desk.link(invitation, chat)
    if (user === null) return this.#hint(chat, invitation === null ? GREETING : NOT_LINKED, desk.now())
    this.#later(() => this.#tell(chat, [LINKED, code(user), '.']))
  }

  #hint(chat: number, words: string, now: number): void {
    if (this.#hinted.claim(`${chat} ${words}`, now + HINT_EVERY_MS - 1, now))
      this.#later(() => this.#tell(chat, [words]))
  }

  #toast(query: string, pieces: readonly Piece[], alert: boolean): Promise<Called<unknown>> {
    const text = cutToCharacters(write(pieces).text, MAX_TOAST_CHARS)
    return this.#parts.api.answerCallbackQuery(query, text, alert)
  }

  #tell(chat: number, pieces: readonly Piece[], reply_to?: number): Promise<Called<unknown>> {
    return this.#parts.api.sendMessage(chat, {
      ...write(pieces),
      ...(reply_to !== undefined && { reply_to }),
    })
  }

  #later(tell: () => Promise<Called<unknown> | null>): void {
    if (this.#telling.size >= MAX_TELLING) return
    const { say } = this.#parts
    const told = tell()
      .then(called => {
        if (called?.ok === false)
          say('warn', 'a person was not told what became of a reply', { why: codeOf(called.failure) })
      })
      .catch(error => say('warn', 'a person was not told what became of a reply', { why: reasonOf(error) }))
      .finally(() => this.#telling.delete(told))
    this.#telling.add(told)
  }
}
