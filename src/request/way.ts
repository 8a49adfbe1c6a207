// The way a person can answer a request on a channel: where the copy stands, on the page that it leads to, once they have
// signed in, or not at all. Pure, and asked at admission, at delivery and by the doctor, so that they cannot disagree.
import type { Channel, Proof } from './channel.js'

/** The proof by which each channel vouches for an answer to a copy where it stands. The web has
 *  no place but its page. */
export const OWN_PROOF: Readonly<Record<Channel, Proof | null>> = {
  slack: 'slack_signed',
  telegram: 'telegram_id',
  email: 'dmarc',
  sms: 'sms_from',
  web: null,
}

/** The page's proof: the console's own where it prints the links, possession of the link and its code elsewhere. */
export const pageProofOf = (channel: Channel): Proof => (channel === 'web' ? 'console' : 'link_code')

/** The proof shows that somebody holds the link, and not who they are. */
export const provesPossession = (proof: Proof): boolean => proof === 'link_code' || proof === 'console'

/** The answer was confirmed by a passkey, whoever enrolled it. */
export const isByPasskey = (proof: Proof): boolean => proof === 'passkey' || proof === 'passkey_by_operator'

/** Whether a code stands for the reply handle in the messages people send. */
export const bindsByCode = (channel: Channel): boolean => channel === 'sms'

export type Way =
  | 'reply'
  | 'page'
  /** The copy leads to the console, where a session is the proof, or a passkey. */
  | 'session'
  /** The channel cannot show all of it, and the page's proof is not enough. */
  | 'too_long_here'
  /** No code can be given out for the answer, and the page's proof is not enough. */
  | 'no_code_here'
  /** Neither the channel's own proof nor the page's is enough. */
  | 'proof_insufficient'

type Grounds = {
  readonly channel: Channel
  /** Whether a copy there can show everything that is decided. */
  readonly shown: boolean
  /** Whether a code can be given out, where the channel needs one. */
  readonly coded: boolean
  /** Whether this person can sign in, and a session of theirs can answer such a request. */
  readonly signsIn: boolean
  /** The proofs that passkeys of this person give; they sign in by them too. */
  readonly confirms: readonly Proof[]
  /** The proofs that policy accepts for this request. */
  readonly proofs: readonly Proof[]
}

export function wayOf({ channel, shown, coded, signsIn, confirms, proofs }: Grounds): Way {
  const own = OWN_PROOF[channel]
  const isEnough = own !== null && proofs.includes(own)
  const hasCode = coded || !bindsByCode(channel)
  if (isEnough && shown && hasCode) return 'reply'
  if (proofs.includes(pageProofOf(channel))) return 'page'
  if (signsIn && proofs.includes('web_session')) return 'session'
  if (confirms.some(proof => proofs.includes(proof))) return 'session'
  if (!isEnough) return 'proof_insufficient'
  return shown ? 'no_code_here' : 'too_long_here'
}

/** The copy is answered on a page of the lane's, by whatever proof. */
export const isOnPage = (way: Way): way is 'page' | 'session' => way === 'page' || way === 'session'
