// Words that phones send to the carrier or the provider, not to us: they switch the channel off and on. A person who
// answers CANCEL to a request has left the channel; so none of these is ever an answer, with a code or without.

/** The words of several providers together: a word that opts out anywhere is no answer anywhere. */
const OPT_OUT = [
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'UNSUB',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
  'OPT-OUT',
  'OPT OUT',
  'REMOVE',
  'ARRET',
  'ARRÊT',
  'TD',
]
/** Twilio also takes a bare YES as an opt-in; `YES 7K3F` is none, so only the whole message counts here. */
const OTHER = ['START', 'STARTALL', 'UNSTOP', 'HELP', 'INFO', 'AIDE', 'JOIN']

type Keyword = 'opt_out' | 'other'

const folded = (text: string): string =>
  text
    .trim()
    .replace(/[.!]$/, '')
    .replace(/[ \t\r\n]+/g, ' ')
    .toUpperCase()

/** `optOutType` comes from a provider that knows its customers' own words for opting out. */
export function keywordOf(text: string, optOutType: string | null = null): Keyword | null {
  if (optOutType === 'STOP') return 'opt_out'
  const word = folded(text)
  if (OPT_OUT.includes(word)) return 'opt_out'
  return optOutType !== null || OTHER.includes(word) ? 'other' : null
}
