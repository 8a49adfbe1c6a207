// Reads the mailbox for ever: new messages, one after the other, each handed in and only then put away.
//
// EL1  The place is durable together with the reply that was taken: a message is handed in once, whatever breaks.
// EL2  A message is put away before the next is handed in, so after a crash at most one message that was taken still
//      lies in the folder.
// EL3  While the ledger or the server is away nothing is skipped: the same message is next.
// EL4  A message that names no request of ours belongs to the mailbox's owner, and stays as it is.
import { type Desk, pause, Retries, reasonOf, type Say } from '../../src/adapter/index.js'
import { type Fate, fateAgain, HEAD_BYTES, handIn, type Intake, isMeantForUs } from './intake.js'
import { MailboxConnection, type MailPosition, PROCESSED, REJECTED } from './mailbox.js'
import type { Incoming } from './variables.js'

const AGAIN_MS = 1_000
const AGAIN_AT_MOST_MS = 60_000
/** A silent name server has these tries and pauses, a minute or two; then it counts as a no, so that other mails are
 *  read. A stranger's is not asked at all (reading/author.ts). */
const NAME_TRIES = 10
const NAME_PAUSE_MS = 5_000
/** No request is open for longer than thirty days, so older mail answers nothing: a new mailbox is read from here. */
const OLDEST_MS = 31 * 86_400_000

type Listener = {
  readonly incoming: Incoming
  readonly intake: Intake
  readonly say: Say
  readonly ca?: string
}

export async function listen(
  listener: Listener,
  cursor: string | null,
  desk: Desk,
): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const loop = new Reader(listener, readCursor(cursor), desk, stopping.signal).read()
  return async () => {
    stopping.abort()
    await loop
  }
}

const writeCursor = ({ validity, uid }: MailPosition): string => `${validity}:${uid}`

function readCursor(cursor: string | null): MailPosition | null {
  const [, validity, uid] = /^([0-9]{1,20}):([0-9]{1,10})$/.exec(cursor ?? '') ?? []
  return validity === undefined ? null : { validity, uid: Number(uid) }
}

class Reader {
  readonly #listener: Listener
  readonly #desk: Desk
  readonly #stopping: AbortSignal
  /** The last message handed in; moved on only after that is durable. */
  #place: MailPosition | null
  readonly #retries: Retries

  constructor(listener: Listener, place: MailPosition | null, desk: Desk, stopping: AbortSignal) {
    this.#listener = listener
    this.#place = place
    this.#desk = desk
    this.#stopping = stopping
    this.#retries = new Retries(AGAIN_MS, AGAIN_AT_MOST_MS, stopping)
  }

  async read(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        await this.#readOnce()
      } catch (error) {
        // A stop closes the connection, so the command under way fails by our own doing.
        if (this.#stopping.aborted) return
        this.#listener.say('warn', 'the mailbox cannot be read; it is tried again', {
          channel: 'email',
          why: codeOf(error),
        })
        await this.#retries.pause()
      }
    }
  }

  async #readOnce(): Promise<void> {
    const { incoming, ca } = this.#listener
    const box = await MailboxConnection.open(incoming, ca)
    const end = (): void => box.close()
    this.#stopping.addEventListener('abort', end, { once: true })
    try {
      await this.#tidy(box)
      while (!this.#stopping.aborted) {
        await this.#drain(box)
        this.#retries.reset()
        await box.news(this.#stopping)
      }
    } finally {
      this.#stopping.removeEventListener('abort', end)
      box.close()
    }
  }

  /** A message handed in just before a crash is put away now; its verdict is in the ledger. */
  async #tidy(box: MailboxConnection): Promise<void> {
    if (this.#place === null || this.#place.validity !== box.validity) return
    const { uid } = this.#place
    const fetched = await box.fetch(uid, HEAD_BYTES)
    if (fetched.kind !== 'mail') return
    await this.#putAway(box, uid, await fateAgain(this.#listener.intake, fetched.bytes, this.#desk.now()))
  }

  async #drain(box: MailboxConnection): Promise<void> {
    const known = this.#place?.validity === box.validity ? this.#place.uid : null
    const since = new Date(this.#desk.now() - OLDEST_MS)
    for (const uid of await box.after(known, since)) {
      if (this.#stopping.aborted) return
      const place = { validity: box.validity, uid }
      const fate = await this.#handIn(box, place)
      this.#place = place
      await this.#putAway(box, uid, fate)
    }
  }

  async #handIn(box: MailboxConnection, place: MailPosition): Promise<Fate> {
    const cursor = writeCursor(place)
    const fetched = await box.fetch(place.uid, HEAD_BYTES)
    if (fetched.kind !== 'mail') {
      await this.#desk.keep(cursor)
      const isOurs = fetched.kind === 'beginning' && isMeantForUs(this.#listener.intake, fetched.bytes)
      return isOurs ? 'refused' : 'theirs'
    }
    for (let tries = 1; ; tries++) {
      const last = tries >= NAME_TRIES
      const fate = await handIn(this.#listener.intake, fetched.bytes, this.#desk, { cursor, last })
      if (fate !== 'later') return fate
      await pause(NAME_PAUSE_MS, this.#stopping)
    }
  }

  async #putAway(box: MailboxConnection, uid: number, fate: Fate): Promise<void> {
    if (fate === 'theirs' || fate === 'later') return
    const moved = await box.move(uid, fate === 'taken' ? PROCESSED : REJECTED)
    if (moved || this.#stopping.aborted) return
    this.#listener.say('warn', 'a mail that was read could not be put away', { channel: 'email' })
  }
}

/** A server's words may repeat a name or an address; its code does not. */
function codeOf(error: unknown): string {
  const { code, authenticationFailed } = Object(error) as { code?: unknown; authenticationFailed?: unknown }
  if (authenticationFailed === true) return 'login refused'
  return typeof code === 'string' ? code : reasonOf(error)
}
