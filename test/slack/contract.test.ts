// The Slack channel keeps the contract of every channel.
import { adapterContract, type MakeDriver } from '../contract/adapter.js'
import type { Front } from '../contract/front.js'
import { buttonsOf, bySocket, byWebhook, type Copy, cardIn, type Line, Person } from './person.js'
import { openSocketEnd } from './socket.js'
import {
  APP_TOKEN,
  BOT_TOKEN,
  broken,
  openWorkspace,
  SIGNING_SECRET,
  says,
  TEAM,
  type Workspace,
} from './workspace.js'

/** How the lane is told where to listen, and the way people's doings take to it. */
type Mode = {
  readonly env: Record<string, string>
  readonly line: Line
  close(): Promise<void>
}

const webhook = async (front: Front): Promise<Mode> => ({
  env: { SLACK_SIGNING_SECRET: SIGNING_SECRET },
  line: byWebhook(() => `${front.url}/hooks/slack`),
  close: async () => undefined,
})

const socketMode = async (_front: Front, workspace: Workspace): Promise<Mode> => {
  const socket = await openSocketEnd()
  workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
  return { env: { SLACK_APP_TOKEN: APP_TOKEN }, line: bySocket(socket), close: () => socket.close() }
}

const slack =
  (begin: typeof webhook | typeof socketMode): MakeDriver<Copy> =>
  async front => {
    const workspace = await openWorkspace()
    const { people } = workspace
    const mode = await begin(front, workspace)
    const person = new Person(workspace, mode.line)
    const dm = await workspace.directMessages(people.owner)
    const address = (user: string): string => `{ team: ${TEAM}, user: ${user} }`
    const say = async (user: string, copy: Copy, text: string): Promise<void> => {
      const pressed = buttonsOf(copy).some(({ text: label }) => label.text === text)
      await (pressed ? person.press(user, copy, text) : person.write(user, copy, text))
    }
    return {
      channel: 'slack',
      proof: 'slack_signed',
      env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_API_URL: workspace.apiUrl, ...mode.env },
      addresses: { owner: address(people.owner), deputy: address(people.deputy) },
      strangers: { deputy: 'wrong_recipient', nobody: 'unknown_sender' },
      delivered: async () => cardIn(await workspace.said(dm), dm),
      answer: (copy, text) => say(people.owner, copy, text),
      answerAs: (stranger, copy, text) => say(people[stranger], copy, text),
      repeat: async () => void (await person.again()),
      told: async () =>
        workspace.calls
          .filter(({ method, body }) => method === 'chat.postEphemeral' || body.thread_ts !== undefined)
          .map(({ body }) => body.text ?? ''),
      edited: async ({ message }) => {
        const now = (await workspace.said(dm)).find(({ ts }) => ts === message.ts)
        return now?.blocks?.every(({ type }) => type !== 'actions') ?? false
      },
      outage: async on => (on ? workspace.will('*', broken, Number.POSITIVE_INFINITY) : workspace.mend()),
      async stop() {
        await mode.close()
        await workspace.close()
      },
    }
  }

adapterContract('Slack over webhooks', slack(webhook))
adapterContract('Slack over Socket Mode', slack(socketMode))
