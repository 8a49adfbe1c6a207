// A scripted stand-in for `ail` 0.1.4, written from what its pages and its source say it does, quirks included (I-b … I-f). It
// plays the script that AIL_SCRIPT names, a list of steps, and writes what it hears to AIL_HEARD, line by line.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const args = process.argv.slice(2)
const mode = args.includes('stdio') ? (args.includes('--stream') ? 'stream' : 'stdio') : format()
const steps = JSON.parse(readFileSync(process.env.AIL_SCRIPT, 'utf8'))
const speaks = mode === 'stream' || mode === 'json'

function format() {
  const at = args.indexOf('--output-format')
  return (at >= 0 && args[at + 1] === 'json') || args.includes('--output-format=json') ? 'json' : 'text'
}
const emit = event => (speaks ? process.stdout.write(`${JSON.stringify(event)}\n`) : undefined)
const heard = line => process.env.AIL_HEARD && appendFileSync(process.env.AIL_HEARD, `${line}\n`)

// Answers queue, whatever step they name (I-f); a gate takes the first.
const replies = []
let waiting = null
let isOver = false
let killed = false
let permission = null
let lastResponse = null
const modified = {}

const input = createInterface({ input: process.stdin })
input.on('line', line => {
  heard(line)
  let message
  try {
    message = JSON.parse(line)
  } catch {
    return heard(`PROMPT ${line}`)
  }
  if (message.type === 'kill') killed = true
  if (message.type === 'permission_response') {
    permission?.(message)
    permission = null
  }
  if (message.type !== 'hitl_response') return
  if (waiting) waiting(message.text)
  else replies.push(message.text)
})
const inputEnded = new Promise(resolve => input.once('close', resolve))
inputEnded.then(() => {
  heard('EOF')
  isOver = true
  // The only sender is gone: the gate receives an empty text and goes on (I-c). In stream mode another one is kept.
  if (mode === 'json') waiting?.('')
})

const receive = () =>
  new Promise(resolve => {
    if (replies.length > 0) return resolve(replies.shift())
    if (mode === 'json' && isOver) return resolve('')
    waiting = text => {
      waiting = null
      resolve(text)
    }
  })

const RUN = process.env.AIL_RUN_ID ?? '00000000-0000-4000-8000-000000000001'
const done = (step_id, response = null) =>
  emit({ type: 'step_completed', step_id, cost_usd: null, input_tokens: 0, output_tokens: 0, response })

async function play(list, prefix = '') {
  for (const step of list) {
    // The flag is read between steps alone; a gate that waits does not see it (I-d).
    if (killed) return
    await one(step, `${prefix}${step.id ?? ''}`)
  }
}

async function one(step, id) {
  switch (step.kind) {
    case 'prompt':
      emit({
        type: 'step_started',
        step_id: id,
        step_index: 0,
        total_steps: steps.length,
        resolved_prompt: 'x',
      })
      lastResponse = step.response
      return done(id, step.response)
    case 'gate':
      if (!speaks) return
      emit({ type: 'hitl_gate_reached', step_id: id, ...(step.message && { message: step.message }) })
      // Whatever was said, "Rejected" too, the run goes on (I-b).
      await receive()
      return done(id)
    case 'result_gate':
      done(id, 'bad')
      emit({ type: 'hitl_gate_reached', step_id: id })
      await receive()
      return
    case 'modify':
      if (!speaks) return
      emit({ type: 'hitl_modify_reached', step_id: id, message: step.message, last_response: lastResponse })
      modified[id] = await receive()
      return done(id)
    case 'permission': {
      const answer = new Promise(resolve => {
        permission = resolve
      })
      const { name: display_name, detail: display_detail, input: tool_input } = step
      emit({
        type: 'runner_event',
        event: {
          type: 'permission_requested',
          display_name,
          display_detail,
          ...(tool_input && { tool_input }),
        },
      })
      if (step.twice)
        emit({
          type: 'runner_event',
          event: { type: 'permission_requested', display_name, display_detail: 'second' },
        })
      const { allowed, reason } = await answer
      return writeFileSync(step.file, JSON.stringify({ allowed, reason }))
    }
    case 'mark':
      return writeFileSync(step.file, JSON.stringify({ modified, env: Object.keys(process.env) }))
    case 'raw':
      return process.stdout.write(step.text)
    case 'pause':
      return await sleep(step.ms)
    case 'await':
      while (!existsSync(step.file)) await sleep(20)
      return
    case 'crash': {
      // Somebody it started holds its output, in its group or in one of their own.
      const held = { stdio: ['ignore', 'inherit', 'ignore'] }
      const left = [false, true].map(detached => spawn('sleep', ['300'], { ...held, detached }).pid)
      writeFileSync(step.file, JSON.stringify(left))
      return process.kill(process.pid, 'SIGKILL')
    }
    case 'loop':
      for (let turn = 0; turn < step.times; turn++) await play(step.steps, `${id}::`)
      return
    case 'abort':
      // Told by the executor, and once more by its caller.
      for (let turn = 0; turn < 2; turn++)
        emit({ type: 'pipeline_error', error: 'aborted', error_type: 'ail:pipeline/aborted' })
      killed = true
      return
  }
}

process.on('SIGTERM', () => undefined)
// A gate that waits keeps the process.
setInterval(() => undefined, 60_000)
if (mode === 'stream')
  emit({ type: 'chat_started', chat_session_id: 'c', pipeline_source: 'p.yaml', one_shot: true })
emit({ type: 'run_started', run_id: RUN, pipeline_source: 'p.yaml', total_steps: steps.length })
await play(steps)
// A run that was told to stop says that it completed, and exits 0 (I-e).
emit({ type: 'pipeline_completed', outcome: 'completed' })
if (mode === 'stream') {
  emit({ type: 'turn_completed', turn_id: 't' })
  emit({ type: 'ready' })
  emit({ type: 'chat_ended', chat_session_id: 'c', total_turns: 1 })
  await inputEnded
}
process.exit(0)
