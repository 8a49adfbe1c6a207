// `lane serve`: the lane itself, until it is told to stop.
import { AlreadyRunning } from '../ledger/sqlite/lock.js'
import { CannotStart, serve as start } from '../main.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT } from './exit-code.js'
import { say } from './print.js'
import { complain } from './tell.js'

export const serve: Command = {
  usage: `lane serve

Runs the lane. Settings come from the environment and .env, people and policy from config/lane.yaml. SIGTERM and
SIGINT stop it after what is under way is finished; a second one stops it at once, and loses nothing recorded.`,

  async run(args, shell) {
    const read = readArguments(args, {})
    if (!read.ok) return misuse(...read.flaws)
    const stopped = nextStop()
    try {
      const running = await start(shell.env, text => say(shell.stdout, [text]))
      await stopped
      await running.close()
      return EXIT.ok
    } catch (error) {
      if (error instanceof CannotStart || error instanceof AlreadyRunning)
        return complain(shell, ['cannot start', ...error.message.split('\n')])
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
        return complain(shell, [`cannot start: ${error.message}`, 'another program has this port; set PORT'])
      throw error
    }
  },
}

/** Listens from before the start, so that a signal while it starts stops it as well as one long after. */
function nextStop(): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      // From here on the default action of a signal holds: a second one ends the process.
      process.off('SIGTERM', stop).off('SIGINT', stop)
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}
