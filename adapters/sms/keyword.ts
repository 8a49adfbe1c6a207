// Words that phones send to the carrier or the provider, not to us: they switch the channel off and on. A person who
// answers CANCEL to a request has left the channel; so none of these is ever an answer, with a code or without.

/** Of several providers together: what opts out anywhere is no answer anywhere. */
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

/** `optOutType` is what a provider says that knows its customers' own words for it. */
export function keywordOf(text: string, optOutType: string | null = null): Keyword | null {
  if (optOutType === 'STOP') return 'opt_out'
  const word = folded(text)
  if (OPT_OUT.includes(word)) return 'opt_out'
  return optOutType !== null || OTHER.includes(word) ? 'other' : null
}
