// The content of one copy's pass: a token that says what may be answered, by whom and until when, and the handles
// that stand in for it on the way.
//
// DP1  Both handles of a copy name one token and one jti; neither can be derived from the other.
// DP2  A handle of use `reply` is made only if an answer on the channel itself would be taken, and the page has a
//      code only if it is the copy's one way to be answered.
// DP3  A copy that could not be answered at all has no handle: it is not sent.
import type { Outbound } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import type { Duty } from '../agenda/owed.js'
import type { Hash } from '../canonical.js'
import type { Guard } from '../ledger/contract.js'
import type { Grant, Shelving } from '../ledger/shelf.js'
import type { Channel } from '../request/channel.js'
import type { Content } from '../request/content/exhibit.js'
import { type Display, display, hashDisplay } from '../request/display.js'
import { hashReplySchema } from '../request/schema-hash.js'
import { bindsByCode, isOnPage, type Way } from '../request/way.js'
import { draw } from '../token/chance.js'
import {
  keepPageCode,
  keepReplyCode,
  PAGE_CODE_BYTES,
  REPLY_CODE_BYTES,
  writePageCode,
  writeReplyCode,
} from '../token/code.js'
import { hashToken } from '../token/jws.js'
import type { Keyring } from '../token/keyring.js'
import { deriveHandle, HANDLE_BYTES, hashHandle, writeHandle } from '../token/reply-handle.js'
import { mint } from '../token/reply-token.js'
import { fitInto, fitPage } from './fit.js'

/** The token's jti: 128 bits. */
const NONCE_BYTES = 16
/** A person with more messages before them answers on the page: each open code is one more that a guess may hit. */
const OPEN_CODES = 20

export type Deliver = Extract<Duty, { kind: 'deliver' }>

export type Minter = {
  readonly keyring: () => Keyring
  readonly keyName: (keyId: string) => string
  readonly now: () => number
  /** Whether a copy on the channel can show this, as its adapter says. */
  readonly shows: (channel: Channel, shown: Display) => boolean
  /** The way this person can answer on this channel, if a copy there shows enough; `coded` says whether a code can be
   *  given out. */
  readonly way: (subject: Case, duty: Deliver, isShown: boolean, coded: boolean) => Way
}

export type Pass = {
  readonly shown: Display
  readonly display_hash: Hash
  readonly way: Way
  readonly token_hash: Hash
  /** The key that signed the token. */
  readonly kid: string
  readonly reply: Outbound['reply']
  readonly page: { readonly handle: string; readonly code: string | null }
  readonly grants: readonly Grant[]
}

export function mintPass(
  minter: Minter,
  subject: Case,
  duty: Deliver,
  coded: boolean,
  contents: readonly Content[],
  reminds = false,
): Pass {
  const frame = display(subject, minter.keyName(subject.opened_by))
  const shows = (one: Display): boolean => minter.shows(duty.channel, one)
  const here = fitInto(duty.channel, shows, frame, contents, subject.terms?.policy.content)
  const way = minter.way(subject, duty, here.fits, coded)
  // A copy that leads to its page is decided on as the page shows it.
  const shown = isOnPage(way) && contents.length > 0 ? fitPage(frame, contents) : here.shown
  const display_hash = hashDisplay(shown)
  const keyring = minter.keyring()
  const { kid } = keyring.signing
  const token = mint(keyring, {
    sub: duty.user_id,
    jti: draw(NONCE_BYTES).toString('base64url'),
    iat: Math.floor(minter.now() / 1000),
    exp: Math.ceil(subject.deadline_ms / 1000),
    req: subject.request_id,
    rqh: subject.request_hash,
    rsh: hashReplySchema(subject.request.reply_schema),
    ch: duty.channel,
    dsh: display_hash,
  })
  const { user_id, channel, delivery_id } = duty
  const mac = keyring.code
  const page = pageOf(mac, way, reminds ? null : duty)
  const reply = replyOf(mac, way, duty)
  const kept = reply === null ? [page.kept] : [page.kept, reply.kept]
  return {
    shown,
    display_hash,
    way,
    token_hash: hashToken(token),
    kid,
    reply: reply && { handle: reply.handle, code: reply.code },
    page: { handle: page.handle, code: page.code },
    grants: isHopeless(way)
      ? []
      : kept.map(({ use, handle_hash, code_hash }) => ({
          handle_hash,
          use,
          code_hash,
          token,
          request_id: subject.request_id,
          delivery_id,
          channel,
          user_id,
        })),
  }
}

type Mac = Keyring['code']

/** On the web the handle of an attempt can be made again (open.ts); `duty` is null for a reminder's. */
function pageOf(mac: Mac, way: Way, duty: Deliver | null) {
  const handle =
    duty?.channel === 'web'
      ? deriveHandle(mac, duty.delivery_id, duty.attempt)
      : writeHandle(draw(HANDLE_BYTES))
  const handle_hash = hashHandle(handle)
  const code = way === 'page' ? writePageCode(draw(PAGE_CODE_BYTES)) : null
  const code_hash = code === null ? '' : keepPageCode(mac, handle_hash, code)
  return { handle, code, kept: { use: 'page', handle_hash, code_hash } as const }
}

function replyOf(mac: Mac, way: Way, { channel, user_id }: Deliver) {
  if (way !== 'reply') return null
  const handle = writeHandle(draw(HANDLE_BYTES))
  const code = bindsByCode(channel) ? writeReplyCode(draw(REPLY_CODE_BYTES)) : ''
  const code_hash = code === '' ? '' : keepReplyCode(mac, channel, user_id, code)
  return { handle, code, kept: { use: 'reply', handle_hash: hashHandle(handle), code_hash } as const }
}

/** Nobody could answer the copy. */
export const isHopeless = (way: Way): way is Exclude<Way, 'reply' | 'page' | 'session'> =>
  way !== 'reply' && !isOnPage(way)

/** The copy leads to the page, and takes no answer where it stands; on the web it stands on the page itself. */
export const announces = ({ way }: Pass, { channel }: Deliver): boolean => isOnPage(way) && channel !== 'web'

export const shelvingsOf = ({ grants }: Pass): Shelving[] => grants.map(grant => ({ put: 'grant', grant }))

/** The condition for giving out a code with the copy. */
export const codeGuard = (
  request_id: string,
  { user_id, channel }: Pick<Deliver, 'user_id' | 'channel'>,
): Guard => ({ kind: 'open_codes', channel, user_id, request_id, at_most: OPEN_CODES })
