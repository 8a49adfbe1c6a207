// `lane ail lint`: the gates of pipelines, looked at before they run.
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { readFile } from '../../folder/file.js'
import { closeFolder, openFolder } from '../../folder/folder.js'
import type { Finding } from '../../interop/ail/finding.js'
import { lint as findingsIn } from '../../interop/ail/lint.js'
import { ANY_MODE, modeOf } from '../../interop/ail/mode.js'
import type { OpenFile } from '../../interop/ail/walk.js'
import { readArguments } from '../arguments.js'
import { misuse } from '../command.js'
import type { Subcommand } from '../deeds.js'
import { EXIT } from '../exit-code.js'
import { say, visible } from '../print.js'
import { complain } from '../tell.js'
import { splitAt } from './words.js'

export const lint: Subcommand = async (args, shell) => {
  const { before, behind } = splitAt(args)
  const names = ['FILE', ...before.map(() => 'FILE?')]
  const read = readArguments(before, { json: { type: 'boolean' } }, names)
  if (!read.ok) return misuse(...read.flaws)
  if (behind !== null && basename(behind[0] ?? '') !== 'ail')
    return misuse(
      `behind -- stands how ail is started, such as \`ail stdio --stream\`; read "${behind.join(' ')}"`,
    )
  const mode = behind === null ? ANY_MODE : modeOf(behind.slice(1))
  const findings: Finding[] = []
  for (const file of read.words) {
    const text = textOf(file)
    if (!text.ok) return complain(shell, [text.detail])
    findings.push(...findingsIn(file, text.text, open, mode))
  }
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (read.values.json === true) say(shell.stdout, [JSON.stringify({ mode, findings })])
  else
    say(shell.stdout, [
      ...findings.map(sayFinding),
      `${errors} ${errors === 1 ? 'error' : 'errors'}, ${findings.length - errors} warnings`,
    ])
  return errors === 0 ? EXIT.ok : EXIT.error
}

const sayFinding = ({ severity, code, file, line, step, why, instead }: Finding): string =>
  visible(
    `${file}:${line}: ${severity} ${code}${step === '' ? '' : ` (${step})`}: ${why}. Instead: ${instead}`,
  )

/** A path in a pipeline is meant from its own directory; `~/` is the home of whoever runs it. */
const open: OpenFile = (from, ref) => {
  const place = ref.startsWith('~/') ? join(homedir(), ref.slice(2)) : ref
  const file = isAbsolute(place) ? place : join(dirname(from), place)
  const text = textOf(file)
  return text.ok ? { file, text: text.text } : null
}

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string }

function textOf(file: string): Text {
  const folder = openFolder(dirname(resolve(file)), [], { shared: true })
  if (!folder.ok) return folder
  try {
    const read = readFile(folder.folder, basename(file))
    return read.ok ? { ok: true, text: read.bytes.toString('utf8') } : read
  } finally {
    closeFolder(folder.folder)
  }
}
