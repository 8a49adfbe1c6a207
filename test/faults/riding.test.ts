// kill -9 between a provider's yes and the entry that says so. That entry rides with the next commit (L14), so a crash loses
// it: what was sent is then found again when its lease is over, stands once, and is answered once.
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import { verify } from '../../src/ledger/verify.js'
import { byWebhook, type Copy, cardIn, Person } from '../slack/person.js'
import { BOT_TOKEN, openWorkspace, SIGNING_SECRET, says, TEAM, type Workspace } from '../slack/workspace.js'
import { until } from '../until.js'
import { connect } from './client.js'
import { Journal, readLines } from './journal.js'
import { ALL, endAll, freshDirectory, type Launched, launch } from './rig.js'

let workspace: Workspace
afterEach(async () => {
  await endAll()
  await workspace.close()
})

const IDS = Array.from({ length: 8 }, (_, at) => `ride-${at}`)
/** Longer than a lease. */
const PATIENCE_MS = 60_000

/** Waits for leases to run out. */
test.runIf(ALL).each([0, 1, 3])(
  'cards whose sending was not yet on record when the lane was killed, %i ms after one, stand once and are answered once',
  async ms => {
    workspace = await openWorkspace()
    const { people, apiUrl } = workspace
    const config = `
recipients:
  owner: { name: Owner, slack: { team: ${TEAM}, user: ${people.owner} } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`
    const env = { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_API_URL: apiUrl }
    const dataDir = join(freshDirectory(), 'data')
    const first = await launch({ dataDir, config, env })
    const journal = new Journal()
    const client = connect(first.url, dataDir, journal)
    let answers = 0
    workspace.will(
      'chat.postMessage',
      async (reply, call, pass) => {
        const answer = JSON.parse((await pass()).body) as Record<string, unknown>
        says(answer)(reply, call, pass)
        if (++answers === IDS.length / 2) setTimeout(() => void first.kill(), ms)
      },
      IDS.length,
    )
    await Promise.all(IDS.map(id => client.open(id, {}, ['owner']).catch(() => undefined)))
    expect((await first.ended).signal).toBe('SIGKILL')
    client.leave()
    const entries = (): Entry[] => readLines(dataDir).map(line => JSON.parse(line) as Entry)
    const count = (id: string, type: string): number =>
      entries().filter(one => one.type === type && 'request_id' in one && one.request_id === id).length
    const opened = IDS.filter(id => count(id, 'REQUEST_OPENED') === 1)
    expect(opened).toEqual(expect.arrayContaining([...journal.opened.keys()]))
    const unsaid = opened.filter(id => count(id, 'OUTBOUND_REQUEST_SENT') === 0).length
    console.log(
      `${answers} cards were posted; of ${opened.length} requests ${unsaid} were not on record as sent`,
    )
    expect(unsaid).toBeGreaterThan(0)

    const second: Launched = await launch({ dataDir, config, env })
    const person = new Person(
      workspace,
      byWebhook(() => `${second.url}/hooks/slack`),
    )
    for (const id of opened)
      await until(`${id} stands`, () => count(id, 'OUTBOUND_REQUEST_SENT'), 1, PATIENCE_MS)
    const where = await workspace.directMessages(people.owner)
    const cards = cardIn(await workspace.said(where), where)
    for (const id of opened) {
      const theirs = cards.filter(({ message }) => JSON.stringify(message.blocks).includes(`Request ${id} `))
      expect([id, theirs.length]).toEqual([id, 1])
      const [card] = theirs as [Copy]
      await person.press(people.owner, card, 'NO')
      await person.press(people.owner, card, 'YES')
      await person.write(people.owner, card, 'YES')
      expect([id, count(id, 'HUMAN_REPLY_EVENT'), count(id, 'REQUEST_RESOLVED')]).toEqual([id, 1, 1])
    }
    expect((await verify(readLines(dataDir))).problems).toEqual([])
  },
  110_000,
)
