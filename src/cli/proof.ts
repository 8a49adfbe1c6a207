// `lane proof` asks the lane for a proof; `lane verify` checks one, with no lane anywhere.
import { readFileSync } from 'node:fs'
import { checkEd25519 } from '../checkpoint/key.js'
import { readVkey, type VerifierKey } from '../checkpoint/note.js'
import { call } from '../client/call.js'
import { type ProofVerdict, verifyProof } from '../proof/verify.js'
import { provenWords, unprovenWords } from '../proof/words.js'
import { readArguments } from './arguments.js'
import { type Command, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { paintFor, say, visible } from './print.js'
import { pathOf } from './requests.js'
import { complain, enter, tellTrouble, writeBody } from './tell.js'

export const proof: Command = {
  usage: `lane proof ID [--with-contents]
lane proof --tlog SEQ

Prints the decision proof of a resolved request: a file that shows what was asked, of whom, what they were shown, who
answered and what came of it, to anybody who has the log's verifier key (GET /.well-known/lane-log-key). Texts are in it by
their hashes; --with-contents adds those that this key may read. Check it with: lane verify FILE --key VKEY
--tlog prints one entry of the ledger as a plain c2sp.org/tlog-proof (scope audit).`,

  async run(args, shell) {
    const options = { 'with-contents': { type: 'boolean' }, tlog: { type: 'string' } } as const
    const read = readArguments(args, options, ['ID?'])
    if (!read.ok) return misuse(...read.flaws)
    const [id] = read.words
    const { tlog } = read.values
    if ((id === undefined) === (tlog === undefined))
      return misuse('ID of a request, or --tlog SEQ: one of the two')
    if (tlog !== undefined && !/^[0-9]{1,15}$/.test(tlog))
      return misuse(`--tlog takes the seq of an entry; read ${tlog}`)
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const contents = read.values['with-contents'] ? '?contents=true' : ''
    const path = tlog === undefined ? `${pathOf(id ?? '')}/proof${contents}` : `/v1/ledger/${tlog}/proof`
    const answer = await call(endpoint, { path })
    if (answer.kind !== 'answer') return tellTrouble(shell, answer, endpoint, false)
    writeBody(shell.stdout, answer.body)
    return EXIT.ok
  },
}

export const verify: Command = {
  usage: `lane verify FILE --key VKEY|FILE [--checkpoint FILE] [--json]

Checks a decision proof, with no lane, data directory or network, and says what it proves and what it does not. --key is
the log's verifier key (name+id+base64), or a file of such lines, from somewhere you trust. --checkpoint is a checkpoint of
that log that was published elsewhere; where it is of another size, the hashes of the consistency proof stand behind it in
the same file, one a line. Exits 0 if all of it holds, else 1: also without a key, since then nothing is proven.`,

  async run(args, shell) {
    const options = {
      key: { type: 'string' },
      checkpoint: { type: 'string' },
      json: { type: 'boolean' },
    } as const
    const read = readArguments(args, options, ['FILE'])
    if (!read.ok) return misuse(...read.flaws)
    const [file = ''] = read.words
    const { key, checkpoint, json = false } = read.values
    try {
      const keys = key === undefined ? [] : keysIn(key)
      if (keys === null)
        return misuse(`--key takes a verifier key (name+id+base64) or a file of them; read ${key}`)
      const verdict = await verifyProof(readFileSync(file), {
        keys,
        check: checkEd25519,
        ...(checkpoint !== undefined && { published: readFileSync(checkpoint, 'utf8') }),
      })
      return tellVerdict(shell, file, verdict, json)
    } catch (error) {
      if (!(error instanceof Error && 'path' in error)) throw error
      return complain(shell, [`${error.path} cannot be read`])
    }
  },
}

/** Null for what is neither a key nor a file of keys. */
function keysIn(given: string): readonly VerifierKey[] | null {
  const one = readVkey(given)
  if (one !== null) return [one]
  const lines = readFileSync(given, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
  const keys = lines.map(readVkey)
  return keys.length > 0 && keys.every(key => key !== null) ? keys : null
}

function tellVerdict(shell: Shell, file: string, verdict: ProofVerdict, json: boolean): ExitCode {
  const body = verdict.ok
    ? {
        ok: true,
        code: null,
        message: null,
        proven: provenWords(verdict),
        not_proven: unprovenWords(verdict),
      }
    : { ok: false, code: verdict.code, message: verdict.message, proven: [], not_proven: [] }
  const end = verdict.ok ? EXIT.ok : EXIT.error
  if (json) {
    say(shell.stdout, [JSON.stringify(body)])
    return end
  }
  if (!verdict.ok) return complain(shell, [`${file} proves nothing (${verdict.code}): ${verdict.message}`])
  const paint = paintFor(shell.stdout, shell.env)
  const told = (words: readonly string[]): string[] => words.map(line => `  ${visible(line)}`)
  say(shell.stdout, [
    paint('green', 'Proven'),
    ...told(body.proven),
    paint('yellow', 'Not proven'),
    ...told(body.not_proven),
  ])
  return end
}
