// The deeds of a command that has several: `lane aahp check`, `lane ail gate`.
import { type Misuse, misuse, type Shell } from './command.js'
import type { ExitCode } from './exit-code.js'
import { nearest } from './nearest.js'

export type Subcommand = (args: readonly string[], shell: Shell) => Promise<ExitCode | Misuse>

/** The deed that the first word names, done with the others. */
export async function choose(
  command: string,
  deeds: Readonly<Record<string, Subcommand>>,
  [name, ...rest]: readonly string[],
  shell: Shell,
): Promise<ExitCode | Misuse> {
  const deed = name !== undefined && Object.hasOwn(deeds, name) ? deeds[name] : undefined
  if (deed !== undefined) return await deed(rest, shell)
  const names = Object.keys(deeds)
  const meant = nearest(name ?? '', names)
  const read = name === undefined ? 'nothing' : `"${name}"${meant === null ? '' : `, did you mean ${meant}?`}`
  return misuse(`lane ${command} takes ${names.join(', ')}; read ${read}`)
}
