// Every command is a usage text and a deed. A command is handed all it touches, so that a test can be its terminal,
// and it never reads standard input: a gate in a pipeline must not swallow input meant for others.
import type { Clock } from '../clock.js'
import type { Environment } from '../config/settings.js'
import type { ExitCode } from './exit-code.js'

export type Output = {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(chunk: string | Uint8Array): boolean
  once(event: 'drain', listener: () => void): unknown
}

export type Shell = {
  /** The process's variables, and beneath them those of the file named with --env. */
  readonly env: Environment
  /** The file named with --env; null for none. */
  readonly envFile: string | null
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  sleep(ms: number): Promise<void>
}

/** The command line was not understood: each sentence says what was read and what would have been. */
export type Misuse = { readonly misuse: readonly string[] }

export type Command = {
  readonly usage: string
  run(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse>
}

export const misuse = (...sentences: readonly string[]): Misuse => ({ misuse: sentences })
