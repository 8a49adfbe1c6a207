// The stand-in for `ail` does what makes its gates dangerous: these are tests of itself, so that those of the bridge mean something.
import { describe, expect, test } from 'vitest'
import { play, STREAM, script } from './scene.js'

const gated = () =>
  script(file => [
    { kind: 'gate', id: 'hold', message: 'Go on?' },
    { kind: 'mark', file: file() },
  ])
const JSON_MODE = ['--once', 'x', '--output-format', 'json']
const reply = (text: string, step_id = 'hold'): string =>
  `${JSON.stringify({ type: 'hitl_response', step_id, text })}\n`

describe('the stand-in', () => {
  test('[AIL-242] I-b: any answer opens a pause gate, a rejection too', async () => {
    const one = gated()
    const run = play(one, ...STREAM)
    await run.reached('hitl_gate_reached')
    run.child.stdin.write(reply('Rejected'))
    await run.reached('chat_ended')
    expect(one.marked()).toBe(true)
    run.child.stdin.end()
    expect(await run.ended).toBe(0)
  })

  test('[AIL-242] I-c: the end of standard input opens the gate with --once and json, and not with stdio --stream', async () => {
    const once = gated()
    const run = play(once, ...JSON_MODE)
    await run.reached('hitl_gate_reached')
    run.child.stdin.end()
    expect(await run.ended).toBe(0)
    expect(once.marked()).toBe(true)
    const streamed = gated()
    const held = play(streamed, ...STREAM)
    await held.reached('hitl_gate_reached')
    held.child.stdin.end()
    // Whatever it would do, it would do behind these lines.
    await new Promise(resolve => setTimeout(resolve, 300))
    expect([streamed.heard(), streamed.marked(), held.child.exitCode]).toEqual([['EOF'], false, null])
    held.child.kill('SIGKILL')
    await held.ended
  })

  test('[AIL-242] I-d, I-e: kill is not seen by a gate that waits; then the run says it completed, and exits 0', async () => {
    const one = gated()
    const run = play(one, ...STREAM)
    await run.reached('hitl_gate_reached')
    run.child.stdin.write('{"type":"kill"}\n')
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(run.events().at(-1)).toMatchObject({ type: 'hitl_gate_reached' })
    run.child.stdin.write(reply(''))
    await run.reached('chat_ended')
    expect(run.events()).toContainEqual({ type: 'pipeline_completed', outcome: 'completed' })
    run.child.stdin.end()
    expect([await run.ended, one.marked()]).toEqual([0, false])
  })

  test('[AIL-242] I-f: answers queue whatever step they name, and a second one opens the next gate', async () => {
    const one = script(file => [
      { kind: 'gate', id: 'one' },
      { kind: 'gate', id: 'two' },
      { kind: 'mark', file: file() },
    ])
    const run = play(one, ...STREAM)
    run.child.stdin.write(reply('x', 'nobody') + reply('x', 'one'))
    await run.reached('chat_ended')
    expect(one.marked()).toBe(true)
    run.child.stdin.end()
    await run.ended
  })

  test('text output passes gates without a word', async () => {
    const one = gated()
    expect(await play(one, '--once', 'x').ended).toBe(0)
    expect(one.marked()).toBe(true)
  })
})
