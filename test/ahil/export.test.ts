// What was asked through the lane, as an exchange log: served, printed, and appended to files of others.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import type { Entry } from '../../src/interop/ahil/entry.js'
import { readLog } from '../../src/interop/ahil/log.js'
import { slugOf } from '../../src/interop/ahil/opening.js'
import { decide, keyed } from '../aahp/scene.js'
import { EMBEDDED, MINIMAL } from '../interop/ahil/examples.js'
import { entry } from '../interop/ahil/log.js'
import { CONFIG, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { ahil, entriesIn, freshFile, load, save, standaloneWith } from './scene.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
  await ask('first', 'YES')
  await ask('second', 'NO: too late')
  await ask('third', null)
})
afterAll(() => lane?.close())

const RUN = 'exported'
async function ask(id: string, reply: string | null, run_id = RUN): Promise<void> {
  const request = {
    type: 'REQUEST_QUESTION',
    question_id: id,
    question_text: `May the ${id} go?`,
    impact: 'It goes.',
    context_handles: [],
    deadline_seconds: 3600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no', reason: { when: 'on_no', max_chars: 100 } },
  }
  await lane.submit(request, { run: { run_id, mood: 'DEFERENTIAL' } })
  if (reply !== null) await decide(lane, id, reply)
}
const get = (query: string, key?: string) =>
  lane.call('GET', `/v1/ahil${query}`, key === undefined ? {} : { key })
const entriesOf = ({ json }: { json: Record<string, unknown> }): Entry[] => json.entries as Entry[]

describe('GET /v1/ahil', () => {
  test('[AHIL-130] serves media type and extension as stated, and a log that is taken as it stands', async () => {
    const answer = await get(`?run_id=${RUN}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.ahil+json; charset=utf-8',
    ])
    const named = async (query: string): Promise<string | null> =>
      (await get(query)).headers.get('content-disposition')
    expect(await named(`?run_id=${RUN}`)).toBe(`attachment; filename="${RUN}.ahil.json"`)
    expect(await named('')).toBe('attachment; filename="lane.ahil.json"')
    expect(await named(`?run_id=${encodeURIComponent('a"; b\r\nc: d/é')}`)).toBe(
      'attachment; filename="a___b__c__d__.ahil.json"',
    )
    const read = readLog(Buffer.from(answer.text))
    expect(read).toMatchObject({ ok: true, log: { form: 'standalone', warnings: [] } })
    expect(answer.json).toMatchObject({ schema_version: '1.0', description: expect.stringContaining(RUN) })
  })

  test('tells each request and what became of it, in the order of the ledger', async () => {
    const entries = entriesOf(await get(`?run_id=${RUN}`))
    const from = entries[0]?.from ?? ''
    expect(entries.map(one => [one.type, one.from, one.to, one.status, one.content])).toEqual([
      ['recommendation', from, 'human', 'pending', 'May the first go? It goes.'],
      ['approval', 'human', from, 'pending', `Approved: do as ${entries[0]?.id} recommends.`],
      ['recommendation', from, 'human', 'pending', 'May the second go? It goes.'],
      ['acknowledgement', 'human', from, 'rejected', 'Rejected. Reason given: "too late"'],
      ['recommendation', from, 'human', 'pending', 'May the third go? It goes.'],
    ])
    const [opened] = await lane.story('first')
    expect(entries[0]?.context).toMatchObject({
      request_id: 'first',
      event_hash: opened?.hash,
      at: opened?.at,
    })
    expect(entries[1]?.context).toMatchObject({
      ref: entries[0]?.id,
      request_id: 'first',
      answered_by: 'operator',
    })
  })

  test('gives strict entries where they are asked for, and refuses another profile', async () => {
    const entries = entriesOf(await get(`?run_id=${RUN}&profile=adpl-1.1-strict`))
    expect(
      entries.every(one => !('context' in one) && ['noted', 'pending', 'acted'].includes(one.status)),
    ).toBe(true)
    expect(entries[3]?.content).toContain('[rejected, ref ')
    expect((await get('?profile=ahil-2.0')).json).toMatchObject({ status: 400, code: 'malformed_query' })
  })

  test('shows a key its own requests, an auditor all, and others nothing', async () => {
    expect(entriesOf(await get(`?run_id=${RUN}`, await lane.key('request')))).toEqual([])
    expect(entriesOf(await get(`?run_id=${RUN}`, await lane.key('audit')))).toHaveLength(5)
    expect((await get('', await lane.key('direct'))).status).toBe(403)
    expect(entriesOf(await get('?run_id=another'))).toEqual([])
  })

  test('takes no key’s name for a person’s or the lane’s own', () => {
    expect(['human', 'all', 'lane', '', 'Night shift!', '-x', null].map(slugOf)).toEqual([
      'key_human',
      'key_all',
      'key_lane',
      'key_',
      'Night_shift_',
      'x',
      'key_',
    ])
  })
})

describe('export', () => {
  const exported = (...args: string[]) => ahil(keyed(lane), 'export', ...args)

  test('prints what the lane serves', async () => {
    const { text } = await get(`?run_id=${RUN}`)
    expect((await exported('--run', RUN)).out).toBe(`${text}\n`)
    expect((await exported('--run', RUN, '--profile', 'nothing')).code).toBe(2)
  })

  test('[AHIL-104] to a file adds what is missing behind what stands there, once, and the lane vouches for it', async () => {
    const path = freshFile(MINIMAL)
    const before = load(path)
    expect(await exported(path, '--run', RUN, '--json')).toMatchObject({ code: 0 })
    const entries = entriesIn(path)
    expect(entries.slice(0, 3)).toEqual(MINIMAL.entries)
    expect(entries).toHaveLength(8)
    expect(load(path).startsWith(before.slice(0, before.lastIndexOf('}\n  ]') + 1))).toBe(true)
    expect(await exported(path, '--run', RUN, '--json')).toMatchObject({ code: 0, json: { appended: [] } })
    const { json } = await ahil(keyed(lane), 'check', path, '--json')
    expect((json.unauthenticated as Entry[]).map(({ id }) => id)).toEqual(['human-20260317-001'])
    // What is answered later comes behind it, and refers to what stands there.
    await ask('fourth', null, 'later')
    await exported(path, '--run', 'later')
    await decide(lane, 'fourth', 'YES')
    await exported(path, '--run', 'later')
    const [question, approval] = entriesIn(path).slice(8)
    expect([question?.type, approval?.type, approval?.context?.ref]).toEqual([
      'recommendation',
      'approval',
      question?.id,
    ])
    expect((await ahil(keyed(lane), 'check', path, '--json')).json.approved).toContain(question?.id)
  })

  test('[AHIL-128] to a pipeline, strictly, keeps the whole beside it', async () => {
    const path = freshFile(EMBEDDED, 'sample.adpl')
    expect(await exported(path, '--run', RUN, '--profile', 'adpl-1.1-strict')).toMatchObject({ code: 0 })
    const whole = entriesIn(path.replace('.adpl', '.ahil.json'))
    expect(entriesIn(path).map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
    expect(
      entriesIn(path)
        .slice(1)
        .every(one => one.context === undefined),
    ).toBe(true)
    expect(whole[2]?.context).toMatchObject({ request_id: 'first', answered_by: 'operator' })
  })

  test('leaves questions about the file’s own entries to sync', async () => {
    const path = freshFile(standaloneWith(entry()))
    await ahil(keyed(lane), 'sync', path, '--to', 'operator', '--run', 'own')
    expect(await exported(path, '--run', 'own', '--json')).toMatchObject({ code: 0, json: { appended: [] } })
  })

  test('[AHIL-104] begins a new file, and writes over nothing that is no log', async () => {
    const path = freshFile(null)
    await exported(path, '--run', RUN)
    expect(entriesIn(path)).toHaveLength(5)
    for (const text of ['hello', '{"entries":7}', sha256('x')]) {
      save(path, text)
      expect(await exported(path, '--run', RUN)).toMatchObject({
        code: 1,
        err: expect.stringContaining('invalid_log'),
      })
      expect(load(path)).toBe(text)
    }
    const folder = join(path, '../folder.ahil.json')
    mkdirSync(folder)
    expect(await exported(folder, '--run', RUN)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not_a_file'),
    })
  })
})
