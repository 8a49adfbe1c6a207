// The built sync, in a process of its own that kills itself, as the power would, behind the step it is told.
import { syncOnce } from '../../dist/src/cli/aahp/sync.js'
import { machineClock } from '../../dist/src/clock.js'

const { url, key, options, behind } = JSON.parse(process.argv[2] ?? '')
const silent = { write: () => true, once: () => undefined }
const shell = {
  env: {},
  envFile: null,
  stdout: silent,
  stderr: silent,
  clock: machineClock,
  sleep: async () => undefined,
}
let steps = 0
const told = step => {
  if (++steps !== behind) return
  // A pipe takes so little at once, so it has arrived.
  process.stdout.write(step)
  process.kill(process.pid, 'SIGKILL')
}
const pass = await syncOnce({ shell, watching: { endpoint: { url, key }, keyId: null }, options, told })
process.stdout.write(`done ${JSON.stringify(pass)}`)
