// Socket Mode: a lane that nobody can reach is answered all the same, and a connection that ends is opened again.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../adapters/slack/listen.js'
import type { Desk } from '../../src/adapter/contract.js'
import { ALL } from '../faults/rig.js'
import { question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { bySocket, type Copy, cardIn, Person, submitted } from './person.js'
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
    return until(`the card of ${id}`, async () => {
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
    await until('a form', () => workspace.of('views.open').length, 1)
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
    await until('a connection', () => socket.connections(), 1)
    happens(socket)
    await until('a second connection', () => socket.connections(), 2)
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-3')).toBe('answered')
  })

  test('starts though Slack is away, and listens once it is back', async () => {
    workspace.always('apps.connections.open', refuses('internal_error'))
    const { owner, asked, state } = await begin()
    const copy = await asked('s-4')
    await until('an attempt to connect', () => workspace.of('apps.connections.open').length)
    workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-4')).toBe('answered')
  })

  test('goes on trying when a connection could not be opened again', { skip: !ALL }, async () => {
    const { owner, asked, state } = await begin()
    const copy = await asked('s-5')
    await until('a connection', () => socket.connections(), 1)
    const before = workspace.of('apps.connections.open').length
    workspace.always('apps.connections.open', broken)
    socket.cut()
    await until(
      'another attempt to connect',
      () => workspace.of('apps.connections.open').length,
      count => count > before,
    )
    workspace.always('apps.connections.open', says({ ok: true, url: socket.url }))
    await new Person(workspace, bySocket(socket)).press(owner, copy, 'YES')
    expect(await state('s-5')).toBe('answered')
  })
})

describe('a peer that answers pings and never says hello', () => {
  const nothing = async (): Promise<never> => {
    throw new Error('nothing was handed over')
  }
  const desk: Desk = {
    take: nothing,
    look: nothing,
    report: nothing,
    notice: nothing,
    link: nothing,
    keep: nothing,
    now: () => Date.now(),
  }
  /** Long enough for a peer that does say it, on a busy machine. */
  const HELLO_MS = 1_500
  const said: string[] = []
  const begun = () =>
    listen(
      {
        appToken: APP_TOKEN,
        apiUrl: workspace.apiUrl,
        dispatch: nothing,
        say: (_level, words) => void said.push(words),
      },
      desk,
      HELLO_MS,
    )

  test('is not waited for without end: the lane is told, and tries again', { skip: !ALL }, async () => {
    socket.greet(false)
    await expect(begun()).rejects.toThrow('the connection closed before it was ready')
  })

  test('in place of one that did is left for one that does', { skip: !ALL }, async () => {
    const stop = await begun()
    socket.greet(false)
    socket.cut()
    await until('a second connection', () => socket.connections(), 2)
    socket.greet(true)
    await until('a third connection', () => socket.connections(), 3)
    expect(said).toContain('Slack’s connection could not be opened; it is tried again')
    await stop()
  })

  test('does not hold up a stop, and nothing is listened to after it', async () => {
    const stop = await begun()
    socket.greet(false)
    socket.cut()
    await until('a second connection', () => socket.connections(), 2)
    socket.greet(true)
    await stop()
    await until('the connection to end', async () => !socket.isConnected())
    expect(socket.connections()).toBe(2)
  })
})
