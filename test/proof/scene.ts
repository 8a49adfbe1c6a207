// A lane with decisions of every kind, and their proofs.
import { sha256 } from '../../src/canonical.js'
import type { VerifierKey } from '../../src/checkpoint/note.js'
import { readVkey } from '../../src/checkpoint/note.js'
import type { Proof } from '../../src/proof/proof.js'
import { type LaneUnderTest, question } from '../lane-under-test.js'
import type { Credential } from '../passkey/authenticator.js'
import { confirm, startWithPasskeys } from '../passkey/enrolled.js'
import { until } from '../until.js'

export const QUORUM_CONFIG = `
recipients:
  operator: { name: Operator, web: true, delegates: [second] }
  second: { name: Second person, web: true }
  third: { name: Third person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [console, link_code] }
  EXPORT: { approvers: [operator, second, third], proofs: [passkey] }
questions: { proofs: [passkey] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`
export const approval = (approval_id: string, more: object = {}) => ({
  type: 'REQUEST_APPROVAL',
  approval_id,
  action: 'PUBLISH',
  parameters: { artifact: `sha256:${'ab'.repeat(32)}` },
  deadline_seconds: 3600,
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
  ...more,
})

export type Scene = {
  readonly lane: LaneUnderTest
  /** Of ES256, EdDSA and RS256, by whom they belong to. */
  readonly passkeys: Readonly<Record<string, Credential>>
  readonly key: VerifierKey
  readonly vkey: string
  /** The proof of a request, as bytes. */
  proof(id: string, query?: string): Promise<Buffer>
}

export async function raiseScene(): Promise<Scene> {
  const { lane, passkeys } = await startWithPasskeys(QUORUM_CONFIG, ['operator', 'second', 'third'])
  const { text } = await lane.call('GET', '/.well-known/lane-log-key', { key: null })
  const vkey = text.trim()
  const key = readVkey(vkey)
  if (key === null) throw new Error(`no key: ${text}`)
  return {
    lane,
    passkeys,
    key,
    vkey,
    async proof(id, query = '') {
      const answer = await lane.call('GET', `/v1/requests/${id}/proof${query}`, { key: lane.operatorKey })
      if (answer.status !== 200) throw new Error(answer.text)
      return Buffer.from(answer.text)
    },
  }
}

async function asks(lane: LaneUnderTest, request: Record<string, unknown>, envelope: object = {}) {
  const { status, text } = await lane.submit(request, envelope as Record<string, unknown>)
  if (status !== 201) throw new Error(`it could not be asked: ${text}`)
}

/** Says this on the newest page of somebody. A story that did not come about would prove something else. */
async function says(lane: LaneUnderTest, id: string, text: string, user = 'operator'): Promise<void> {
  const { status } = await lane.answer(await lane.link(id, user), text)
  if (status !== 200) throw new Error(`${user} could not say ${text} to ${id}: ${status}`)
}

export async function approved(lane: LaneUnderTest, id: string, envelope: object = {}): Promise<void> {
  await asks(lane, approval(id), envelope)
  await says(lane, id, 'YES')
}

/** What a person who approves `shown` is shown, a character outside the first plane among it. */
export const SHOWN = 'transfer 50 EUR 🕊 to Ada\n'

/** Given with its content before the person's eyes. */
export async function shown(lane: LaneUnderTest, id: string): Promise<void> {
  const handle = sha256(SHOWN)
  await asks(lane, approval(id, { parameters: { order: handle } }), { contents: { [handle]: SHOWN } })
  await says(lane, id, 'YES')
}

/** Given by two, both of whom had to. */
export async function polled(lane: LaneUnderTest, id: string): Promise<void> {
  await asks(lane, approval(id), { recipients: ['operator', 'second'], quorum: { need: 2, veto: true } })
  for (const user of ['operator', 'second']) await says(lane, id, 'YES', user)
}

/** Given by somebody whom the person who was asked had named in their place. */
export async function delegated(lane: LaneUnderTest, id: string): Promise<void> {
  await asks(lane, approval(id))
  await says(lane, id, 'DELEGATE second')
  await says(lane, id, 'YES', 'second')
}

/** The right that was given is taken back before it was used. */
export async function takenBack(lane: LaneUnderTest, id: string): Promise<void> {
  const body = { reason: 'changed our minds' }
  const { status } = await lane.call('POST', `/v1/requests/${id}/withdraw`, { body })
  if (status !== 200) throw new Error(`the right of ${id} was not taken back: ${status}`)
}

/** Given by the link of a reminder. */
export async function reminded(lane: LaneUnderTest, id: string): Promise<void> {
  await asks(lane, approval(id), { ladder: [{ after_seconds: 1, do: 'remind' }] })
  const first = await lane.link(id)
  await until('the reminder', async () => (await lane.link(id)).link !== first.link)
  await says(lane, id, 'YES')
}

/** Given by somebody whom a step of the ladder had added. */
export async function escalated(lane: LaneUnderTest, id: string): Promise<void> {
  const ladder = [{ after_seconds: 1, do: 'add', recipients: ['second'] }]
  await asks(lane, approval(id), { ladder })
  await says(lane, id, 'YES', 'second')
}

/** Refused by a form of two decisions, with a reason, where a content and its why were shown. */
export async function formed(lane: LaneUnderTest, id: string): Promise<void> {
  const reason = { when: 'optional', max_chars: 100 }
  const decisions = [
    { id: 'ship', type: 'approval', prompt: 'Ship it?', required: true, reason },
    { id: 'share', type: 'number', prompt: 'Which share?', required: true },
  ]
  const artifact = sha256(CONTENT)
  const schema = { reply_schema: { kind: 'form', decisions }, parameters: { artifact }, why: 'It is time' }
  await asks(lane, approval(id, schema), { contents: { [artifact]: CONTENT } })
  await says(lane, id, 'ship no: the checks are red\nshare 50')
}
/** Somebody says this, and confirms it with their passkey. */
async function confirms(
  { lane, passkeys }: Scene,
  id: string,
  user: string,
  filled: Record<string, string>,
): Promise<void> {
  const passkey = passkeys[user]
  if (passkey === undefined) throw new Error(`${user} has no passkey`)
  const { status, text } = await confirm(lane, id, user, passkey, filled)
  if (status !== 303) throw new Error(`${user} could not confirm ${id}: ${status} ${text}`)
}

const exported = (id: string, more: object = {}) =>
  approval(id, { action: 'EXPORT', default_action: 'DO_NOT_EXPORT', ...more })

/** Given, or refused, by a passkey. */
export async function confirmed(scene: Scene, id: string, reply = 'YES'): Promise<void> {
  await asks(scene.lane, exported(id))
  await confirms(scene, id, 'operator', { reply })
}

/** A number, by a passkey. */
export async function confirmedNumber(scene: Scene, id: string): Promise<void> {
  await asks(scene.lane, question(id, { reply_schema: { kind: 'number', min: 0, max: 100, step: 0.5 } }))
  await confirms(scene, id, 'operator', { reply: '12.50' })
}

/** Given by the votes of three, each with a passkey of another algorithm, after one was handed on by theirs. */
export async function confirmedByAll(scene: Scene, id: string): Promise<void> {
  const recipients = ['operator', 'third']
  await asks(scene.lane, exported(id), { recipients, quorum: { need: 2, veto: true } })
  await confirms(scene, id, 'operator', { delegate: 'second' })
  for (const user of ['second', 'third']) await confirms(scene, id, user, { reply: 'YES' })
}

/** Answered in words, in a form and in part, each confirmed. */
export async function confirmedForm(scene: Scene, id: string): Promise<void> {
  const decisions = [
    { id: 'when', type: 'text', prompt: 'When?', required: true },
    { id: 'share', type: 'number', prompt: 'Which share?', required: true },
    { id: 'where', type: 'choice', prompt: 'Where?', required: false, options: OPTIONS },
  ]
  await asks(scene.lane, question(id, { reply_schema: { kind: 'form', decisions } }))
  await confirms(scene, id, 'operator', { 'd.when': 'über morgen', 'd.where': 'eu' })
  await confirms(scene, id, 'operator', { 'd.share': '12.5' })
}
const OPTIONS = [
  { value: 'eu', label: 'Europe' },
  { value: 'us', label: 'America' },
]

const CONTENT = 'release 9\n- a flag\n+ another flag\n'

export const parsed = (bytes: Buffer): Proof => JSON.parse(bytes.toString('utf8')) as Proof
