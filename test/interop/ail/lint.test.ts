// Gates that do not hold are named, with their line, why, and what to write instead.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { onRefusal } from '../../../src/interop/ail/branch.js'
import type { Finding } from '../../../src/interop/ail/finding.js'
import { lint } from '../../../src/interop/ail/lint.js'
import { modeOf } from '../../../src/interop/ail/mode.js'
import { laneGateIn } from '../../../src/interop/ail/shell.js'

const FIXTURES = fileURLToPath(new URL('../../../../shared/foreign/ail/', import.meta.url))

type Files = Readonly<Record<string, string>>
const findings = (text: string, args?: readonly string[], files: Files = {}): readonly Finding[] =>
  lint(
    'main.yaml',
    text,
    (_, ref) => {
      const file = ref.replace('./', '')
      return files[file] === undefined ? null : { file, text: files[file] }
    },
    args === undefined ? undefined : modeOf(args),
  )
/** `error gate_skipped 7`, in order. */
const found = (...given: Parameters<typeof findings>): string[] =>
  findings(...given).map(
    ({ severity, code, file, line }) =>
      `${severity} ${code} ${file === 'main.yaml' ? '' : `${file}:`}${line}`,
  )

const steps = (text: string): string => `version: "0.1"\npipeline:\n${text}`
const AFTER = '  - id: after\n    prompt: "Go on."\n'
const GATE = 'lane ail gate --why Deploy --deadline 1h'
const BRANCHES =
  '    on_result:\n      - exit_code: 0\n        action: continue\n      - exit_code: any\n        action: abort_pipeline\n'
const shellGate = (script = GATE, more = BRANCHES): string =>
  `  - id: leave\n    context:\n      shell: ${JSON.stringify(script)}\n${more}`
const PAUSE = '  - id: hold\n    action: pause_for_human\n'

const STREAM = ['stdio', '--stream', '-m', 'x']

describe('gates of ail’s own', () => {
  test('[AIL-229] hold under stdio --stream alone: text and headless pass them, and the end of standard input opens them', () => {
    const text = steps(`${PAUSE}${AFTER}`)
    expect(found(text)).toEqual(['warning gate_needs_bridge 4'])
    expect(found(text, STREAM)).toEqual([])
    for (const args of [['--once', 'x'], ['x'], ['--once', 'x', '--output-format', 'text']])
      expect(found(text, args)).toEqual(['error gate_skipped 4'])
    for (const args of [
      ['--once', 'x', '--output-format', 'json', '--headless'],
      ['--headless', ...STREAM],
    ])
      expect(found(text, args)).toEqual(['error gate_skipped 4'])
    expect(found(text, ['--once', 'x', '--output-format', 'json'])).toEqual(['error stdin_opens 4'])
    expect(found(text, ['--once', 'x', '--output-format=json'])).toEqual(['error stdin_opens 4'])
    expect(found(text, ['stdio', '-m', 'x'])).toEqual(['warning gate_unanswerable 4'])
  })

  test('[AIL-225] each on_headless is explained, and judged by what it does where nobody is asked', () => {
    const modify = (more: string): string =>
      steps(
        `  - id: edit\n    action: modify_output\n${more}  - id: after\n    prompt: "{{ step.edit.modified }}"\n`,
      )
    const why = (more: string, args?: readonly string[]): string =>
      findings(modify(more), args)
        .map(({ severity, code, why }) => `${severity} ${code}: ${why}`)
        .join('\n')
    expect(why('')).toMatch(/^warning gate_needs_bridge: .*skip \(the default\) goes on without a text/)
    expect(why('    on_headless: skip\n', ['x'])).toMatch(/^error gate_skipped: .*skip \(the default\)/)
    expect(why('    on_headless: abort\n')).toMatch(/^warning gate_needs_bridge: .*abort ends the pipeline/)
    expect(why('    on_headless: abort\n', ['x'])).toMatch(/^warning gate_always_aborts: /)
    const defaulted = '    on_headless: use_default\n    default_value: "as it is"\n'
    expect(why(defaulted)).toMatch(/^warning gate_needs_bridge: .*use_default takes default_value/)
    expect(why(defaulted, ['x'])).toMatch(/^error gate_skipped: .*use_default takes default_value/)
    expect(why('    on_headless: later\n', STREAM)).toMatch(/^error headless_unknown: .*"later" is none/)
  })

  test('[AIL-226] use_default without default_value is an error', () => {
    const text = steps(`  - id: edit\n    action: modify_output\n    on_headless: use_default\n${AFTER}`)
    expect(found(text, STREAM)).toEqual(['error default_missing 5'])
  })

  test('[AIL-227] in sub-pipelines, named pipelines and async branches no mode shows them to anybody', () => {
    const child = steps(`${PAUSE}${AFTER}`)
    const calling = steps(`  - id: call\n    pipeline: ./child.yaml\n${AFTER}`)
    expect(found(calling, STREAM, { 'child.yaml': child })).toEqual(['error gate_skipped child.yaml:4'])
    const named = `pipelines:\n  inner:\n    - id: hold\n      action: pause_for_human\npipeline:\n  - id: call\n    pipeline: inner\n${AFTER}`
    expect(found(named, STREAM)).toEqual(['error gate_skipped 4'])
    const branch = steps(
      `  - id: hold\n    async: true\n    action: pause_for_human\n  - id: all\n    action: join\n    depends_on: [hold]\n`,
    )
    expect(found(branch, STREAM)).toEqual(['error gate_skipped 5'])
    const result = steps(
      `  - id: call\n    prompt: x\n    on_result:\n      - contains: bad\n        action: "pipeline: ./child.yaml"\n${AFTER}`,
    )
    expect(found(result, STREAM, { 'child.yaml': child })).toEqual(['error gate_skipped child.yaml:4'])
    const edit = steps(`  - id: edit\n    action: modify_output\n    on_headless: abort\n${AFTER}`)
    expect(found(calling, STREAM, { 'child.yaml': edit })).toEqual([
      'warning gate_always_aborts child.yaml:4',
    ])
    expect(found(calling, STREAM)).toEqual(['warning unreadable 4'])
  })

  test('[AIL-227] a loop watches its body, written out or in a file', () => {
    const loop = (body: string): string =>
      steps(`  - id: loop\n    do_while:\n      max_iterations: 2\n      exit_when: never\n${body}${AFTER}`)
    const inner = '      steps:\n        - id: hold\n          action: pause_for_human\n'
    expect(found(loop(inner), STREAM)).toEqual([])
    const filed = loop('      pipeline: ./body.yaml\n')
    expect(found(filed, STREAM, { 'body.yaml': steps(PAUSE) })).toEqual([])
    expect(found(loop(`${inner}      on_max_iterations: pause_for_human\n`), STREAM)).toEqual([
      'error gate_not_read 10',
    ])
  })

  test('an on_result gate in a chain is dropped, a pause gate there is not', () => {
    const chain = (body: string): string => steps(`  - id: main\n    prompt: x\n    then:\n${body}${AFTER}`)
    const paused =
      '      - prompt: y\n        on_result:\n          - always: true\n            action: pause_for_human\n'
    expect(found(chain(paused), STREAM)).toEqual(['error action_dropped 9'])
    expect(found(chain('      - action: pause_for_human\n'), STREAM)).toEqual([])
  })

  test('[AIL-228] timeout_seconds and on_timeout of a gate do nothing', () => {
    const text = steps(
      `  - id: hold\n    action: pause_for_human\n    timeout_seconds: 60\n    on_timeout: abort_pipeline\n${AFTER}`,
    )
    expect(found(text, STREAM)).toEqual(['warning timeout_ignored 5', 'warning timeout_ignored 6'])
  })

  test('other traps: the last step, a templated message, a condition, on_error, the text before it was edited, a text in a shell', () => {
    expect(found(steps(`${AFTER}${PAUSE}`), STREAM)).toEqual(['warning gate_last 5'])
    expect(found(steps(`${PAUSE}    message: "Ship {{ last_response }}?"\n${AFTER}`), STREAM)).toEqual([
      'warning message_static 5',
    ])
    expect(found(steps(`${PAUSE}    condition: never\n${AFTER}`), STREAM)).toEqual([
      'error gate_never_runs 5',
    ])
    expect(found(steps('  - id: a\n    prompt: x\n    on_error: pause_for_human\n'))).toEqual([
      'error on_error_refused 5',
    ])
    const edit = '  - id: edit\n    action: modify_output\n'
    expect(found(steps(`${edit}  - id: b\n    prompt: "{{ last_response }}"\n`), STREAM)).toEqual([
      'warning unedited_text 3',
    ])
    const appended =
      '  - id: b\n    prompt: x\n    append_system_prompt:\n      - shell: "echo {{ step.edit.modified }}"\n'
    expect(found(steps(`${edit}${appended}`), STREAM)).toEqual(['error text_in_shell 8'])
    const result =
      '  - id: a\n    prompt: x\n    on_result:\n      - always: true\n        action: pause_for_human\n    then:\n      - prompt: y\n'
    expect(found(steps(`${result}${AFTER}`), STREAM)).toEqual(['warning then_runs_first 8'])
  })

  test('a file that builds on another is judged with it, and is named where it takes a gate away', () => {
    const base = steps(`${PAUSE}    timeout_seconds: 9\n${AFTER}`)
    const child = 'FROM: ./base.yaml\npipeline:\n  - disable: hold\n'
    expect(found(child, STREAM, { 'base.yaml': base })).toEqual([
      'warning timeout_ignored base.yaml:5',
      'warning gate_removed 3',
    ])
  })
})

describe('shell gates of the lane', () => {
  test('[AIL-247] without an abort branch a NO is only a result', () => {
    expect(found(steps(`${shellGate()}${AFTER}`))).toEqual([])
    expect(found(steps(`${shellGate(GATE, '')}${AFTER}`))).toEqual(['error no_abort_branch 5'])
    const branches = (...given: string[]): string =>
      `    on_result:\n${given.map(one => `      - ${one.replace('; ', '\n        ')}\n`).join('')}`
    for (const wrong of [
      branches('exit_code: any; action: continue'),
      branches('exit_code: 0; action: continue'),
      branches('exit_code: 10; action: abort_pipeline'),
      branches('contains: YES; action: continue', 'exit_code: any; action: abort_pipeline'),
      branches('exit_code: 69; action: continue', 'exit_code: any; action: abort_pipeline'),
      branches('always: true; action: continue', 'exit_code: any; action: abort_pipeline'),
      branches('exit_code: any; action: pause_for_human'),
      '    on_result:\n      field: x\n      equals: y\n      if_true: { action: abort_pipeline }\n',
    ])
      expect(found(steps(`${shellGate(GATE, wrong)}${AFTER}`), STREAM)).toContain('error no_abort_branch 6')
    expect(
      onRefusal([
        { exit_code: 10, action: 'abort_pipeline' },
        { always: true, action: 'abort_pipeline' },
      ]),
    ).toBe('aborts')
    const breaks = branches('exit_code: any; action: break')
    expect(found(steps(`${shellGate(GATE, breaks)}${AFTER}`))).toEqual(['warning refusal_breaks 6'])
    const child = steps(`${shellGate(GATE, breaks)}${AFTER}`)
    expect(
      found(steps(`  - id: call\n    pipeline: ./c.yaml\n${AFTER}`), undefined, { 'c.yaml': child }),
    ).toEqual(['error no_abort_branch c.yaml:6'])
  })

  test('[AIL-248] in an async branch, before or then its abort is dropped; in a sub-pipeline or a loop it holds', () => {
    const indented = shellGate().replace(/^(?= )/gm, '    ')
    expect(found(steps(`  - id: main\n    prompt: x\n    before:\n${indented}${AFTER}`))).toEqual([
      'error action_dropped 8',
    ])
    expect(found(steps(`  - id: main\n    prompt: x\n    then:\n${indented}${AFTER}`))).toEqual([
      'error action_dropped 8',
    ])
    const branch = shellGate(GATE, `    async: true\n${BRANCHES}`)
    expect(found(steps(`${branch}  - id: all\n    action: join\n    depends_on: [leave]\n${AFTER}`))).toEqual(
      ['error action_dropped 5'],
    )
    const child = steps(`${shellGate()}${AFTER}`)
    const calling = (more = ''): string => steps(`  - id: call\n    pipeline: ./c.yaml\n${more}${AFTER}`)
    expect(found(calling(), undefined, { 'c.yaml': child })).toEqual([])
    expect(found(calling('    on_error: continue\n'), undefined, { 'c.yaml': child })).toEqual([
      'error abort_swallowed c.yaml:5',
    ])
    const asynchronous = calling('    async: true\n')
    expect(found(asynchronous, undefined, { 'c.yaml': child })).toEqual(['error action_dropped c.yaml:5'])
  })

  test('[AIL-247] a then: chain of the gate runs after a NO', () => {
    const text = steps(`${shellGate()}    then:\n      - prompt: deploy\n${AFTER}`)
    expect(found(text)).toEqual(['error then_runs_first 11'])
  })

  test('[AIL-247] an exit code that something else decides is not the gate’s', () => {
    for (const own of [
      GATE,
      `cd app && ${GATE}`,
      `${GATE} && echo done`,
      `LANE_URL=http://x ${GATE} --value 'text=a; b | c || true'`,
      `npx --no-install ${GATE} 2>&1`,
      `/usr/local/bin/${GATE} > out.json`,
      `exec ${GATE} </dev/null`,
      `timeout 2h ${GATE}`,
      `lane --env /etc/lane.env ail gate --why "it's"`,
      `set -e\n${GATE}\n./deploy.sh`,
      `${GATE} || exit 1\n./deploy.sh`,
      `${GATE} \\\n  --to operator\n`,
      `# the gate\n${GATE} # asks`,
      `${GATE} || exit $?\n./deploy.sh`,
      `${GATE} || { echo refused; exit 1; }\n./deploy.sh`,
      `cd app || exit 1; ${GATE}`,
      `cd app || exit 1 && ${GATE}`,
      `sh -c '${GATE}'`,
      `sudo /bin/bash -ec "cd app && ${GATE}"`,
      `set -o errexit; ${GATE}; ./deploy.sh`,
    ])
      expect([own, laneGateIn(own)]).toEqual([own, { isOwn: true, waits: true, isSame: false }])
    for (const lost of [
      `${GATE} || true`,
      `${GATE}; true`,
      `${GATE} | tee log`,
      `${GATE} &`,
      `${GATE}\n./deploy.sh`,
      `${GATE} && echo done || true`,
      `! ${GATE}`,
      `if ${GATE}; then ./deploy.sh; fi`,
      `echo $(${GATE})`,
      `${GATE} || exit 0`,
      `(${GATE}; true)`,
      `${GATE} || exit 256`,
      `${GATE} || exit 00`,
      `${GATE} || exit $CODE`,
      `${GATE} || { echo refused; }`,
      `${GATE} || { test -f ok || exit 1; }`,
      `test -f allowed || ${GATE}`,
      `set -e\n${GATE} && echo done\n./deploy.sh`,
      `set -e\nbuild && ${GATE}\n./deploy.sh`,
      `set -e; set +e; ${GATE}; ./deploy.sh`,
      `sh -c '${GATE} || true'`,
      `sh -c '${GATE}' || true`,
    ])
      expect([lost, laneGateIn(lost)?.isOwn]).toEqual([lost, false])
    for (const other of [
      'echo lane ail gate',
      'lane pending',
      'cargo test',
      'grep lane ail gate',
      'lanes ail gate',
    ])
      expect([other, laneGateIn(other)]).toEqual([other, null])
    expect(found(steps(`${shellGate('lane approve RUN_STEP --value a=b')}${AFTER}`))).toEqual([
      'error gate_does_not_wait 5',
    ])
    expect(found(steps(`${shellGate('lane approve RUN_STEP --value a=b --wait')}${AFTER}`))).toEqual([])
    expect(found(steps(`${shellGate(`${GATE} --value x="{{ last_response }}"`)}${AFTER}`))).toEqual([
      'warning command_static 5',
    ])
    expect(found(steps(`${shellGate(`${GATE} --id deploy`)}${AFTER}`))).toEqual(['warning id_fixed 5'])
    expect(found(steps(`${shellGate(`${GATE} --id "deploy-$RUN"`)}${AFTER}`))).toEqual([])
  })
})

describe('steps of the runner plugin', () => {
  const REQUEST = '```json\\n{\\"request\\": {}}\\n```'
  const plugin = (more = '', prompt = `{{ last_response }}\\n${REQUEST}`): string =>
    `  - id: leave\n    runner: interrupt-lane\n    prompt: "${prompt}"\n${more}`

  test('[AIL-249] on_error continue swallows a NO, and retry asks until somebody says yes', () => {
    expect(found(steps(`${plugin()}${AFTER}`))).toEqual([])
    expect(found(steps(`${plugin('    on_error: continue\n')}${AFTER}`))).toEqual(['error error_swallowed 6'])
    expect(found(steps(`${plugin('    on_error: retry\n    max_retries: 3\n')}${AFTER}`))).toEqual([
      'error error_retried 6',
    ])
  })

  test('it holds in async branches and chains, unless the join or a step around it forgives', () => {
    const join = (mode: string): string =>
      steps(
        `${plugin('    async: true\n')}  - id: all\n    action: join\n    depends_on: [leave]\n    on_error: ${mode}\n${AFTER}`,
      )
    expect(found(join('fail_fast'))).toEqual([])
    expect(found(join('wait_for_all'))).toEqual(['error join_forgives 4'])
    const chained = plugin().replace(/^(?= )/gm, '    ')
    expect(found(steps(`  - id: main\n    prompt: x\n    before:\n${chained}${AFTER}`))).toEqual([])
    const loop = steps(
      `  - id: loop\n    on_error: continue\n    for_each:\n      over: "{{ step.x.items }}"\n      steps:\n${chained}${AFTER}`,
    )
    expect(found(loop)).toEqual(['error abort_swallowed 9'])
  })

  test('a request that cannot be read, or that an agent’s words are filled into, is named', () => {
    expect(found(steps(`${plugin('', 'May I?')}${AFTER}`))).toEqual(['warning request_unreadable 5'])
    const filled = '```json\\n{\\"request\\": {\\"why\\": \\"{{ last_response }}\\"}}\\n```'
    expect(found(steps(`${plugin('', filled)}${AFTER}`))).toEqual(['warning template_in_request 5'])
  })
})

test('what cannot be read is an error, aliases are no fault, and circles end', () => {
  expect(found('pipeline: [')).toEqual([expect.stringMatching(/^error unreadable \d+$/)])
  expect(found('just words')).toEqual(['error unreadable 1'])
  const anchored = steps(`  - &hold\n    id: hold\n    action: pause_for_human\n  - *hold\n${AFTER}`)
  expect(found(anchored)).toEqual(['warning gate_needs_bridge 5'])
  const round = steps(`  - &a\n    id: a\n    prompt: x\n    then:\n      - *a\n${AFTER}`)
  expect(found(round)).toEqual(['error unreadable 7'])
  const grown = Array.from({ length: 9 }, (_, at) => `n${at}: &n${at} [${`*n${at - 1},`.repeat(9)}]`)
  const bomb = `version: "0.1"\n${['n: &n-1 [x]', ...grown].join('\n')}\npipeline: *n8\n`
  expect(findings(bomb)).toMatchObject([
    { severity: 'error', code: 'unreadable', why: expect.stringContaining('aliases come to too much') },
  ])
  const circle = steps(`  - id: a\n    pipeline: ./main.yaml\n`)
  expect(found(circle, undefined, { 'main.yaml': circle })).toEqual([])
})

const published = existsSync(FIXTURES) ? readdirSync(FIXTURES).filter(name => name.endsWith('.yaml')) : []
test.runIf(published.length > 0)('the published pipelines give no error (needs ../shared/foreign)', () => {
  const open = (from: string, ref: string) => {
    const file = join(dirname(from), ref)
    return existsSync(file) ? { file, text: readFileSync(file, 'utf8') } : null
  }
  const errors = published.flatMap(name => {
    const file = join(FIXTURES, name)
    return lint(file, readFileSync(file, 'utf8'), open).filter(({ severity }) => severity === 'error')
  })
  expect(errors).toEqual([])
  expect(published.length).toBeGreaterThan(40)
})
