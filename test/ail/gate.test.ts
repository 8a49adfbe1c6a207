// The shell gate: the built command against the built lane, and in a step as `ail` runs one.
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, call, closedUrl, lane, operatorOf, pageOf } from '../cli/command-line.js'
import { cleanEnv, type Gateway, LANE, start } from '../cli/gateway.js'
import { until } from '../until.js'

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await start()
  env = { LANE_URL: gateway.url, LANE_API_KEY: gateway.agentKey }
})
afterAll(() => gateway.kill())

const gate = (id: string, ...more: string[]): string[] => [
  ...['ail', 'gate', '--why', 'Deploy to staging', '--id', id],
  ...(more.includes('--deadline') ? more : ['--deadline', '10m', ...more]),
]

describe('lane ail gate', () => {
  test('[AIL-230, AIL-233] YES exits 0, and standard output is the compiled outcome as JSON and nothing else', async () => {
    const asked = call(gate('yes'), { env })
    expect(await answer(gateway, 'yes', 'y')).toBe(200)
    const { code, stdout, stderr } = await asked.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', answered_by: 'operator' },
      request: { action: 'RUN_STEP', why: 'Deploy to staging', default_action: 'DENY' },
    })
    expect(Object.keys(JSON.parse(stdout).request.parameters)).toEqual(['step'])
  })

  test('shows what it is asked for, whole', async () => {
    const asked = call(gate('shown', '--value', 'diff=one line less'), { env })
    expect(await pageOf(gateway, 'shown')).toContain('one line less')
    expect(await answer(gateway, 'shown', 'n')).toBe(200)
    const { request } = JSON.parse((await asked.ended).stdout)
    expect(Object.keys(request.parameters)).toEqual(['diff'])
  })

  test('[AIL-231] NO is 10, silence 20, withdrawn 22, refused by the lane 1, no lane 69', async () => {
    const refused = call(gate('no'), { env })
    expect(await answer(gateway, 'no', 'no')).toBe(200)
    expect((await refused.ended).code).toBe(10)
    expect((await lane(gate('silent', '--deadline', '1s'), { env })).code).toBe(20)
    const back = call(gate('back'), { env })
    const operator = operatorOf(gateway)
    await until('it to be asked', async () => (await lane(['show', 'back'], { env: operator })).code, 0)
    await lane(['withdraw', 'back'], { env: operator })
    expect((await back.ended).code).toBe(22)
    const nobody = await lane(gate('nobody', '--to', 'nobody'), { env })
    expect(nobody).toMatchObject({ code: 1, stdout: '' })
    const away = await lane(gate('away'), { env: { ...env, LANE_URL: await closedUrl() } })
    expect(away).toMatchObject({ code: 69, stdout: '' })
  })

  test('[AIL-231] a request that reached nobody is 21', async () => {
    const unsent = await start({
      config: `
recipients:
  operator: { name: Operator, telegram: 1 }
actions:
  RUN_STEP: { approvers: [operator] }
`,
      env: {
        TELEGRAM_BOT_TOKEN: '1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        TELEGRAM_API_ROOT: await closedUrl(),
      },
    })
    const ended = await lane(gate('unsent', '--deadline', '1s'), {
      env: { LANE_URL: unsent.url, LANE_API_KEY: unsent.agentKey },
    })
    await unsent.kill()
    expect(ended.code).toBe(21)
  })

  test('[AIL-230] text that asks for help is no YES, nor is a reader who has gone', async () => {
    for (const words of [
      ['ail', 'gate', '--help'],
      ['ail', 'gate', '-h'],
      ['ail', 'gate', '--why', '--help'],
      ['ail', 'gate', '--why', '-h', '--deadline', '1s'],
    ])
      expect((await lane(words, { env })).code).toBe(2)
    const asked = call(gate('deaf'), { env })
    asked.child.stdout?.destroy()
    expect(await answer(gateway, 'deaf', 'no')).toBe(200)
    expect((await asked.ended).code).not.toBe(0)
  })

  test('without a text there is nothing to decide: wrong usage, and nobody is asked', async () => {
    const ended = await lane(['ail', 'gate', '--deadline', '1m'], { env })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--why is missing') })
    const late = await lane(['ail', 'gate', '--why', 'x'], { env })
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('--deadline takes') })
  })

  test('takes no operator key, and warns of a key that may do more than ask', async () => {
    const keyless = await lane(gate('keyless'), { env: { LANE_DATA_DIR: gateway.dataDir } })
    expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('is not for agents') })
    const loud = await lane(gate('loud', '--deadline', '1s'), { env: operatorOf(gateway) })
    expect(loud).toMatchObject({
      code: 20,
      stderr: expect.stringContaining('WARNING: LANE_API_KEY has more'),
    })
  })

  test('[AIL-232] never reads standard input: what is meant for the run is still there', async () => {
    const words = gate('stdin').map(word => `'${word}'`)
    const script = `"${process.execPath}" "${LANE}" ${words.join(' ')} >/dev/null 2>&1; echo "exit $?"; cat`
    const shell = spawn('/bin/sh', ['-c', script], { env: cleanEnv(env), stdio: ['pipe', 'pipe', 'inherit'] })
    shell.stdin.end('yes\n{"type":"hitl_response","text":"yes"}\n')
    const printed: string[] = []
    shell.stdout.on('data', chunk => printed.push(String(chunk)))
    expect(await answer(gateway, 'stdin', 'no')).toBe(200)
    await new Promise(resolve => shell.once('close', resolve))
    expect(printed.join('')).toBe('exit 10\nyes\n{"type":"hitl_response","text":"yes"}\n')
  })
})
