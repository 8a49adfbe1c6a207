// The built `lane ahil` in a process of its own, as often as it is told. Where `behind` is given it kills itself, as the
// power would, behind so many of the calls by which it changes the file system.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

const { commands, env = {}, behind = null } = JSON.parse(process.argv[2] ?? '')

let calls = 0
const CHANGING = ['writeFileSync', 'linkSync', 'rmSync', 'fsyncSync', 'renameSync', 'fchmodSync']
const isWriting = ([, flags]) => typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0
const dieBehind = name => {
  if (++calls !== behind) return
  // A pipe takes so little at once, so it has arrived.
  process.stdout.write(`killed behind ${name}`)
  process.kill(process.pid, 'SIGKILL')
}
if (behind !== null) {
  for (const name of [...CHANGING, 'openSync']) {
    const real = fs[name]
    fs[name] = (...args) => {
      const isWhole = name === 'writeFileSync' && typeof args[0] === 'number' && args[1].length > 1
      // Half of a file is the worst that a kill can leave.
      if (isWhole) {
        real(args[0], Buffer.from(args[1]).subarray(0, args[1].length / 2))
        dieBehind('half a write')
        return real(args[0], Buffer.from(args[1]).subarray(args[1].length / 2))
      }
      const result = real(...args)
      if (name !== 'openSync' || isWriting(args)) dieBehind(name)
      return result
    }
  }
  syncBuiltinESMExports()
}

const { main } = await import('../../dist/src/cli/commands.js')
const { machineClock } = await import('../../dist/src/clock.js')
const out = []
const output = lines => ({ write: chunk => lines.push(String(chunk)) > 0, once: () => undefined })
const shell = {
  env,
  envFile: null,
  stdout: output(out),
  stderr: output(out),
  clock: machineClock,
  sleep: ms => sleep(ms),
}
const codes = []
for (const command of commands) codes.push(await main(['ahil', ...command], shell))
process.stdout.write(`done ${JSON.stringify({ codes, calls, out })}`)
