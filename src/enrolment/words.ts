// What a person is asked before something becomes theirs. The words of a browser and of a provider are strangers' words:
// they are quoted, and cut to letters that can do nothing.
import { type Claim, fingerprintOf } from './claim.js'

/** What is known of the place where it was made. */
export type Place = {
  /** The lane's own host, as the person sees it in their browser. */
  readonly host: string
  /** What the browser says of itself; null where it says nothing. */
  readonly browser: string | null
}

type Asked = { readonly question_text: string; readonly impact: string }

const MOST_WORDS = 120
const QUIET = /[^A-Za-z0-9 .,;:()_+-]+/g
/** A dot stands only before a number, as in a version: programs that show messages make a link of any name with a dot. */
const NAME_DOT = /\.(?![0-9])/g
const WHO = 'If it was not you, answer NO and tell whoever runs this lane.'

export const quietly = (words: string | null): string => {
  const clean = (words ?? '')
    .replace(/\//g, ' ')
    .replace(QUIET, '')
    .replace(NAME_DOT, ' ')
    .trim()
    .slice(0, MOST_WORDS)
    .trim()
  return clean === '' ? 'a browser that does not say what it is' : `a browser that calls itself “${clean}”`
}

export function wordsFor(claim: Claim, { host, browser }: Place): Asked {
  if (claim.kind === 'passkey')
    return {
      question_text: `Is the new passkey ${fingerprintOf(claim)} yours?`,
      impact: `It was made at ${host} just now, in ${quietly(browser)}. With it one signs in as you and answers as you, approvals among them. Answer YES only if you made it and the page shows the same characters. ${WHO}`,
    }
  return {
    question_text: `Is the account ${fingerprintOf(claim)} at the sign-in provider yours?`,
    impact: `Somebody signed in at ${host} with it for the first time just now, in ${quietly(browser)}; the provider has it under your address. On YES it is yours here: with it one signs in as you and answers as you. Answer YES only if it was you and the page shows the same characters. ${WHO}`,
  }
}

export const invitationFor = (host: string): Asked => ({
  question_text: `Will you make a passkey for ${host}?`,
  impact:
    'Open the page that this leads to on the device that is to have it, and answer YES there: the device makes the passkey, and you are asked here once more whether it is yours. Whoever runs this lane has invited you; the invitation works once.',
})

/** For those of a person's channels on which they were not asked about it. */
export const noticeOf = (fingerprint: string, by: 'person' | 'operator'): Asked => ({
  question_text: `The passkey ${fingerprint} was registered for you. Is it yours?`,
  impact: `${by === 'person' ? 'You have confirmed it on another channel of yours' : 'Whoever runs this lane has enrolled it in your name'}. With it one signs in as you. Your answer is recorded and takes nothing back by itself: after a NO tell whoever runs this lane.`,
})

/** For all channels of somebody whose passkey was taken back. */
export const revocationOf = (fingerprint: string, by: 'person' | 'operator'): Asked => ({
  question_text: `The passkey ${fingerprint} was taken back. Do you know of it?`,
  impact: `${by === 'person' ? 'Somebody who is signed in as you has done it' : 'Whoever runs this lane has done it'}. It signs nobody in and confirms nothing any more; what it confirmed before stays. Your answer is recorded and changes nothing by itself: after a NO tell whoever runs this lane.`,
})
