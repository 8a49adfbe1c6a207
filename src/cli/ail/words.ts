// The words of a command that is given another one behind `--`.

/** What stands before the first `--`, and what behind it; null where there is none. */
export function splitAt(args: readonly string[]): {
  readonly before: readonly string[]
  readonly behind: readonly string[] | null
} {
  const at = args.indexOf('--')
  return at < 0 ? { before: args, behind: null } : { before: args.slice(0, at), behind: args.slice(at + 1) }
}
