// A private Redis for a test: the program from the PATH with its append-only file on, on a port of its own, that can be
// killed, stopped, emptied and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { has } from '../faults/rig.js'
import { freePort } from '../port.js'

/** Why suites that need it are skipped; null where it is there. */
export const noRedis = has('redis-server') ? null : 'redis-server is not installed'

export type RedisServer = {
  readonly url: string
  readonly port: number
  /** A connection of the test's own. */
  readonly client: Redis
  /** SIGKILL: what was not yet written to its file is lost. */
  kill(): Promise<void>
  start(): Promise<void>
  /** SIGSTOP and SIGCONT: its sockets stay open and nothing answers. */
  freeze(): void
  thaw(): void
  /** Forgets what is on its disk; for a Redis that is down. */
  wipe(): void
  end(): Promise<void>
}

const servers = new Set<ChildProcess>()
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
})

export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), 'lane-redis-'))
  const port = await freePort()
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  let child: ChildProcess | null = null

  const start = async (): Promise<void> => {
    const own = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'yes',
    ]
    const server = spawn('redis-server', [...own, '--maxmemory-policy', 'noeviction', ...options])
    server.stderr.resume()
    servers.add(server)
    child = server
    await new Promise<void>((resolve, reject) => {
      let said = ''
      server.stdout.on('data', chunk => {
        said += String(chunk)
        if (said.includes('Ready to accept connections')) resolve()
      })
      server.once('close', code => reject(new Error(`redis-server ended with ${code}: ${said}`)))
    })
  }
  const kill = async (): Promise<void> => {
    const server = child
    child = null
    if (server === null) return
    const gone = new Promise(resolve => server.once('close', resolve))
    server.kill('SIGKILL')
    await gone
    servers.delete(server)
  }

  await start()
  await client.connect()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    wipe: () => rmSync(join(dir, 'appendonlydir'), { recursive: true, force: true }),
    async end() {
      client.disconnect()
      await kill()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
