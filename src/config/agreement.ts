// Faults between parts of the configuration that are right by themselves.
//
// CF1  Everyone named anywhere exists: approvers, delegates and the people of a group are recipients, preferred channels
//      have an address.
// CF2  An address belongs to one person: a reply from it can be nobody else's.
// CF3  What the operator demands can be met: a quorum by those who may approve, a ladder by the people it names, on
//      channels of theirs.
// CF4  An account at the OpenID provider that is to be linked can be found, and confirmed.
import { folded, identityOf, TO_BE_LINKED } from '../people/person.js'
import { CHANNELS, type Channel } from '../request/channel.js'
import { everybodyOf, groupNamed } from '../request/group.js'
import { MAX_LADDER_PEOPLE } from '../request/ladder.js'
import type { Recipient } from '../request/recipient.js'
import type { Ladder } from '../request/terms.js'
import type { RawConfig, RawPerson } from './shape.js'

export type Disagreement = { readonly path: readonly PropertyKey[]; readonly message: string }

export function disagreements(raw: RawConfig): Disagreement[] {
  const unknown = unknownPeople(raw)
  return [
    ...unknown,
    ...(unknown.length > 0 ? [] : [...powerless(raw), ...outvoted(raw), ...crowded(raw)]),
    ...unreached(raw),
    ...unknownActions(raw),
    ...ownDelegates(raw),
    ...sharedAddresses(raw),
    ...sharedSubjects(raw),
    ...unlinkable(raw),
  ]
}

/** Everybody who is named, and where. */
function namings(raw: RawConfig): [readonly PropertyKey[], string][] {
  const { recipients, groups = {}, actions = {}, forms } = raw
  const each = (path: readonly PropertyKey[], named: readonly string[]): [readonly PropertyKey[], string][] =>
    named.map((who, index) => [[...path, index], who])
  return [
    ...Object.entries(groups).flatMap(([group, people]) => each(['groups', group], people)),
    ...Object.entries(recipients).flatMap(([userId, { delegates = [] }]) =>
      each(['recipients', userId, 'delegates'], delegates),
    ),
    ...Object.entries(actions).flatMap(([action, { approvers }]) =>
      each(['actions', action, 'approvers'], approvers),
    ),
    ...each(['forms', 'approvers'], forms?.approvers ?? []),
    ...(raw.aah?.route ?? []).flatMap(({ to }, index) => each(['aah', 'route', index, 'to'], to)),
    ...Object.entries(raw.aah?.escalate ?? {}).map(([target, person]): [readonly PropertyKey[], string] => [
      ['aah', 'escalate', target],
      person,
    ]),
    ...laddersOf(raw).flatMap(({ path, ladder }) => addedBy(path, ladder)),
  ]
}

type Placed = { readonly path: readonly PropertyKey[]; readonly ladder: Ladder<Recipient> }

const laddersOf = ({ actions = {}, questions, reviews }: RawConfig): readonly Placed[] =>
  [
    ...Object.entries(actions).map(([name, { ladder }]) => ({ path: ['actions', name, 'ladder'], ladder })),
    { path: ['questions', 'ladder'], ladder: questions?.ladder },
    { path: ['reviews', 'ladder'], ladder: reviews?.ladder },
  ].flatMap(({ path, ladder }) => (ladder === undefined ? [] : [{ path, ladder }]))

const addedBy = (path: Placed['path'], ladder: Placed['ladder']): [readonly PropertyKey[], string][] =>
  ladder.flatMap((step, place) =>
    step.do === 'add'
      ? step.recipients.map(({ user_id }, index): [readonly PropertyKey[], string] => [
          [...path, place, 'recipients', index],
          user_id,
        ])
      : [],
  )

/** A step of an action's ladder adds nobody who may not approve it: their answer would count for nothing. */
function powerless({ actions = {}, groups = {} }: RawConfig): Disagreement[] {
  return Object.entries(actions).flatMap(([name, { approvers, ladder = [] }]) => {
    const able = everybodyOf(approvers, groups)
    return addedBy(['actions', name, 'ladder'], ladder)
      .filter(([, who]) => !everybodyOf([who], groups).every(one => able.includes(one)))
      .map(([path]) => ({ path, message: `people who may approve ${name}: ${able.join(', ')}` }))
  })
}

/** A quorum that everybody who may approve could not reach would refuse every request at the door. */
function outvoted({ actions = {}, groups = {} }: RawConfig): Disagreement[] {
  return Object.entries(actions).flatMap(([name, { approvers, quorum }]) => {
    const most = everybodyOf(approvers, groups).length
    if (quorum === undefined || quorum.need <= most) return []
    const message = `at most as many as may approve ${name}, which are ${most}`
    return [{ path: ['actions', name, 'quorum', 'need'], message }]
  })
}

/** What a caller's ladder is held to at the door: so many people, those of groups among them. */
const crowded = (raw: RawConfig): Disagreement[] =>
  laddersOf(raw).flatMap(({ path, ladder }) => {
    const named = addedBy(path, ladder).map(([, who]) => who)
    const message = `at most ${MAX_LADDER_PEOPLE} people, those of groups among them`
    return everybodyOf(named, raw.groups ?? {}).length <= MAX_LADDER_PEOPLE ? [] : [{ path, message }]
  })

/** A step that names channels names those that everybody it adds is reached on. */
const unreached = (raw: RawConfig): Disagreement[] =>
  laddersOf(raw).flatMap(({ path, ladder }) =>
    ladder.flatMap((step, place) =>
      step.do === 'add'
        ? step.recipients.flatMap(({ user_id, channels = [] }, index) => {
            const at = [...path, place, 'recipients', index, 'channels']
            const people = everybodyOf([user_id], raw.groups ?? {})
            return channels.flatMap((channel, which) => strangersOn(raw, people, channel, [...at, which]))
          })
        : [],
    ),
  )

function strangersOn(
  { recipients }: RawConfig,
  people: readonly string[],
  channel: Channel,
  path: readonly PropertyKey[],
): Disagreement[] {
  const strangers = people.filter(one => {
    const person = recipients[one]
    return person !== undefined && !(person.channels?.includes(channel) ?? person[channel] !== undefined)
  })
  return strangers.length === 0 ? [] : [{ path, message: `a channel of ${strangers.join(', ')}` }]
}

/** A route that makes an approval of an artifact names an action of this file. */
function unknownActions({ actions = {}, aah }: RawConfig): Disagreement[] {
  const known = Object.keys(actions)
  return (aah?.route ?? []).flatMap(({ action }, index) => {
    if (action === undefined || known.includes(action)) return []
    return [{ path: ['aah', 'route', index, 'action'], message: `one of the actions ${known.join(', ')}` }]
  })
}

function unknownPeople(raw: RawConfig): Disagreement[] {
  const people = Object.keys(raw.recipients)
  const groups = Object.keys(raw.groups ?? {})
  return namings(raw).flatMap(([path, who]) => {
    const group = groupNamed(who)
    if (group === null ? people.includes(who) : groups.includes(group)) return []
    const message =
      group === null
        ? `one of the recipients ${people.join(', ')}`
        : groups.length === 0
          ? 'a group of this file, which has none'
          : `one of the groups ${groups.map(name => `group:${name}`).join(', ')}`
    return [{ path, message }]
  })
}

/** A circle of two deputies is an office; a circle of one is a slip. Circles through several people are closed where a
 *  request would go round them: nobody is handed what they have held before. */
function ownDelegates({ recipients }: RawConfig): Disagreement[] {
  return Object.entries(recipients).flatMap(([userId, { delegates = [] }]) => {
    const index = delegates.indexOf(userId)
    const message = 'somebody else: nobody stands in for themselves'
    return index < 0 ? [] : [{ path: ['recipients', userId, 'delegates', index], message }]
  })
}

function sharedAddresses({ recipients }: RawConfig): Disagreement[] {
  const flaws: Disagreement[] = []
  const owners = new Map<string, string>()
  for (const [userId, person] of Object.entries(recipients)) {
    for (const [channel, address] of addressesOf(person)) {
      if (address === TO_BE_LINKED) continue
      const key = `${channel} ${identityOf(channel, address)}`
      const owner = owners.get(key)
      const message = `an address of nobody else: ${owner} has it, and a reply from it could be either's`
      // Everybody's web address is `true`: the page knows people by their links.
      if (owner !== undefined && channel !== 'web')
        flaws.push({ path: ['recipients', userId, channel], message })
      owners.set(key, userId)
    }
  }
  return flaws
}

export function addressesOf(person: RawPerson): [Channel, unknown][] {
  return CHANNELS.flatMap((channel): [Channel, unknown][] =>
    person[channel] === undefined ? [] : [[channel, person[channel]]],
  )
}

/** Whoever signs in is one person. */
function sharedSubjects({ recipients }: RawConfig): Disagreement[] {
  const owners = new Map<string, string>()
  return Object.entries(recipients).flatMap(([userId, { oidc }]) => {
    if (oidc === undefined || oidc === TO_BE_LINKED) return []
    const owner = owners.get(oidc)
    if (owner === undefined) owners.set(oidc, userId)
    return owner === undefined
      ? []
      : [{ path: ['recipients', userId, 'oidc'], message: `another one than that of ${owner}` }]
  })
}

/** The channels that vouch for who answers: on one of them the person says that the account is theirs. */
const VOUCHING: readonly Channel[] = ['slack', 'telegram', 'email']

/** CF4. */
function unlinkable({ recipients, oidc = {} }: RawConfig): Disagreement[] {
  const domains = oidc.domains ?? []
  return Object.entries(recipients).flatMap(([userId, person]) => {
    if (person.oidc !== TO_BE_LINKED) return []
    const flaw = (message: string): Disagreement[] => [{ path: ['recipients', userId, 'oidc'], message }]
    const at = folded(person.email ?? '').split('@')[1]
    if (at === undefined || !domains.includes(at))
      return flaw('link needs an email of theirs in one of oidc.domains, by which the account is found')
    const channels = person.channels ?? CHANNELS.filter(channel => person[channel] !== undefined)
    return channels.some(channel => VOUCHING.includes(channel))
      ? []
      : flaw(`link needs one of ${VOUCHING.join(', ')} among their channels, where they confirm it`)
  })
}
