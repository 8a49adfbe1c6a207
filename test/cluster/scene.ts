// The set of every suite of a whole cluster: the servers once, an empty cluster on them for each test, and a journal
// of the answers its clients got, which is held against the ledger in the end.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Entry } from '../../src/event.js'
import type { Client } from '../faults/client.js'
import { expectKept, Journal } from '../faults/journal.js'
import { endAll } from '../faults/rig.js'
import { another, type Cluster, type Replica, startCluster } from './cluster.js'

/** The sweep's two seconds, and what a machine that does other work adds to them. */
export const LATE_AT_MOST_MS = 2_000 + 2_000

/** Filled before each test. */
export class Scene {
  #cluster: Cluster | null = null
  journal = new Journal()
  /** Who was met in this test, in order. */
  clients: Client[] = []

  get cluster(): Cluster {
    if (this.#cluster === null) throw new Error('no cluster stands yet')
    return this.#cluster
  }

  async begin(servers: Cluster): Promise<void> {
    this.#cluster = await another(servers)
    this.journal = new Journal()
    this.clients = []
  }

  readonly meet = (lane: Replica): Client => {
    const client = lane.client(this.journal)
    this.clients.push(client)
    return client
  }

  /** The ledger holds what the clients were told, once each. */
  readonly kept = async (): Promise<Entry[]> => expectKept(this.journal, await this.cluster.lines())

  async end(): Promise<void> {
    for (const client of this.clients) client.leave()
    await endAll()
  }
}

export function sceneForEach(): Scene {
  const scene = new Scene()
  let servers: Cluster
  beforeAll(async () => {
    servers = await startCluster()
  }, 60_000)
  afterAll(() => servers?.end())
  beforeEach(() => scene.begin(servers))
  afterEach(() => scene.end())
  return scene
}
