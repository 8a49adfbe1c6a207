// Checks whether the people asked could answer, and which proofs count: a request that nobody can answer with a
// sufficient proof is refused, and one that a forwarded message or a forged number can answer is open to anybody.

import { type Config, outboxOpen, WEAK_PROOFS } from '../../config/config.js'
import { canAnswerSignedIn, passkeyHost, type SigningIn } from '../../config/signing-in.js'
import type { Channel, Proof } from '../../request/channel.js'
import { isToldByContent } from '../../request/display.js'
import { isByPasskey, isOnPage, wayOf } from '../../request/way.js'
import { type Finding, warn } from './finding.js'

/** The proofs that policy takes for one kind of request, and the people asked. */
type Rule = {
  readonly name: string
  readonly people: readonly string[]
  readonly proofs: readonly Proof[]
  readonly isApproval: boolean
}

function rulesOf({ recipients, actions, questions, reviews, forms }: Config): readonly Rule[] {
  const everybody = Object.keys(recipients)
  return [
    ...Object.entries(actions).map(([name, { approvers: people, proofs }]) => ({
      name,
      people,
      proofs,
      isApproval: true,
    })),
    { name: 'questions', people: everybody, proofs: questions.proofs, isApproval: false },
    { name: 'reviews', people: everybody, proofs: reviews.proofs, isApproval: false },
    { name: 'forms', people: forms.approvers, proofs: forms.proofs, isApproval: true },
  ]
}

export function checkPolicy(config: Config, running: readonly Channel[], signing: SigningIn): Finding[] {
  const rules = rulesOf(config)
  return [
    ...rules.flatMap(rule => checkPeople(rule, config, running, signing)),
    ...rules.flatMap(checkProofs),
  ]
}

/** The proofs that passkeys of this person give. */
type Confirms = (userId: string) => readonly Proof[]

/** Those who could give none of the proofs: on one of their channels, on the page that a copy there leads to, signed in, or
 *  with a passkey. */
function unableOf(
  { name, people, proofs, isApproval }: Rule,
  { config, running, signing }: Setting,
  confirms: Confirms,
): readonly string[] {
  const printed = outboxOpen(config, running)
  const shown = !isToldByContent({ action: name })
  return people.filter(userId => {
    const person = config.recipients[userId]
    if (person === undefined) return true
    const signsIn = canAnswerSignedIn(signing, person, isApproval)
    return !person.channels
      .filter(channel => channel !== 'web' || printed)
      .map(channel => wayOf({ channel, shown, coded: true, signsIn, confirms: confirms(userId), proofs }))
      .some(way => way === 'reply' || isOnPage(way))
  })
}

type Setting = {
  readonly config: Config
  readonly running: readonly Channel[]
  readonly signing: SigningIn
}

/** Whoever could give a proof with a passkey is left to the check that knows who has one. */
const maybe =
  ({ proofs }: Rule, { publicUrl }: SigningIn): Confirms =>
  () =>
    passkeyHost(publicUrl) === null ? [] : proofs.filter(isByPasskey)

/** Those who could give a proof with a passkey alone, and have none that is enough. */
export function checkEnrolment(
  config: Config,
  running: readonly Channel[],
  signing: SigningIn,
  enrolled: Confirms,
): Finding[] {
  const setting = { config, running, signing }
  return rulesOf(config).flatMap(rule => {
    const never = unableOf(rule, setting, maybe(rule, signing))
    const lacking = unableOf(rule, setting, enrolled).filter(userId => !never.includes(userId))
    if (lacking.length === 0) return []
    const wanted = rule.proofs.filter(isByPasskey).join(', ')
    const none =
      lacking.length === rule.people.length
        ? 'could anybody who is asked answer, and nobody has one'
        : `could these answer, and they have none: ${lacking.join(', ')}`
    return [
      warn(
        'passkeys',
        `${rule.name}: only with a passkey (${wanted}) ${none}`,
        `they make one at /console/passkeys, or by an invitation: lane recipients passkey ${lacking[0]}`,
      ),
    ]
  })
}

function checkPeople(rule: Rule, config: Config, running: readonly Channel[], signing: SigningIn): Finding[] {
  const { name, people, proofs } = rule
  const shown = !isToldByContent({ action: name })
  const unable = unableOf(rule, { config, running, signing }, maybe(rule, signing))
  if (unable.length === 0) return []
  const who = unable.length === people.length ? 'nobody who is asked can' : `${unable.join(', ')} cannot`
  const given = `${who} give any of its proofs (${proofs.join(', ')})`
  return [
    shown
      ? warn('policy', `${name}: ${given}`, MORE_PROOF)
      : warn(
          'policy',
          `${name}: what has no room in a copy is shown on the page alone, and there ${given}`,
          PAGE_PROOF,
        ),
  ]
}

const MORE_PROOF = 'give them a channel that proves enough, or list a proof that they can give'
const PAGE_PROOF =
  'list link_code, where a link and its code that can be forwarded are to be enough; until then a request that is too long for every copy is refused'

const WEAKNESS: Readonly<Partial<Record<Proof, string>>> = {
  link_code: 'whoever a message with its link and code is forwarded to can answer',
  passkey_by_operator: 'whoever enrols passkeys for others can answer for them',
  sms_from: 'whoever can send in the name of a number can answer, given the code of a message',
}

function checkProofs({ name, proofs }: Rule): Finding[] {
  const weak = proofs.filter(proof => WEAK_PROOFS.includes(proof))
  return weak.map(proof =>
    warn(
      'policy',
      `${name}: ${proof} is enough, so ${WEAKNESS[proof]}`,
      `take ${proof} off its proofs unless that is meant`,
    ),
  )
}
