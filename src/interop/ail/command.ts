// The command by which the bridge starts `ail`: made here, from the few options that leave its gates standing. Everything else is
// refused by name, since one word (`--headless`, `--once`) makes gates open by themselves.

type Made =
  | { readonly ok: true; readonly program: string; readonly args: readonly string[] }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** Those of `ail stdio` that take a value, with their short names. */
const VALUED: Readonly<Record<string, string>> = {
  '--message': '--message',
  '-m': '--message',
  '--pipeline': '--pipeline',
  '--model': '--model',
  '--provider-url': '--provider-url',
  '--provider-token': '--provider-token',
}
const STREAM = '--stream'
const WANTED =
  'the bridge starts `ail stdio --stream -m TEXT`, with --pipeline, --model, --provider-url or --provider-token'

export function commandOf(words: readonly string[]): Made {
  const [program = '', mode, ...rest] = words
  if (!/(?:^|\/)ail$/.test(program) || mode !== 'stdio') return refuse(`${WANTED}; read "${words.join(' ')}"`)
  const given: string[] = []
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (word === STREAM) continue
    const [name = '', joined] = word.startsWith('--') ? split(word) : [word]
    const option = Object.hasOwn(VALUED, name) ? VALUED[name] : undefined
    const value = joined ?? rest[++at]
    if (option === undefined) return refuse(`"${name}" is refused: ${WANTED}`)
    if (value === undefined) return refuse(`${name} needs a value`)
    if (given.some(one => one.startsWith(`${option}=`))) return refuse(`${option} is given twice`)
    given.push(`${option}=${value}`)
  }
  if (!given.some(one => one.startsWith('--message=')))
    return refuse('-m TEXT is missing: the run begins with it, and ends by itself')
  return { ok: true, program, args: ['stdio', STREAM, ...given] }
}

const refuse = (flaw: string): Made => ({ ok: false, flaws: [flaw] })

function split(word: string): readonly [string, string?] {
  const at = word.indexOf('=')
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}
