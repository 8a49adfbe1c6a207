// The Slack channel keeps the contract of every channel.
import { adapterContract, type MakeDriver } from '../contract/adapter.js'
import { buttonsOf, type Copy, cardIn, Person } from './person.js'
import { BOT_TOKEN, broken, openWorkspace, SIGNING_SECRET, TEAM } from './workspace.js'

const slack: MakeDriver<Copy> = async front => {
  const workspace = await openWorkspace()
  const { people } = workspace
  const person = new Person(workspace, () => `${front.url}/hooks/slack`)
  const dm = await workspace.directMessages(people.owner)
  const address = (user: string): string => `{ team: ${TEAM}, user: ${user} }`
  const say = async (user: string, copy: Copy, text: string): Promise<void> => {
    const pressed = buttonsOf(copy).some(({ text: label }) => label.text === text)
    await (pressed ? person.press(user, copy, text) : person.write(user, copy, text))
  }
  return {
    channel: 'slack',
    proof: 'slack_signed',
    env: {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: workspace.apiUrl,
    },
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
    stop: () => workspace.close(),
  }
}

adapterContract('Slack', slack)
