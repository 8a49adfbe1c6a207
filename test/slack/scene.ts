// A whole lane beside a workspace: real store, real HTTP, the real adapter, and people at their Slack clients.
import { expect } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { type Entry, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { byWebhook, type Copy, cardIn, Person } from './person.js'
import { BOT_TOKEN, type Call, openWorkspace, SIGNING_SECRET, TEAM, type Workspace } from './workspace.js'

export type Scene = {
  lane: LaneUnderTest
  readonly workspace: Workspace
  readonly person: Person
  /** Opens a request for the owner and waits for the card. */
  asked(id: string, request?: Record<string, unknown>, envelope?: Record<string, unknown>): Promise<Copy>
  card(user: string): Promise<Copy>
  /** The card as it is now. */
  now(copy: Copy): Promise<Copy>
  bodies(id: string, type: string): Promise<Entry['body'][]>
  reasons(id: string): Promise<unknown[]>
  state(id: string): Promise<unknown>
  /** Waits for calls of a method that fulfil a condition. */
  called(method: string, count?: number): Promise<readonly Call[]>
  settled(id: string): Promise<Record<string, unknown>>
  end(): Promise<void>
}

const LIMITS =
  'limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }'

export type SceneOptions = {
  /** Cards go to the channel instead of to people. */
  readonly inChannel?: boolean
  readonly ownerTeam?: string
  /** Further fields of the owner. */
  readonly owner?: string
  readonly env?: Record<string, string>
  /** Further lines of the configuration. */
  readonly more?: string
}

export async function raise({
  inChannel = false,
  ownerTeam = TEAM,
  owner = '',
  env,
  more = '',
}: SceneOptions = {}): Promise<Scene> {
  const workspace = await openWorkspace()
  const { people, channel } = workspace
  const place = inChannel ? `, channel: ${channel}` : ''
  const address = (user: string, team = TEAM): string => `{ team: ${team}, user: ${user}${place} }`
  const config = `
recipients:
  owner: { name: Owner, slack: ${address(people.owner, ownerTeam)}, web: true, channels: [slack, web]${owner && `, ${owner}`} }
  deputy: { name: Deputy, slack: ${address(people.deputy)} }
actions:
  PUBLISH: { approvers: [owner, deputy], proofs: [slack_signed] }
outbox: on
${LIMITS}
${more}`
  const scene = { lane: await begin(config, workspace, env) }
  const person = new Person(
    workspace,
    byWebhook(() => `${scene.lane.url}/hooks/slack`),
  )

  const conversation = async (user: string): Promise<string> =>
    inChannel ? channel : workspace.directMessages(user)
  const card = (user: string): Promise<Copy> =>
    until('a card', async () => {
      const where = await conversation(user)
      return cardIn(await workspace.said(where), where).at(-1)
    })
  const bodies = async (id: string, type: string): Promise<Entry['body'][]> =>
    (await scene.lane.story(id)).filter(entry => entry.type === type).map(entry => entry.body)

  return Object.assign(scene, {
    workspace,
    person,
    async asked(id, request = {}, envelope = {}) {
      const asked = 'type' in request ? request : question(id, request)
      const { status, text } = await scene.lane.submit(asked, { recipients: ['owner'], ...envelope })
      if (status !== 201) throw new Error(`not opened: ${text}`)
      await until('the sending of it', async () => (await bodies(id, 'OUTBOUND_REQUEST_SENT')).length)
      return card(people.owner)
    },
    card,
    async now({ channel: where, message: { ts } }) {
      const message = (await workspace.said(where)).find(said => said.ts === ts)
      if (message === undefined) throw new Error('the card is gone')
      return { channel: where, message }
    },
    bodies,
    reasons: async id => (await bodies(id, 'INBOUND_REPLY_REJECTED')).map(({ reason }) => reason),
    state: async id => (await scene.lane.call('GET', `/v1/requests/${id}`)).json.state,
    called: (method, count = 1) =>
      until(
        `${count} calls of ${method}`,
        () => workspace.of(method),
        calls => calls.length >= count,
      ),
    settled: async id => (await scene.lane.outcome(id)).json,
    async end() {
      const { text } = await scene.lane.call('GET', '/v1/ledger', { key: scene.lane.operatorKey })
      expect((await verify(text.trim().split('\n'))).problems).toEqual([])
      await scene.lane.close()
      await workspace.close()
    },
  } satisfies Omit<Scene, 'lane'>)
}

const begin = (config: string, { apiUrl }: Workspace, env = {}): Promise<LaneUnderTest> =>
  startLane({
    config,
    env: {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: apiUrl,
      ...env,
    },
  })
