// The same against a real `ail`, where one is found: its stub runner asks no model, and its home is empty.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../cli/command-line.js'
import { freshDirectory } from '../cli/gateway.js'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { CONFIG } from './scene.js'

const AIL = (process.env.PATH ?? '')
  .split(delimiter)
  .map(place => join(place, 'ail'))
  .find(existsSync)

describe.runIf(AIL !== undefined)('a real ail (needs ail on the PATH)', () => {
  let lane: LaneUnderTest
  beforeAll(async () => {
    lane = await startLane({ config: CONFIG })
  })
  afterAll(() => lane?.close())

  test('[AIL-243] a pause gate opens on YES alone (needs ail)', async () => {
    expect(execFileSync(AIL ?? '', ['--version'], { encoding: 'utf8' })).toContain('ail')
    for (const [reply, marked] of [
      ['yes', true],
      ['no', false],
    ] as const) {
      const cwd = freshDirectory()
      const steps = [
        { id: 'hold', action: 'pause_for_human', message: 'Go on?' },
        { id: 'after', context: { shell: `touch ${join(cwd, 'marker')}` } },
      ]
      writeFileSync(join(cwd, 'p.yaml'), JSON.stringify({ version: '0.1', pipeline: steps }))
      const env = { LANE_URL: lane.url, LANE_API_KEY: lane.agentKey, HOME: cwd, AIL_DEFAULT_RUNNER: 'stub' }
      const words = [AIL ?? '', 'stdio', '--stream', '-m', 'x', '--pipeline', join(cwd, 'p.yaml')]
      const run = call(['ail', 'bridge', '--json', '--', ...words], { env, cwd })
      const id = await until('a request', async () => {
        const { json } = await lane.call('GET', '/v1/requests?state=open')
        return (json.items as { request_id: string }[])[0]?.request_id
      })
      expect((await lane.answer(await lane.link(id), reply)).status).toBe(200)
      expect((await run.ended).code).toBe(marked ? 0 : 1)
      expect(existsSync(join(cwd, 'marker'))).toBe(marked)
    }
  })
})
