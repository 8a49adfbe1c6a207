// Repositories made with the tester's own git, and looked at with it afterwards.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Removed when the tests end. */
const places: string[] = []
process.once('exit', () => {
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

export function freshPlace(): string {
  const place = mkdtempSync(join(tmpdir(), 'lane-git-'))
  places.push(place)
  return place
}

const ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.org',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.org',
}

/** What git says, without the line's end. */
export const git = (top: string, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd: top,
    env: ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 10_000,
  }).replace(/\n$/, '')

export function put(top: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    writeFileSync(join(top, path), text)
  }
}

/** A repository on `main` with one commit of these files. */
export function freshRepository(files: Readonly<Record<string, string>>): string {
  const top = freshPlace()
  git(top, 'init', '--quiet', '--initial-branch=main')
  put(top, files)
  git(top, 'add', '--all')
  git(top, 'commit', '--quiet', '--message', 'first')
  return top
}

/**
 * Makes a repository write the marker wherever it can name a program: hooks, a file watcher, filters for every path,
 * aliases of plumbing, signing, a pager, a text converter, and a remote that lends missing objects.
 */
export function makeHostile(top: string): string {
  const marker = join(top, '.git', 'marker')
  const program = join(top, '.git', 'evil')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`)
  chmodSync(program, 0o755)
  const hooks = join(top, '.git', 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of [
    'pre-commit',
    'commit-msg',
    'post-commit',
    'post-index-change',
    'reference-transaction',
    'pre-auto-gc',
  ]) {
    writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >> ${marker}\n`)
    chmodSync(join(hooks, name), 0o755)
  }
  const settings = {
    'core.hooksPath': hooks,
    'core.fsmonitor': program,
    'core.pager': program,
    'core.sshCommand': program,
    'core.alternateRefsCommand': program,
    'filter.evil.clean': program,
    'filter.evil.smudge': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'diff.evil.textconv': program,
    'diff.external': program,
    'gpg.program': program,
    'commit.gpgSign': 'true',
    'credential.helper': `!${program}`,
    'alias.update-ref': `!${program}`,
    'alias.commit-tree': `!${program}`,
    'alias.hash-object': `!${program}`,
    // From git 2.54 on the configuration itself may hold hooks.
    'hook.evil.event': 'reference-transaction',
    'hook.evil.command': program,
    'hook.e.v.i.l.event': 'post-index-change',
    'hook.e.v.i.l.command': program,
    'protocol.ext.allow': 'always',
    'remote.lender.url': `ext::${program}`,
    'remote.lender.promisor': 'true',
    'extensions.partialClone': 'lender',
    'core.repositoryFormatVersion': '1',
  }
  for (const [name, value] of Object.entries(settings))
    git(top, '-c', 'core.fsmonitor=false', 'config', name, value)
  writeFileSync(join(top, '.git', 'info', 'attributes'), '* filter=evil diff=evil\n')
  rmSync(marker, { force: true })
  return marker
}
