// Many decisions, reasons and more than one voter, from a shell: the built command against the built lane.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONFIG } from '../lane-under-test.js'
import { until } from '../until.js'
import { answer, call, lane, operatorOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

const FORM = join(freshDirectory(), 'form.json')
writeFileSync(
  FORM,
  JSON.stringify({
    decisions: [
      {
        id: 'd1',
        type: 'approval',
        prompt: 'Ship release 9',
        required: true,
        reason: { when: 'on_no', max_chars: 80 },
      },
      { id: 'd2', type: 'number', prompt: 'Which share', required: true, constraints: { min: 1, max: 100 } },
    ],
  }),
)
const FIXED = `sha256:${'b'.repeat(64)}`

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await start({ config: CONFIG })
  env = operatorOf(gateway)
})
afterAll(() => gateway.kill())

const approve = (id: string, ...more: string[]): string[] => [
  ...['approve', 'PUBLISH', '--param', `artifact=${FIXED}`, '--default', 'DENY', '--id', id],
  ...(more.includes('--deadline') ? [] : ['--deadline', '10m']),
  ...(more.includes('--to') ? [] : ['--to', 'operator']),
  ...more,
]

test('a form answered in two parts, every approval given, exits 0; between the parts it is partial and named so', async () => {
  const asked = call(approve('whole', '--form', FORM, '--wait'), { env })
  expect(await answer(gateway, 'whole', 'd2 25')).toBe(200)
  const half = await lane(['show', 'whole'], { env })
  expect(half.stdout).toMatch(/^whole {2}partial\n/)
  expect(half.stdout).toMatch(/So far +d2 25\n +Missing +d1\n/)
  expect((await lane(['pending'], { env })).stdout).toContain('whole')
  expect(await answer(gateway, 'whole', 'd1 yes')).toBe(200)
  const { code, stdout } = await asked.ended
  expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'd1 approved; d2 25' })
})

test('one refusal exits 10, and lane show hands on why, in marks', async () => {
  const asked = call(approve('refused', '--form', FORM, '--wait'), { env })
  expect(await answer(gateway, 'refused', 'd1 no: wrong customer\nd2 25')).toBe(200)
  const { code, stdout } = await asked.ended
  expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 10, first: 'd1 refused; d2 25' })
  const { stdout: shown } = await lane(['show', 'refused'], { env })
  expect(shown).toMatch(/Comments +d1: "wrong customer"\n/)
})

test('a form of which a part was approved in time exits 20: what was counted is told, and gives nothing', async () => {
  const asked = call(approve('half', '--form', FORM, '--deadline', '4s', '--wait', '--json'), { env })
  expect(await answer(gateway, 'half', 'd1 yes')).toBe(200)
  const { code, stdout } = await asked.ended
  expect(code).toBe(20)
  const ended = JSON.parse(stdout)
  expect(ended).toMatchObject({
    state: 'defaulted',
    answer: null,
    so_far: { decisions: [{ decision_id: 'd1', approved: true }], missing: ['d2'] },
  })
  expect(stdout).not.toContain('policy_token')
})

test('--ask-reason on_no: NO without a reason is not taken, with one it exits 10 and is told', async () => {
  const asked = call(approve('why', '--ask-reason', 'on_no', '--wait', '--json'), { env })
  expect(await answer(gateway, 'why', 'no')).toBe(422)
  expect(await answer(gateway, 'why', 'no: too dear')).toBe(200)
  const { code, stdout } = await asked.ended
  expect(code).toBe(10)
  expect(JSON.parse(stdout).answer).toMatchObject({ parsed_choice: 'NO', reason: 'too dear' })
  expect((await lane(['show', 'why'], { env })).stdout).toMatch(/Reason +"too dear"\n/)
})

test('--quorum 2: one YES goes on waiting, the second exits 0, and lane show names both', async () => {
  const asked = call(approve('two', '--quorum', '2', '--to', 'operator', '--to', 'second', '--wait'), { env })
  expect(await answer(gateway, 'two', 'yes', 'operator')).toBe(200)
  const partial = await until('one vote', async () => {
    const { stdout } = await lane(['show', 'two'], { env })
    return stdout.startsWith('two  partial') && stdout
  })
  expect(partial).toMatch(/Quorum +1 of 2 YES\n +Votes +YES of operator over web/)
  expect(await answer(gateway, 'two', 'yes', 'second')).toBe(200)
  expect((await asked.ended).code).toBe(0)
  const { stdout } = await lane(['show', 'two'], { env })
  expect(stdout).toMatch(/YES of operator[\s\S]*YES of second/)
})

test('a quorum larger than the people asked exits 1, by name, and nobody was asked', async () => {
  const { code, stderr } = await lane(approve('few', '--quorum', '3', '--to', 'operator'), { env })
  expect(code).toBe(1)
  expect(stderr).toContain('quorum_unreachable')
  expect((await lane(['show', 'few'], { env })).code).toBe(1)
})
