// `lane serve`: the lane itself, until it is told to stop.
import { AlreadyRunning } from '../ledger/sqlite/lock.js'
import { CannotStart, type Running, serve as start } from '../main.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { say } from './print.js'
import { complain } from './tell.js'

export const serve: Command = {
  usage: `lane serve

Runs the lane. Settings come from the environment and .env, people and policy from config/lane.yaml. SIGTERM and
SIGINT stop it after what is under way is finished; a second one stops it at once, and loses nothing recorded.`,

  async run(args, shell) {
    const read = readArguments(args, {})
    if (!read.ok) return misuse(...read.flaws)
    try {
      return await untilStopped(await start(shell.env, text => say(shell.stdout, [text])))
    } catch (error) {
      if (error instanceof CannotStart || error instanceof AlreadyRunning)
        return complain(shell, ['cannot start', ...error.message.split('\n')])
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
        return complain(shell, [`cannot start: ${error.message}`, 'another program has this port; set PORT'])
      throw error
    }
  },
}

function untilStopped(running: Running): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      // From here on the default action of a signal holds: a second one ends the process.
      process.off('SIGTERM', stop).off('SIGINT', stop)
      running.close().then(() => resolve(EXIT.ok), reject)
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}
