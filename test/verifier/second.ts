// The second verifier, in Python, as one process that judges case after case: starting it costs more than judging.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { linesOf } from '../../src/cli/lines.js'
import { verify } from '../../src/ledger/verify.js'
import { ALL, has } from '../faults/rig.js'

const PROGRAM = fileURLToPath(new URL('lane_verify', import.meta.url))

/** Why it cannot be run here, for the name of what is skipped; with CI=true nothing is. */
export const without = has('python3') ? '' : ' (skipped: python3 is not installed)'
export const maySkip = without !== '' && !ALL

/** The part of a verdict that docs/spec/invariants.md promises to be the same for every verifier. */
export type Verdict = {
  readonly ok: boolean
  readonly entries: number
  readonly head: string
  readonly first: readonly [invariant: string, seq: number] | null
  readonly beyond: { readonly seq: number; readonly rules: string } | null
}

/** Ours, of the bytes of an export. */
export async function judge(bytes: Uint8Array): Promise<Verdict> {
  const { ok, entries, head, problems, beyond } = await verify(linesOf(Readable.from([bytes])))
  const [first] = problems
  return { ok, entries, head, first: first === undefined ? null : [first.invariant, first.seq], beyond }
}

type Told = Omit<Verdict, 'first'> & { readonly problems: readonly [string, number][] }
type Waiting = { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }

export class Second {
  readonly #child: ChildProcessWithoutNullStreams
  /** Cases that are not answered yet, the oldest first. */
  readonly #waiting: Waiting[] = []
  #complaint = ''

  constructor() {
    // Bytecode beside the sources would be a change to the tree that nobody made.
    this.#child = spawn('python3', ['-B', PROGRAM, '--cases'])
    this.#child.stderr.on('data', chunk => {
      this.#complaint += String(chunk)
    })
    // The end of the process is told below, with its complaint.
    this.#child.stdin.on('error', () => undefined)
    this.#child.once('close', () => {
      for (const { reject } of this.#waiting.splice(0))
        reject(new Error(`the second verifier has ended: ${this.#complaint}`))
    })
    createInterface(this.#child.stdout).on('line', line => this.#waiting.shift()?.resolve(line))
  }

  /** Its verdict on the bytes of an export. */
  async judge(bytes: Uint8Array): Promise<Verdict> {
    const told = (await this.ask('export', Buffer.from(bytes).toString('base64'))) as Told
    const { ok, entries, head, problems, beyond } = told
    return { ok, entries, head, first: problems[0] ?? null, beyond }
  }

  /** Its answer to a case of this kind; lane_verify/__main__.py says what each takes and gives. */
  async ask(kind: string, asked: unknown): Promise<unknown> {
    const answer = new Promise<string>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    this.#child.stdin.write(`${JSON.stringify({ [kind]: asked })}\n`)
    return JSON.parse(await answer)
  }

  end(): void {
    this.#child.stdin.end()
  }
}
