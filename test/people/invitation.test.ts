// A person links an address themselves: once, in time, where the configuration leaves it to them, and nobody else's.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { Directory } from '../../src/people/directory.js'
import { accept, invite } from '../../src/people/invitation.js'
import { TO_BE_LINKED } from '../../src/people/person.js'
import type { Channel } from '../../src/request/channel.js'
import { configure, OWNER, question, raise, type Stage } from '../lane/stage.js'

const DAY_MS = 24 * 60 * 60 * 1000
const CONFIG = `
recipients:
  owner: { name: Owner, telegram: link, web: true }
  deputy: { name: Deputy, telegram: 77, web: true }
  guest: { name: Guest, telegram: link, web: true }
`

let stage: Stage
let directory: Directory
beforeEach(async () => {
  stage = await raise(configure(CONFIG))
  directory = await Directory.open(stage.config.recipients, stage.store.shelf)
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const invited = async (user = 'owner', channel: Channel = 'telegram') =>
  (await invite(stage.store, user, channel, 'key-1')).code
const accepted = (code: string, address: unknown, channel: Channel = 'telegram') =>
  accept(stage.store, directory, channel, code, address)
const linkings = async () =>
  (await stage.entries()).filter(({ type }) => type === 'RECIPIENT_LINKED').map(({ body }) => body)

/** The configuration leaves only Telegram addresses to people; an invitation does not rely on that. */
function linkableOnSlackToo(config: Config): Config {
  const { owner } = config.recipients
  if (owner === undefined) throw new Error('the owner is configured')
  const addresses = { ...owner.addresses, slack: TO_BE_LINKED }
  return { ...config, recipients: { ...config.recipients, owner: { ...owner, addresses } } }
}

describe('an invitation', () => {
  test('makes an address the person’s own, and the ledger says whose without saying which', async () => {
    expect(directory.addressOf('owner', 'telegram')).toBeNull()
    expect(await accepted(await invited(), 501)).toBe('owner')
    expect(directory.addressOf('owner', 'telegram')).toEqual({ name: 'Owner', address: 501 })
    expect(directory.whoHas('telegram', 501)).toBe('owner')
    expect(await linkings()).toEqual([{ user_id: 'owner', channel: 'telegram' }])
  })

  test('is still accepted after a restart, and so is what it linked', async () => {
    const code = await invited()
    directory = await Directory.open(stage.config.recipients, stage.store.shelf)
    expect(await accepted(code, 501)).toBe('owner')
    expect((await Directory.open(stage.config.recipients, stage.store.shelf)).whoHas('telegram', 501)).toBe(
      'owner',
    )
  })

  test('fits the start parameter of a Telegram link', async () => {
    expect(await invited()).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })

  test('that was used links nobody else', async () => {
    const code = await invited()
    await accepted(code, 501)
    expect(await accepted(code, 999)).toBeNull()
    expect(directory.whoHas('telegram', 999)).toBeNull()
    expect(await linkings()).toHaveLength(1)
  })

  test('that is handed over twice says the same twice, and is recorded once', async () => {
    const code = await invited()
    expect([await accepted(code, 501), await accepted(code, 501)]).toEqual(['owner', 'owner'])
    expect(await linkings()).toHaveLength(1)
  })

  test('of which two take hold at once links one of them', async () => {
    const code = await invited()
    const both = await Promise.all([accepted(code, 501), accepted(code, 502)])
    expect(both.filter(user => user !== null)).toEqual(['owner'])
    expect(await linkings()).toHaveLength(1)
  })

  test('lasts a day, and not a moment longer', async () => {
    const [early, late] = [await invited('owner'), await invited('guest')]
    stage.clock.pass(DAY_MS - 1)
    expect(await accepted(early, 501)).toBe('owner')
    stage.clock.pass(1)
    expect(await accepted(late, 502)).toBeNull()
    expect(directory.addressOf('guest', 'telegram')).toBeNull()
  })

  test('of one channel is nothing on another, where an address could be linked too', async () => {
    directory = await Directory.open(linkableOnSlackToo(stage.config).recipients, stage.store.shelf)
    expect(await accepted(await invited('owner', 'telegram'), OWNER, 'slack')).toBeNull()
    expect(await linkings()).toEqual([])
    expect(await accepted(await invited('owner', 'slack'), OWNER, 'slack')).toBe('owner')
  })

  test.each([
    ['that was never made', async () => 'AAAAAAAAAAAAAAAAAAAAAA'],
    ['that is empty', async () => ''],
    [
      'with one letter changed',
      async () => (await invited()).replace(/^./, one => (one === 'A' ? 'B' : 'A')),
    ],
  ])('%s links nobody', async (_name, code) => {
    expect(await accepted(await code(), 501)).toBeNull()
    expect(await linkings()).toEqual([])
  })

  test('cannot be accepted with an address that is somebody else’s already', async () => {
    expect(await accepted(await invited(), 77)).toBeNull()
    expect(directory.whoHas('telegram', 77)).toBe('deputy')
    await accepted(await invited('guest'), 601)
    expect(await accepted(await invited('owner'), 601)).toBeNull()
    expect(directory.whoHas('telegram', 601)).toBe('guest')
  })

  test('accepted for two people with one account, each by a replica that knows nothing of the other, links one', async () => {
    const replica = await Directory.open(stage.config.recipients, stage.store.shelf)
    const [owners, guests] = [await invited('owner'), await invited('guest')]
    const both = await Promise.all([
      accepted(owners, 501),
      accept(stage.store, replica, 'telegram', guests, 501),
    ])
    expect(both.filter(user => user !== null)).toHaveLength(1)
    expect(await stage.store.shelf.links()).toHaveLength(1)
    expect(await linkings()).toHaveLength(1)
  })

  test('takes over an address that the configuration has left to somebody else before', async () => {
    await accepted(await invited('guest'), 601)
    const without = configure(CONFIG.replace('Guest, telegram: link', 'Guest, telegram: 602'))
    directory = await Directory.open(without.recipients, stage.store.shelf)
    expect(await accepted(await invited('owner'), 601)).toBe('owner')
    expect(directory.whoHas('telegram', 601)).toBe('owner')
  })

  test('accepted again with a new one moves the person to the new address', async () => {
    await accepted(await invited(), 501)
    expect(await accepted(await invited(), 502)).toBe('owner')
    expect([directory.whoHas('telegram', 501), directory.whoHas('telegram', 502)]).toEqual([null, 'owner'])
  })

  test('for an address that the configuration meanwhile names itself is void', async () => {
    const code = await invited()
    const settled = configure(CONFIG.replace('Owner, telegram: link', 'Owner, telegram: 55'))
    directory = await Directory.open(settled.recipients, stage.store.shelf)
    expect(await accepted(code, 501)).toBeNull()
    expect(directory.addressOf('owner', 'telegram')).toEqual({ name: 'Owner', address: 55 })
  })

  test('is kept by its hash alone: nothing at rest can be opened', async () => {
    const code = await invited()
    let bytes = ''
    for await (const chunk of stage.store.backup()) bytes += Buffer.from(chunk).toString('latin1')
    expect(bytes.includes('invitation')).toBe(true)
    expect(bytes.includes(code)).toBe(false)
  })
})

describe('a request that was opened before its recipient has linked an address', () => {
  let before: Stage
  beforeEach(async () => {
    before = await raise(linkableOnSlackToo(configure(CONFIG)))
  })
  afterEach(async () => {
    expect([await before.problems(), before.troubles]).toEqual([[], []])
    await before.close()
  })
  /** Another replica accepts, and dies before it has told anybody. */
  const acceptedElsewhere = async (): Promise<string> => {
    const { code } = await invite(before.store, 'owner', 'slack', 'key-1')
    const other = await Directory.open(before.config.recipients, before.store.shelf)
    expect(await accept(before.store, other, 'slack', code, OWNER)).toBe('owner')
    return code
  }
  const ask = async (id: string): Promise<void> => {
    await before.open(question(id))
    await before.lane.drain()
  }

  test('comes when the acceptance is handed over again, though who took it first died', async () => {
    await ask('q')
    const code = await acceptedElsewhere()
    expect(before.slack.copies).toEqual([])
    const desk = before.desk('slack')
    expect([await desk.link(code, OWNER), await desk.link(code, OWNER)]).toEqual(['owner', 'owner'])
    await before.lane.drain()
    expect(before.slack.copies.map(({ outbound }) => outbound.attempt)).toEqual([2])
  })

  test('or just after, by a replica that has not heard of the link, is put before them at once', async () => {
    await acceptedElsewhere()
    await ask('q')
    expect(before.slack.copies.map(({ outbound }) => outbound.attempt)).toEqual([1])
  })

  test('is told once that an address is linked, and a copy that stands is not', async () => {
    const [first, second] = [
      await invite(before.store, 'owner', 'slack', 'key-1'),
      await invite(before.store, 'owner', 'slack', 'key-1'),
    ]
    await ask('early')
    await before.desk('slack').link(first.code, OWNER)
    await before.lane.drain()
    await before.desk('slack').link(second.code, { ...OWNER, user: 'UANOTHER' })
    await before.lane.drain()
    const told = (await before.entries()).filter(({ type }) => type === 'DELIVERY_STATUS')
    expect(told).toMatchObject([{ request_id: 'early', body: { status: 'linked', stands: true } }])
    expect(before.slack.copies).toHaveLength(1)
  })
})
