// What people write is kept as it was judged, on both stores: whoever replays the ledger finds the same words.
import { describe, expect, test } from 'vitest'
import { replay } from '../../src/ledger/replay.js'
import type { RawReply } from '../../src/ledger/shelf.js'
import { fromSlack, handleOf, question } from '../lane/stage.js'
import { type Intrusion, intrudeEach, STORES } from '../ledger/intruder.js'
import { admittedTo, KEY_1 } from '../terms.js'

const RUN = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
const TO_OWNER = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const

describe.each(STORES)('half a pair of surrogates, on %s', (_name, there, open) => {
  let scene: Intrusion
  intrudeEach(there, open, begun => {
    scene = begun
  })
  const claim = test.runIf(there)

  async function replayed() {
    const { ledger, shelf } = scene.cast.store
    const raws = new Map<string, RawReply>()
    for await (const raw of shelf.raws()) raws.set(raw.reply_id, raw)
    return { report: await replay(ledger.lines(0), id => raws.get(id) ?? null), raws }
  }

  const say = (text: string, provider_message_id: string) =>
    scene.cast.lane.answer(fromSlack(handleOf(scene.slack, 'owner'), text, { provider_message_id }))

  claim('in a reply is no word: it is refused, and an honest ledger replays as honest', async () => {
    const request = question('q-1', { reply_schema: { kind: 'text', max_chars: 100 } })
    await scene.cast.lane.open(admittedTo(TO_OWNER, { request, run: RUN, recipients: null }), KEY_1)
    await scene.cast.lane.drain()
    expect(await say('half a \ud83d pair', 'm-1')).toMatchObject({ reason: 'reply_bad_charset' })
    expect(await say('\udc00', 'm-2')).toMatchObject({ reason: 'reply_bad_charset' })
    expect(await say('whole words', 'm-\ud800')).toMatchObject({ kind: 'accepted' })
    const { report, raws } = await replayed()
    expect(report).toMatchObject({ ok: true, problems: [] })
    expect([...raws.values()].map(({ raw }) => raw).sort()).toEqual([
      'half a \ufffd pair',
      'whole words',
      '\ufffd',
    ])
  })
})
