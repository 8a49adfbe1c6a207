// Who can be asked for a passkey: those who have one, from the moment it is theirs.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Passkeys } from '../../src/people/passkeys.js'
import { configure, raise, type Stage } from '../lane/stage.js'
import { makeCredential } from '../passkey/authenticator.js'
import { registered } from '../passkey/registered.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise(
    configure(`
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, channels: [slack] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, channels: [slack] }
actions: { PUBLISH: { approvers: [owner, deputy], proofs: [passkey] } }
`),
  )
})
afterEach(() => stage.close())

const ask = (approval_id: string) =>
  stage.lane.submit(
    {
      request: {
        type: 'REQUEST_APPROVAL',
        approval_id,
        action: 'PUBLISH',
        parameters: { artifact: `sha256:${'b'.repeat(64)}` },
        deadline_seconds: 600,
        default_action: 'DENY',
        reply_schema: { kind: 'yes_no' },
      },
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      recipients: ['owner', 'deputy'],
    },
    { key_id: 'key-1', name: 'agent', owner: null, urgent: false },
  )

test('what demands a passkey is refused while nobody asked has one, and put to whoever has, where they are led to', async () => {
  expect(await ask('early')).toMatchObject({ code: 'cannot_be_shown' })
  await registered(stage.store, 'owner', 'operator')
  expect(await ask('by-operator')).toMatchObject({ code: 'cannot_be_shown' })
  await registered(stage.store, 'owner')
  expect(await ask('ship')).toMatchObject({ subject: { request_id: 'ship' } })
  await stage.lane.drain()
  // It announces: whoever has the message has nothing.
  expect(
    stage.slack.copies.map(({ outbound }) => [
      outbound.recipient.user_id,
      outbound.reply,
      outbound.page.code,
    ]),
  ).toEqual([['owner', null, null]])
  const { deliveries } = await stage.current('ship')
  expect(deliveries.map(({ user_id, state }) => [user_id, state])).toEqual([
    ['owner', 'sent'],
    ['deputy', 'failed'],
  ])
})

test('they are known again after a start, and heard of from other replicas', async () => {
  await registered(stage.store, 'owner')
  await registered(stage.store, 'owner', 'operator', makeCredential())
  const known = await Passkeys.open(stage.store)
  expect([known.proofsOf('owner').toSorted(), known.proofsOf('deputy')]).toEqual([
    ['passkey', 'passkey_by_operator'],
    [],
  ])
  await registered(stage.store, 'deputy', 'person', makeCredential())
  expect(known.proofsOf('deputy')).toEqual(['passkey'])
  known.stop()
  await registered(stage.store, 'deputy', 'operator', makeCredential())
  expect(known.proofsOf('deputy')).toEqual(['passkey'])
})
