#!/usr/bin/env node
// The operator's door: hands the terminal and the environment to the command that was called.
import { setTimeout as sleep } from 'node:timers/promises'
import { machineClock } from '../clock.js'
import type { Shell } from './command.js'
import { isListing, isServing, main } from './commands.js'
import { EXIT } from './exit-code.js'
import { complain } from './tell.js'

const args = process.argv.slice(2)

// In `lane ledger export | head` the reader may go first, and that is no error of ours; but where 0 means a YES, or that a
// ledger holds, a reader who has gone must not turn a NO into it. A serving lane stays without a reader: people hold its
// links, and the outbox holds the lines its console would show.
process.stdout.on('error', error => {
  if (isServing(args)) return
  process.exit('code' in error && error.code === 'EPIPE' && isListing(args) ? EXIT.ok : EXIT.error)
})
process.stderr.on('error', () => undefined)

const { stdout, stderr } = process
const shell: Shell = {
  env: process.env,
  envFile: null,
  stdout,
  stderr,
  clock: machineClock,
  sleep: ms => sleep(ms),
}
// The exit code is set, not forced: bytes still on their way into a pipe arrive first.
process.exitCode = await main(args, shell).catch(error =>
  complain(shell, [error instanceof Error ? error.message : String(error)]),
)
