// The workflow of an artifact where people are: a card in Slack and its modal, a mail and its lines. Each ends as the same
// signed response, and what waits is listed for operators meanwhile.
import { afterEach, describe, expect, test } from 'vitest'
import { lane as lanesCommand } from '../cli/command-line.js'
import { AUTHSERV, OWNER, replyTo } from '../email/correspondent.js'
import { DOVECOT, raiseDovecot, WITHOUT_DOVECOT } from '../email/dovecot.js'
import { raisePostOffice } from '../email/post-office.js'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { faultsOfView } from '../slack/block-limits.js'
import { filledIn, readable } from '../slack/person.js'
import { raise, type Scene } from '../slack/scene.js'
import { until } from '../until.js'
import { agent, artifactOf, BLOCKING, type Json, type Signed } from './scene.js'

const picked = (value: string) => ({ selected_option: { text: { type: 'plain_text', text: 'x' }, value } })

/** What waits, as an operator's list and command show it. */
async function waits(lane: LaneUnderTest, id: string): Promise<void> {
  const listed = await lane.call('GET', '/v1/requests?state=open', { key: lane.operatorKey })
  expect((listed.json.items as Json[]).map(one => one.request_id)).toContain(id)
  const pending = await lanesCommand(['pending'], {
    env: { LANE_URL: lane.url, LANE_API_KEY: lane.operatorKey },
  })
  expect([pending.code, pending.stdout]).toEqual([0, expect.stringContaining(id)])
}

const ANSWERS = [
  { decision_id: 'd1', approved: true },
  { decision_id: 'd2', approved: true },
  { decision_id: 'd3', selected: 'next_week' },
  { decision_id: 'd4', approved: false, comment: 'Require a card' },
]
const withoutTimes = ({ content }: Signed): Json[] =>
  content.body.data.responses.map(({ decided_at: _, ...one }) => one)

describe('in Slack', () => {
  let scene: Scene
  afterEach(() => scene.end())

  test('[AAH-162, AAH-187, AAH-195] an artifact becomes a card, its modal the decisions, and what is sent a response', async () => {
    scene = await raise({
      more: 'aah: { route: [{ to: owner }], escalate: { manager@example.com: deputy } }',
    })
    const { opened, responses, status } = agent(() => scene.lane)
    const owner = scene.workspace.people.owner
    await opened(artifactOf('slack-1', { artifact: { title: 'Approve <!channel> *now*' } }))
    const copy = await scene.card(owner)
    await waits(scene.lane, 'slack-1')
    // A word of an agent mentions nobody: it stands in elements of plain text alone, and escaped beside them.
    expect(readable(copy.message.blocks)).toContain('"text":"Approve <!channel> *now*"')
    expect(readable(copy.message.blocks)).not.toContain('"mrkdwn"')
    expect(copy.message.text).not.toContain('<!channel>')
    const answer = async (values: Readonly<Record<string, Json>>): Promise<void> => {
      const before = scene.workspace.of('views.open').length
      await scene.person.press(owner, copy, 'Answer', { trigger: await scene.workspace.trigger(owner) })
      const [call] = (await scene.called('views.open', before + 1)).slice(before)
      const view = JSON.parse(call?.body.view ?? '{}')
      expect(faultsOfView(view)).toEqual([])
      expect(await scene.person.interact(filledIn(owner, view, values))).toMatchObject({ status: 200 })
    }
    await answer({ 'd.d1': picked('YES'), 'd.d2': picked('YES') })
    await until('the first', async () => (await status('slack-1')) === 'partial')
    await answer({ 'd.d3': picked('next_week'), 'd.d4': picked('NO'), 'c.d4': { value: 'Require a card' } })
    await until('the last', async () => (await status('slack-1')) === 'resolved')
    const [first, last] = (await responses('slack-1')) as [Signed, Signed]
    expect(withoutTimes(last)).toEqual(ANSWERS)
    expect(last.source).toEqual({ agent_id: 'human:owner', agent_name: 'Owner' })
    expect(last.handoff.parent_artifact_ids).toEqual(['slack-1', first.artifact.id])
    expect(last.extensions.interrupt_lane.released).toEqual(BLOCKING)
  })
})

describe.skipIf(DOVECOT === null)(`by mail${WITHOUT_DOVECOT}`, { timeout: 90_000 }, () => {
  test('[AAH-162, AAH-187, AAH-195] an artifact becomes a mail, and lines above what is quoted a response', async () => {
    const [office, dovecot] = await Promise.all([raisePostOffice(), raiseDovecot()])
    const lane = await startLane({
      config: `
recipients:
  owner: { name: Owner, email: ${OWNER} }
  manager: { name: Manager, email: manager@people.test }
forms: { approvers: [owner, manager] }
aah: { route: [{ to: owner }], escalate: { manager@example.com: manager } }
limits: { requests_per_recipient_per_hour: 0 }
`,
      env: {
        SMTP_URL: office.url,
        IMAP_URL: dovecot.url,
        EMAIL_FROM: 'Lane <lane@lane.test>',
        EMAIL_AUTHSERV_ID: AUTHSERV,
      },
    })
    try {
      const { opened, responses, status } = agent(() => lane)
      await opened(artifactOf('mail-1', { artifact: { summary: 'Changes <b>all</b> of it' } }))
      const letter = await until('the mail', async () =>
        (await office.requests()).find(one => one.email.subject?.endsWith('[mail-1]')),
      )
      await waits(lane, 'mail-1')
      expect(letter.email.text).toContain('Approve target audience segments?')
      expect(letter.email.html).toContain('Changes &lt;b&gt;all&lt;/b&gt; of it')
      dovecot.deliver(replyTo(letter, OWNER, 'd1 yes\nd2 yes'))
      await until('the first', async () => (await status('mail-1')) === 'partial')
      dovecot.deliver(
        replyTo(letter, OWNER, 'd3 next_week\nd4 no: Require a card', { messageId: '<second@people.test>' }),
      )
      await until('the last', async () => (await status('mail-1')) === 'resolved')
      const all = await responses('mail-1')
      expect(all).toHaveLength(2)
      expect(withoutTimes(all.at(-1) as Signed)).toEqual(ANSWERS)
      expect(all.at(-1)?.source.agent_id).toBe('human:owner')
    } finally {
      await lane.close()
      await Promise.all([office.close(), dovecot.remove()])
    }
  })
})
