// `lane backup`: a consistent copy of the whole store, taken from a running lane.
import { openStream } from '../client/call.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT } from './exit-code.js'
import { flawOfPlace, isTaken, writeWhole } from './file.js'
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
    const flaw = flawOfPlace(file)
    if (flaw !== null) return complain(shell, [flaw])
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const stream = await openStream(endpoint, '/v1/backup')
    if (stream.kind !== 'stream') return tellTrouble(shell, stream, endpoint, false)
    const size = await writeWhole(file, stream.chunks)
    say(shell.stdout, [`${file}: ${size} bytes; check it with: lane ledger verify ${file}`])
    return EXIT.ok
  },
}
