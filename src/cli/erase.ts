// `lane erase`: forgets the words a person typed and the contents they were shown. The ledger keeps its chain, which holds only salted hashes.
import { call } from '../client/call.js'
import { isFields } from '../client/case.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT } from './exit-code.js'
import { visible } from './print.js'
import { pathOf } from './requests.js'
import { enter, tell } from './tell.js'

function erasedLines(body: unknown): string[] | null {
  if (!isFields(body) || !Array.isArray(body.erased) || !Array.isArray(body.contents)) return null
  if (body.erased.length + body.contents.length === 0) return ['nothing was left to erase']
  return [
    ...body.erased.map(id => `erased the words of reply ${visible(String(id))}`),
    ...body.contents.map(handle => `erased the content ${visible(String(handle))}`),
  ]
}

export const erase: Command = {
  usage: `lane erase ID [--json]

Erases the raw words of every reply to a request, and the contents that came with it, for good. Answers, hashes and the
chain stay; replay reports these replies as erased. Contents that an open request names are not erased.`,

  async run(args, shell) {
    const read = readArguments(args, { json: { type: 'boolean' } }, ['ID'])
    if (!read.ok) return misuse(...read.flaws)
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const answer = await call(endpoint, { method: 'POST', path: `${pathOf(read.words[0] ?? '')}/erase` })
    return tell(shell, answer, endpoint, read.values.json, erasedLines)
  },
}
