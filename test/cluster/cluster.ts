// A cluster for a test: a real PostgreSQL, a real Redis, and as many lanes as it takes, each the built program in a
// process of its own. They share one data directory, so that the test finds a link whichever lane sent it.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { type Client, connect } from '../faults/client.js'
import type { Journal } from '../faults/journal.js'
import { freshDirectory, type Launched, type LaunchOptions, launch } from '../faults/rig.js'
import { present, type Server, startPostgres } from './postgres.js'
import { noRedis, type RedisServer, startRedis } from './redis.js'

/** Why suites that need a cluster are skipped; null where everything is there. */
export const noCluster = noRedis ?? (present ? null : 'no PostgreSQL is installed')

export type Replica = Launched & { client(journal: Journal): Client }

export type Cluster = {
  readonly postgres: Server
  readonly redis: RedisServer
  /** All replicas' own. */
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  replica(options?: Partial<LaunchOptions>): Promise<Replica>
  replicas(count: number): Promise<Replica[]>
  /** The ledger, read from the database itself. */
  lines(): Promise<string[]>
  end(): Promise<void>
}

/** One PostgreSQL and one Redis serve a file's tests, each in a corner and on a queue of its own. */
export async function startCluster(): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  return raise(postgres, redis)
}

/** An empty cluster on the same servers. */
export const another = ({ postgres, redis }: Cluster): Promise<Cluster> => raise(postgres, redis)

async function raise(postgres: Server, redis: RedisServer): Promise<Cluster> {
  const dataDir = join(freshDirectory(), 'data')
  mkdirSync(dataDir)
  const env = {
    DATABASE_URL: await postgres.corner(),
    REDIS_URL: redis.url,
    LANE_SECRET: 'the secret that all replicas of a test share',
  }
  const replica: Cluster['replica'] = async (options = {}) => {
    const lane = await launch({ dataDir, ...options, env: { ...env, ...options.env } })
    return { ...lane, client: journal => connect(lane.url, dataDir, journal) }
  }
  return {
    postgres,
    redis,
    dataDir,
    env,
    replica,
    replicas: count => Promise.all(Array.from({ length: count }, () => replica())),
    async lines() {
      const { ledger } = await openPostgres(env.DATABASE_URL)
      const all: string[] = []
      for await (const line of ledger.lines(0)) all.push(line)
      await ledger.close()
      return all
    },
    async end() {
      await Promise.all([postgres.end(), redis.end()])
    },
  }
}
