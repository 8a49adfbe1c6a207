// Started only where it is configured, examined by the doctor, and silent about everybody in the log.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { smsAdapter } from '../../adapters/sms/index.js'
import { sign } from '../../adapters/sms/signature.js'
import { CannotStart } from '../../src/main.js'
import { type Front, raiseFront } from '../contract/front.js'
import { type Spawned, spawnLane } from '../e2e/spawned-lane.js'
import { question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { codeIn, NOBODY, NUMBER, OWNER, type Provider, raiseProvider, SID, TOKEN } from './provider.js'

const CONFIG = `recipients:\n  owner: { name: Owner, sms: "${OWNER}" }\nquestions: { proofs: [sms_from] }\n`
const VARIABLES = { SMS_ACCOUNT_SID: SID, SMS_AUTH_TOKEN: TOKEN, SMS_FROM: NUMBER }

let leave: (() => unknown)[] = []
afterEach(async () => {
  for (const one of leave.reverse()) await one()
  leave = []
})
const starting = async (env: Record<string, string>): Promise<string> => {
  const error = await startLane({ config: CONFIG, env }).then(
    lane => lane.close().then(() => null),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof CannotStart)) throw new Error(`it should not have started: ${error}`)
  return error.message
}

describe('not configured means not started', () => {
  test.each(Object.keys(VARIABLES))('without %s, and it is named', async name => {
    const message = await starting({ ...VARIABLES, [name]: '' })
    expect(message).toContain(`recipient owner is on sms, which is not configured: set ${name}`)
  })

  test('a sender nobody could answer is refused, and not repeated', async () => {
    const message = await starting({ ...VARIABLES, SMS_FROM: 'MyCompany' })
    expect(message).toMatch(/^SMS_FROM must be a number/)
    expect(message).not.toContain('MyCompany')
  })

  test('its webhook is not there either', async () => {
    const lane = await startLane()
    leave.push(() => lane.close())
    const { status, json } = await lane.call('POST', '/hooks/sms', { key: null, raw: 'Body=Y' })
    expect([status, json.code]).toEqual([404, 'not_found'])
  })
})

test('[LANE-037] behind a proxy, below a sub-path, the signature is over the address people know', async () => {
  const PUBLIC_URL = 'https://lane.example.org/sub'
  const lane = await startLane({ config: CONFIG, env: { ...VARIABLES, PUBLIC_URL } })
  leave.push(() => lane.close())
  const form = { AccountSid: SID, MessageSid: `SM${'1'.repeat(32)}`, From: NOBODY, To: NUMBER, Body: 'hello' }
  const parameters = new URLSearchParams(form)
  const post = async (url: string): Promise<number> => {
    const headers = { 'x-twilio-signature': sign(TOKEN, { url, parameters }) }
    return (await fetch(`${lane.url}/sub/hooks/sms`, { method: 'POST', headers, body: parameters })).status
  }
  expect(await post(`${PUBLIC_URL}/hooks/sms`)).toBe(200)
  expect(await post('https://lane.example.org:443/sub/hooks/sms')).toBe(200)
  expect(await post('https://lane.example.org/hooks/sms')).toBe(401)
  expect(await post(`${lane.url}/sub/hooks/sms`)).toBe(401)
})

describe('the doctor', () => {
  const HOOK = 'https://lane.example.org/hooks/sms'
  let provider: Provider
  const examine = async (more: Record<string, string> = {}) => {
    const parts = { publicUrl: () => 'https://lane.example.org', say: () => undefined }
    const variables = { ...provider.env, ...more }
    return (await smsAdapter({ ...parts, variables }).check?.())?.map(({ status, message }) => [
      status,
      message,
    ])
  }
  beforeEach(async () => {
    provider = await raiseProvider(HOOK)
    leave.push(() => provider.stop())
  })

  test('finds the account active and the answers on their way here', async () => {
    expect(await examine()).toEqual([
      ['ok', 'the provider knows the account, and it is active'],
      ['ok', `answers come to ${HOOK}`],
    ])
    expect(provider.asked).toEqual([])
  })

  test('finds a wrong token, a number that is not ours, and answers that go elsewhere', async () => {
    expect(await examine({ SMS_AUTH_TOKEN: TOKEN.replace('a', 'b') })).toEqual([
      ['fail', 'the provider refuses the account'],
    ])
    expect((await examine({ SMS_FROM: NOBODY }))?.at(-1)).toEqual(['fail', 'the account has no such number'])
    await provider.stop()
    provider = await raiseProvider('https://old.example.org/hooks/sms')
    expect((await examine())?.at(-1)).toEqual(['fail', 'what people answer does not come here'])
  })

  test('says of a messaging service that it cannot see where it leads', async () => {
    expect((await examine({ SMS_FROM: `MG${'0'.repeat(32)}` }))?.at(-1)?.[0]).toBe('warn')
  })
})

describe('the log', () => {
  let front: Front
  let provider: Provider
  let dataDir = ''
  beforeEach(async () => {
    front = await raiseFront()
    provider = await raiseProvider(`${front.url}/hooks/sms`)
    dataDir = mkdtempSync(join(tmpdir(), 'lane-sms-'))
    leave.push(
      () => rmSync(dataDir, { recursive: true, force: true }),
      () => front.close(),
      () => provider.stop(),
    )
  })

  test('[LANE-048] at its most talkative holds no handle, code, number, token or word that was said', async () => {
    const config = join(dataDir, 'people.yaml')
    writeFileSync(config, CONFIG)
    const env = { ...provider.env, PUBLIC_URL: front.url, LANE_CONFIG: config }
    const lane = (await spawnLane(dataDir, { env })) as Spawned
    leave.push(() => lane.kill())
    front.lead(lane.url)
    const asked = { request: question('q-1'), run: { run_id: 'run-1', mood: 'DEFERENTIAL' } }
    expect((await lane.call('POST', '/v1/requests', asked)).status).toBe(201)
    const message = await until('a message', async () => (await provider.messages())[0])
    const code = codeIn(message.body)
    const handle = message.body.slice(-26)
    await provider.text(NOBODY, `Y ${code}`)
    await provider.text(OWNER, `perhaps-tomorrow ${code}`)
    await provider.status(message.sid, 'delivered')
    await fetch(`${front.url}/hooks/sms?handle=${handle}`, { method: 'POST', body: 'forged' })
    await provider.text(OWNER, `Y ${code}`)
    await until('the answer', async () => (await lane.call('GET', '/v1/requests/q-1')).json.state, 'answered')
    const log = lane.stdout() + lane.stderr()
    expect(log).toContain('/hooks/sms')
    const secrets = [handle, OWNER.slice(1), NOBODY.slice(1), TOKEN, 'perhaps-tomorrow', message.sid]
    for (const secret of secrets) expect(log.toLowerCase()).not.toContain(secret.toLowerCase())
    // As a word: four characters may well stand within a longer one.
    expect(log).not.toMatch(new RegExp(`\\b${code}\\b`))
  })
})
