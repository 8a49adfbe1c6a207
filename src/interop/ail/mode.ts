// The ways `ail` can be started, and what each makes of a gate of its own. Only one of them lets a gate stand whatever
// becomes of the program that answers it.

export type Mode = {
  readonly kind: 'any' | 'text' | 'once_json' | 'stdio' | 'stream'
  /** `--headless`: nobody is asked about tools either. */
  readonly headless: boolean
}
export const ANY_MODE: Mode = { kind: 'any', headless: false }

/** The words behind `ail`. */
export function modeOf(args: readonly string[]): Mode {
  const headless = args.includes('--headless')
  if (args.includes('stdio')) return { kind: args.includes('--stream') ? 'stream' : 'stdio', headless }
  const format = args.flatMap((word, place) =>
    word === '--output-format' ? [args[place + 1] ?? ''] : (/^--output-format=(.*)$/.exec(word)?.[1] ?? []),
  )
  return { kind: format.at(-1) === 'json' ? 'once_json' : 'text', headless }
}
