// `npm start` as a supervisor uses it: what it starts is what it stops.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { until } from '../until.js'

vi.setConfig({ testTimeout: 60_000 })

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { start: string }
}

test('a signal to the shell of `npm start` stops the lane, which is that very process', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lane-'))
  // The build is there already.
  const script = scripts.start.replace('npm run --silent build', 'true')
  const shell = spawn('sh', ['-c', script], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', LANE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  await until('it is ready', () => /is ready at (http:\S+)/.test(printed))
  const url = /is ready at (http:\S+)/.exec(printed)?.[1] ?? ''
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const ended = once(shell, 'exit')
  shell.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  rmSync(dataDir, { recursive: true, force: true })
})
