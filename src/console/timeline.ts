// A story, told as a timeline: every entry that means something to whoever looks, as a sentence. An operator is told of
// everybody; a person of themselves and of what happened to the request as a whole. No link, handle or code stands in an entry.
import { html, type Markup } from '../adapter/markup.js'
import { spoken } from '../agenda/ending.js'
import type { Entry, OutcomeKind } from '../event.js'
import { isByPasskey } from '../request/way.js'
import { inUtc } from '../request/words.js'

type Tone = 'plain' | 'good' | 'bad'
type Told = {
  readonly at: string
  readonly seq: number
  readonly words: string
  readonly tone: Tone
  /** Whom it concerns; null for everybody. */
  readonly whom: readonly string[] | null
}

type NameOf = (userId: string) => string

/** For `reader` alone, or for an operator where it is null. */
export function timelineOf(
  story: readonly Entry[],
  reader: string | null,
  { person, key }: { readonly person: NameOf; readonly key: NameOf },
): readonly Told[] {
  const nameOf: NameOf = id => (id === reader ? 'you' : person(id))
  const deliveries = new Map<string, { readonly user: string; readonly channel: string }>()
  const told: Told[] = []
  for (const entry of story) {
    if (entry.type === 'DELIVERY_STARTED' || entry.type === 'DELIVERY_HELD')
      deliveries.set(entry.body.delivery_id, { user: entry.body.recipient, channel: entry.body.channel })
    const one = toldOf(entry, nameOf, key, id => deliveries.get(id) ?? { user: '', channel: '' })
    if (one === null) continue
    if (reader === null || one.whom === null || one.whom.includes(reader))
      told.push({ at: entry.at, seq: entry.seq, ...one })
  }
  return told
}

type Sentence = Pick<Told, 'words' | 'tone' | 'whom'>
type Copy = { readonly user: string; readonly channel: string }

const plain = (words: string, whom: Told['whom'] = null, tone: Tone = 'plain'): Sentence => ({
  words,
  tone,
  whom,
})

function toldOf(
  entry: Entry,
  nameOf: NameOf,
  keyName: NameOf,
  copyOf: (id: string) => Copy,
): Sentence | null {
  switch (entry.type) {
    case 'REQUEST_OPENED': {
      const { recipients, opened_by } = entry.body
      const by = 'asked_by' in entry.body ? entry.body.asked_by : keyName(opened_by)
      return plain(`${by} asked ${listed(recipients.map(({ user_id }) => nameOf(user_id)))}`)
    }
    case 'OUTBOUND_REQUEST_SENT': {
      const { user, channel } = copyOf(entry.body.delivery_id)
      return plain(`Shown to ${nameOf(user)} by ${channel}`, [user])
    }
    case 'DELIVERY_FAILED': {
      const { user, channel } = copyOf(entry.body.delivery_id)
      const { code, final } = entry.body
      const words = `Could not be sent to ${nameOf(user)} by ${channel}: ${code}${final ? '' : '; it is tried again'}`
      return plain(words, [user], 'bad')
    }
    case 'DELIVERY_STATUS': {
      const { user, channel } = copyOf(entry.body.delivery_id)
      return plain(`The copy of ${nameOf(user)} by ${channel}: ${entry.body.status}`, [user])
    }
    case 'DELIVERY_HELD':
      return plain(`Held for ${nameOf(entry.body.recipient)} until ${inUtc(entry.body.until)}`, [
        entry.body.recipient,
      ])
    case 'REQUEST_REMINDED': {
      const { user } = copyOf(entry.body.delivery_id)
      return plain(`Reminded ${nameOf(user)}`, [user])
    }
    case 'REQUEST_ESCALATED': {
      const { to, do: what } = entry.body
      const people = listed(to.map(nameOf))
      return plain(what === 'add' ? `${people} asked too` : `The next channel was opened for ${people}`, to)
    }
    case 'REQUEST_DELEGATED': {
      const { from, to } = entry.body
      return plain(`Handed from ${nameOf(from)} to ${nameOf(to)}`, [from, to])
    }
    case 'INBOUND_REPLY_REJECTED':
      return plain(
        `A reply was not taken: ${entry.body.reason}`,
        [copyOf(entry.body.delivery_id).user],
        'bad',
      )
    case 'HUMAN_REPLY_EVENT': {
      const { sender_identity } = entry.body
      const { user_id, proof } = sender_identity
      const how = isByPasskey(proof) ? ', confirmed with a passkey' : ''
      return plain(`${capital(nameOf(user_id))} answered ${spoken(entry.body)}${how}`, [user_id], 'good')
    }
    case 'REQUEST_RESOLVED':
      return plain(
        ENDINGS[entry.body.outcome],
        null,
        entry.body.outcome === 'answered' ? 'good' : entry.body.outcome === 'withdrawn' ? 'plain' : 'bad',
      )
    case 'DIRECTOR_DECIDED':
      return plain(`The run: ${entry.body.decision}`, [])
    case 'POLICY_TOKEN_ISSUED':
      return plain('The right to act once was given', [])
    case 'POLICY_TOKEN_SPENT':
      return plain('The right was used', [])
    case 'CALLBACK_ATTEMPTED':
      return plain('The caller was called back', [])
    default:
      return null
  }
}

const ENDINGS: Readonly<Record<OutcomeKind, string>> = {
  answered: 'Answered',
  defaulted: 'Nobody decided in time: the default holds',
  undelivered: 'It reached nobody in time: the default holds',
  withdrawn: 'Withdrawn',
}

/** A name stays as it is written. */
const capital = (words: string): string => words.replace(/^you\b/, 'You')
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export const drawTimeline = (told: readonly Told[]): Markup =>
  html`<ol class="story">${told.map(
    ({ at, words, tone }) =>
      html`<li class="${tone}">${capital(words)}<time datetime="${at}">${inUtc(at)}</time></li>`,
  )}</ol>`
