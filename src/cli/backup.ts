// `lane backup`: a consistent copy of the whole store, taken from a running lane.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openStream } from '../client/call.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT } from './exit-code.js'
import { isTaken, writeWhole } from './file.js'
import { say } from './print.js'
import { complain, enter, tellTrouble } from './tell.js'

export const backup: Command = {
  usage: `lane backup FILE

Writes a copy of the ledger and everything beside it (not data/secret, which opens the signing keys: keep that
apart) to FILE, while the lane goes on. An existing file is not replaced. Check it with: lane ledger verify FILE`,

  async run(args, shell) {
    const read = readArguments(args, {}, ['FILE'])
    if (!read.ok) return misuse(...read.flaws)
    const [file = ''] = read.words
    if (isTaken(file)) return complain(shell, [`${file} exists and is not replaced; name another file`])
    const flaw = placeFlaw(file)
    if (flaw !== null) return complain(shell, [flaw])
    const door = enter(shell)
    if (door === null) return EXIT.error
    const stream = await openStream(door, '/v1/backup')
    if (stream.kind !== 'stream') return tellTrouble(shell, stream, door, false)
    const size = await writeWhole(file, stream.chunks)
    say(shell.stdout, [`${file}: ${size} bytes; check it with: lane ledger verify ${file}`])
    return EXIT.ok
  },
}

/** Looked at before the lane is asked: it would make a copy that nobody takes. */
function placeFlaw(file: string): string | null {
  const directory = dirname(file)
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return `${file} cannot be written: its directory must exist, and ${directory} is none; make it, or name another file`
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return null
  } catch {
    return `${file} cannot be written: this user may not write to ${directory}; name another file`
  }
}
