// Socket Mode: a lane that nobody can reach is answered all the same, and a connection that ends is opened again.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { question, startLane } from '../lane-under-test.js'
import { bySocket, type Copy, cardIn, Person, submitted } from './person.js'
import { until } from './scene.js'
import { openSocketEnd, type SocketEnd } from './socket.js'
import {
  APP_TOKEN,
  BOT_TOKEN,
  broken,
  openWorkspace,
  refuses,
  says,
  TEAM,
  type Workspace,
} from './workspace.js'

let workspace: Workspace
let socket: SocketEnd
let leave: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  workspace = await openWorkspace()
  socket = await openSocketEnd()
  workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
})
afterEach(async () => {
  for (const one of leave) await one()
  leave = []
  await socket.close()
  await workspace.close()
})

async function begin() {
  const owner = workspace.people.owner
  const lane = await startLane({
    config: `recipients: { owner: { name: Owner, slack: { team: ${TEAM}, user: ${owner} } } }`,
    env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_API_URL: workspace.apiUrl },
  })
  leave.push(() => lane.close())
  async function asked(id: string, more = {}): Promise<Copy> {
    await lane.submit(question(id, more), { recipients: ['owner'] })
    const dm = await workspace.directMessages(owner)
    return until(async () => {
      const sent = (await lane.story(id)).some(({ type }) => type === 'OUTBOUND_REQUEST_SENT')
      return sent && cardIn(await workspace.said(dm), dm).at(-1)
    })
  }
  const state = async (id: string) => (await lane.call('GET', `/v1/requests/${id}`)).json.state
  return { lane, owner, asked, state }
}

describe('a lane in Socket Mode', () => {
  test('needs no signing secret, and takes no webhook', async () => {
    const { lane } = await begin()
    expect((await lane.call('POST', '/hooks/slack', { key: null, raw: '{}' })).status).toBe(404)
  })

  test('shows a refusal in the form, by its acknowledgement', async () => {
    const { owner, asked } = await begin()
    const copy = await asked('s-1', { reply_schema: { kind: 'number', min: 0, max: 5 } })
    const person = new Person(workspace, bySocket(socket))
    await person.press(owner, copy, 'Answer', { trigger: await workspace.trigger(owner) })
    await until(async () => workspace.of('views.open').length === 1)
    const view = JSON.parse(workspace.of('views.open')[0]?.body.view ?? '{}')
    const refused = await person.interact(submitted(owner, view, { value: '6' }))
    expect(JSON.parse(refused.body)).toMatchObject({ response_action: 'errors' })
    expect(await person.interact(submitted(owner, view, { value: '5' }))).toEqual({ status: 200, body: '' })
  })

  test('does not acknowledge what it could not take, and takes it when it is handed over again', async () => {
    const { owner, asked, state } = await begin()
    const copy = await asked('s-2')
    const person = new Person(workspace, bySocket(socket, 500))
    workspace.will('users.info', broken)
    expect((await person.write(owner, copy, 'YES')).status).toBe(0)
    expect(await state('s-2')).toBe('pending')
    expect((await person.again()).status).toBe(200)
    expect(await state('s-2')).toBe('answered')
  })

  test.each<[string, (end: SocketEnd) => void]>([
    ['when Slack asks for a new one', end => end.refresh()],
    ['when the line breaks', end => end.cut()],
  ])('opens another connection %s, and is answered over it', async (_name, happens) => {
    const { owner, asked, state } = await begin()
    const copy = await asked('s-3')
    await until(async () => socket.connections() === 1)
    happens(socket)
    await until(async () => socket.connections() === 2)
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-3')).toBe('answered')
  })

  test('starts though Slack is away, and listens once it is back', async () => {
    workspace.always('apps.connections.open', refuses('internal_error'))
    const { owner, asked, state } = await begin()
    const copy = await asked('s-4')
    await until(async () => workspace.of('apps.connections.open').length > 0)
    workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-4')).toBe('answered')
  })

  test('goes on trying when a connection could not be opened again', async () => {
    const { owner, asked, state } = await begin()
    const copy = await asked('s-5')
    await until(async () => socket.connections() === 1)
    const before = workspace.of('apps.connections.open').length
    workspace.always('apps.connections.open', broken)
    socket.cut()
    await until(async () => workspace.of('apps.connections.open').length > before)
    workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-5')).toBe('answered')
  })
})
