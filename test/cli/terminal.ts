// A terminal for a command that is run in this process: it keeps the output, and its clock moves only by sleeping.
import type { Output, Shell } from '../../src/cli/command.js'
import type { Environment } from '../../src/config/settings.js'

export const NOW = Date.parse('2026-02-17T12:00:00.000Z')

export type Terminal = Shell & {
  out(): string
  err(): string
  readonly slept: number[]
}

export function terminal(env: Environment = {}, { isTTY = false } = {}): Terminal {
  const out: (string | Uint8Array)[] = []
  const err: (string | Uint8Array)[] = []
  const slept: number[] = []
  let passed = 0
  return {
    env,
    envFile: null,
    stdout: output(out, isTTY),
    stderr: output(err, isTTY),
    clock: { wall: () => NOW + passed, monotonic: () => passed },
    sleep: async ms => {
      slept.push(ms)
      passed += ms
    },
    out: () => Buffer.concat(out.map(chunk => Buffer.from(chunk))).toString(),
    err: () => Buffer.concat(err.map(chunk => Buffer.from(chunk))).toString(),
    slept,
  }
}

const output = (chunks: (string | Uint8Array)[], isTTY: boolean): Output => ({
  isTTY,
  columns: 80,
  write: chunk => chunks.push(chunk) > 0,
  once: () => undefined,
})
