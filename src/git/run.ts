// git, called as a program on a repository that anybody may have written. Its configuration can name programs to run
// (hooks, a file watcher, filters, helpers for remotes), so only plumbing is called that asks for none of them, and what
// could still be asked for is switched off.
//
// GR1  No program that the repository names is run.
// GR2  Nothing leaves the machine: an object that is missing is missing, not fetched.
// GR3  The caller's own settings count for nothing: neither its variables nor its configuration files.
import { execFile } from 'node:child_process'

type Ran =
  | { readonly ok: true; readonly stdout: Buffer }
  | { readonly ok: false; readonly code: 'no_git' | 'failed'; readonly detail: string }
type RunOptions = {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

const SWITCHES = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['commit.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['i18n.commitEncoding', 'utf-8'],
  ['protocol.allow', 'never'],
  // A directory that merely looks like a repository is none: it could lie in a checkout, with a configuration of its own.
  ['safe.bareRepository', 'explicit'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  // A repository may allow one protocol by its name, which outdoes protocol.allow; this outdoes both (GR2).
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
}

/** An archive of a handoff, or the list of a large tree; more is no work for here. */
const MOST_OUTPUT = 256 * 1024 * 1024
const PATIENCE_MS = 60_000

export function runGit(cwd: string, args: readonly string[], { input, env }: RunOptions = {}): Promise<Ran> {
  return new Promise(resolve => {
    const child = execFile(
      'git',
      [...SWITCHES, ...args],
      {
        cwd,
        env: { PATH: process.env.PATH, ...ENVIRONMENT, ...env },
        encoding: 'buffer',
        maxBuffer: MOST_OUTPUT,
        timeout: PATIENCE_MS,
      },
      (error, stdout, stderr) =>
        resolve(error === null ? { ok: true, stdout } : failure(args, error, stderr)),
    )
    // A program that ends before it has read everything says so by its exit code.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input ?? '')
  })
}

function failure(args: readonly string[], error: Error & { code?: unknown }, stderr: Buffer): Ran {
  if (error.code === 'ENOENT')
    return { ok: false, code: 'no_git', detail: 'git is not installed, or not on the PATH' }
  const said = stderr.toString('utf8').trim().split('\n')[0] || `ended with ${error.code ?? 'a signal'}`
  return { ok: false, code: 'failed', detail: `git ${args[0]}: ${said}` }
}

class GitFailed extends Error {
  override readonly name = 'GitFailed'
}

/** For calls that fail only if something is broken. */
export async function mustRun(cwd: string, args: readonly string[], options?: RunOptions): Promise<Buffer> {
  const ran = await runGit(cwd, args, options)
  if (ran.ok) return ran.stdout
  throw new GitFailed(ran.detail)
}
