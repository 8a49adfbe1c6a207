// A reminder in Slack stands in the thread of its card, says what it is, answers like it, and is closed with it.
import { afterEach, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { until } from '../until.js'
import { faultsOfMessage } from './block-limits.js'
import { readable } from './person.js'
import { raise, type Scene } from './scene.js'

let scene: Scene
afterEach(() => scene.end())

/** Waits for the step's own moment. Its twin on a clock set by hand is in test/lane/ladder.test.ts. */
test.runIf(ALL)(
  'a reminder stands in the thread of its card, is answered there, and both are closed',
  async () => {
    scene = await raise()
    const { owner } = scene.workspace.people
    const card = await scene.asked('r-1', {}, { ladder: [{ after_seconds: 5, do: 'remind' }] })
    const posted = await until('the reminder', () =>
      scene.workspace.of('chat.postMessage').find(({ body }) => body.thread_ts === card.message.ts),
    )
    const { text = '', blocks = '[]', reply_broadcast } = posted.body
    const reminder = { ...card.message, text, blocks: JSON.parse(blocks) }
    expect(String(reply_broadcast)).toBe('true')
    expect(faultsOfMessage(reminder)).toEqual([])
    expect(text).toMatch(/^Reminder, Question/)
    expect(readable(reminder.blocks)).toContain('this still waits for an answer')
    await scene.person.press(owner, { channel: card.channel, message: reminder }, 'NO')
    expect(await scene.settled('r-1')).toMatchObject({ state: 'answered', answer: { parsed_choice: 'NO' } })
    await scene.called('chat.update', 2)
    expect(await scene.bodies('r-1', 'REQUEST_REMINDED')).toHaveLength(1)
  },
  60_000,
)
