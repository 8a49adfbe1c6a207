// The first start: what it prints can be pasted, and a start that fails takes nothing with it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startLane } from '../lane-under-test.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'first-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('the first start that succeeds prints the keys, however many failed before it', async () => {
  const other = await startLane()
  const taken = { PORT: new URL(other.url).port }
  await expect(startLane({ dataDir, env: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await other.close()
  const lane = await startLane({ dataDir })
  expect(lane.agentKey).toMatch(/^lane_/)
  expect(lane.printed.join('\n')).toContain(lane.agentKey)
  expect((await lane.call('GET', '/v1/requests')).status).toBe(200)
  await lane.close()
})

test('a later start prints a line in which the shell puts the key, and does not speak of a first question', async () => {
  const first = await startLane({ dataDir })
  await first.stop()
  const second = await startLane({ dataDir })
  const printed = second.printed.join('\n')
  expect(printed).toContain('-H "authorization: Bearer $LANE_API_KEY"')
  expect(printed).not.toContain('Ask the first question')
  await second.stop()
})

test('the printed command says where the lane is, where it would not be found by itself', async () => {
  const lane = await startLane({ dataDir })
  expect(lane.printed.join('\n')).toContain(`LANE_URL=${lane.url} LANE_DATA_DIR=${dataDir} npx lane ask `)
  await lane.stop()
})

test('where several people are configured, both printed lines name one of them', async () => {
  const config = 'recipients: { ada: { name: Ada, web: true }, bo: { name: Bo, web: true } }\n'
  const lane = await startLane({ dataDir, config })
  const printed = lane.printed.join('\n')
  expect(printed).toContain('--default HALT --to ada --wait')
  const body = JSON.parse(/-d '(.*)'/.exec(printed)?.[1] ?? '')
  expect((await lane.call('POST', '/v1/requests', { body })).status).toBe(201)
  await lane.stop()
})

test('a key of another ledger that lies in the data directory is not written over', async () => {
  const file = join(dataDir, 'operator.key')
  writeFileSync(file, 'lane_of_another_ledger\n')
  await expect(startLane({ dataDir })).rejects.toThrow(
    `${file} is the operator's key of another ledger: move it away`,
  )
  expect(readFileSync(file, 'utf8')).toBe('lane_of_another_ledger\n')
})
