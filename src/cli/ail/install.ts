// `lane ail install`: the manifest by which `ail` finds the lane as a runner. An agent writes in its project, so nothing that the
// manifest names may lie there; and it holds no key.
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isOpenToOthers } from '../../config/data-directory.js'
import { createFile, readFile } from '../../folder/file.js'
import { closeFolder, type Folder, openFolder } from '../../folder/folder.js'
import { manifestOf, RUNNER } from '../../interop/ail/plugin.js'
import { readVersion } from '../../version.js'
import { readArguments } from '../arguments.js'
import { misuse, type Shell } from '../command.js'
import type { Subcommand } from '../deeds.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { say, visible } from '../print.js'
import { complain } from '../tell.js'

const MANIFEST = `${RUNNER}.yaml`
const PROGRAM = fileURLToPath(new URL('../lane.js', import.meta.url))

export const install: Subcommand = async (args, shell) => {
  const read = readArguments(args, { 'key-file': { type: 'string' }, json: { type: 'boolean' } })
  if (!read.ok) return misuse(...read.flaws)
  const named = read.values['key-file']
  const file = named === undefined ? null : resolve(named)
  if (file !== null && !existsSync(file))
    return misuse(`--key-file takes a file that sets LANE_URL and LANE_API_KEY; ${file} is not there`)
  if (file !== null && isOpenToOthers(file))
    return complain(shell, [`${file} can be read by others: chmod 600 it, since it holds a key`])
  const [executable, program, env] = [process.execPath, PROGRAM, file].map(path => path && realpathSync(path))
  const project = projectOf(process.cwd())
  const inside = [executable, program, env].find(path => path && isWithin(path, project))
  if (inside)
    return complain(shell, [
      `${inside} lies in the project ${project}, where an agent can change it`,
      'install the lane elsewhere (npm install --global interrupt-lane), or call this from another directory',
    ])
  const words = [program ?? '', ...(env ? ['--env', env] : []), 'ail', 'runner']
  return place(shell, manifestOf(executable ?? '', words, readVersion()), read.values.json === true)
}

function place(shell: Shell, manifest: string, json: boolean): ExitCode {
  const directory = join(shell.env.HOME ?? homedir(), '.ail', 'runners')
  mkdirSync(directory, { recursive: true })
  const opened = openFolder(directory, [], { shared: false })
  if (!opened.ok) return complain(shell, [opened.detail])
  try {
    return write(shell, opened.folder, manifest, json)
  } finally {
    closeFolder(opened.folder)
  }
}

function write(shell: Shell, folder: Folder, manifest: string, json: boolean): ExitCode {
  const path = join(folder.path, MANIFEST)
  const made = createFile(folder, MANIFEST, manifest)
  const there = made ? null : readFile(folder, MANIFEST)
  if (there !== null && !(there.ok && there.bytes.toString('utf8') === manifest))
    return complain(shell, [
      `${path} is there and says something else; it was left as it is`,
      'remove it first, if it is not wanted',
    ])
  const did = made ? 'written' : 'there already'
  say(shell.stdout, [json ? JSON.stringify({ manifest: path, written: made }) : visible(`${path} ${did}`)])
  return EXIT.ok
}

/** The directory that a repository begins in, or this one. */
function projectOf(directory: string): string {
  const at = realpathSync(directory)
  for (let up = at; ; up = dirname(up)) {
    if (existsSync(join(up, '.git'))) return up
    if (dirname(up) === up) return at
  }
}

const isWithin = (path: string, directory: string): boolean => {
  const way = relative(directory, path)
  return way === '' || !(way === '..' || way.startsWith('../'))
}
