// The client in Python: its own tests, run against a real lane, and its patience through the death of one.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer } from '../cli/command-line.js'
import { cleanEnv, type Gateway, start } from '../cli/gateway.js'
import { UNLIMITED } from '../lane-under-test.js'
import { sent } from '../mcp/agent.js'
import { maySkip, without } from '../verifier/second.js'

const CLIENT = fileURLToPath(new URL('../../clients/python', import.meta.url))

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

/** Bytecode beside the sources would be a change to the tree that nobody made. */
function python(args: readonly string[], gateway: Gateway): Promise<Ended> {
  const child = spawn('python3', ['-B', ...args], {
    cwd: CLIENT,
    env: cleanEnv({
      LANE_URL: gateway.url,
      LANE_API_KEY: gateway.agentKey,
      LANE_TEST_OUTBOX: join(gateway.dataDir, 'outbox.ndjson'),
      PYTHONPATH: CLIENT,
    }),
  })
  const told = { out: '', err: '' }
  child.stdout.on('data', chunk => {
    told.out += String(chunk)
  })
  child.stderr.on('data', chunk => {
    told.err += String(chunk)
  })
  return new Promise(resolve => child.once('close', code => resolve({ code, ...told })))
}

describe.skipIf(maySkip)(`the client in Python${without}`, () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await start({ config: UNLIMITED })
  })
  afterAll(() => gateway.kill())

  test('its unit tests hold, the shared vectors among them', async () => {
    const { code, err } = await python(['-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'], gateway)
    expect([code, /^Ran (\d+) tests/m.exec(err)?.[1], err.includes('skipped')], err).toEqual([0, '25', false])
  }, 120_000)

  test('whoever waits goes on through the death of the lane, and the answer is the lane’s', async () => {
    const program = `
from interrupt_lane import connect
asked = connect().ask(id="py-restart", question="Still there?", impact="i", reply={"kind": "yes_no"},
                      deadline_seconds=600, default="HALT", to=["operator"])
outcome = asked.wait()
print(outcome.kind, outcome.answer)
`
    const waiting = python(['-c', program], gateway)
    await sent(gateway, 'py-restart')
    await gateway.kill()
    const { agentKey, dataDir, port } = gateway
    gateway = { ...(await start({ config: UNLIMITED, dataDir, port })), agentKey }
    expect(await answer(gateway, 'py-restart', 'yes')).toBe(200)
    expect(await waiting).toMatchObject({ code: 0, out: 'answered YES\n' })
  })

  test('what was asked is sent, though the program ends without waiting', async () => {
    const program = `
from interrupt_lane import connect
connect().ask(id="py-unheard", question="Heard?", impact="i", reply={"kind": "yes_no"}, deadline_seconds=600,
              default="HALT", to=["operator"])
`
    expect(await python(['-c', program], gateway)).toMatchObject({ code: 0, out: '', err: '' })
    await sent(gateway, 'py-unheard')
  })
})
