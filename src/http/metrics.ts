// The operator's metrics: counts read off the ledger's own commits, so that they cannot disagree with it. Each
// replica counts its own commits: the sum over replicas is the lane's.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Entry, EVENT_TYPES } from '../event.js'
import type { Store } from '../ledger/contract.js'

export type Metrics = ReturnType<typeof startMetrics>

export function startMetrics({ ledger, seals }: Pick<Store, 'ledger' | 'seals'>, waiting: () => number) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const entries = new Counter({
    name: 'lane_entries_total',
    help: 'Entries committed to the ledger, by type',
    labelNames: ['type'],
    registers,
  })
  const resolved = new Counter({
    name: 'lane_resolved_total',
    help: 'Requests resolved, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const rejected = new Counter({
    name: 'lane_replies_rejected_total',
    help: 'Replies that answered nothing, by reason',
    labelNames: ['reason'],
    registers,
  })
  const lateness = new Histogram({
    name: 'lane_deadline_lateness_seconds',
    help: 'How long after its deadline a default was recorded',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300],
    registers,
  })
  const strangers = new Counter({
    name: 'lane_strangers_total',
    help: 'What named no delivery and was not recorded, by kind',
    labelNames: ['why'],
    registers,
  })
  const requests = new Histogram({
    name: 'lane_http_seconds',
    help: 'Time to answer over HTTP, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  new Gauge({
    name: 'lane_clock_suspect',
    help: '1 while the clock is not trusted and nothing times out',
    registers,
    collect() {
      this.set(ledger.suspect() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'lane_seals_broken',
    help: 'Requests and rows found without the seal of this lane, and not found sound since',
    registers,
    collect() {
      this.set(seals.broken().length)
    },
  })
  new Gauge({
    name: 'lane_waiters',
    help: 'Callers waiting for an outcome just now',
    registers,
    collect() {
      this.set(waiting())
    },
  })

  // Looked up once per type: finding a child by its labels costs more than counting.
  const byType = new Map(EVENT_TYPES.map(type => [type, entries.labels(type)]))
  const count = (entry: Entry): void => {
    byType.get(entry.type)?.inc()
    if (entry.type === 'REQUEST_RESOLVED') resolved.inc({ outcome: entry.body.outcome })
    if (entry.type === 'INBOUND_REPLY_REJECTED') rejected.inc({ reason: entry.body.reason })
    if (entry.type === 'TIMEOUT_RECEIPT') {
      lateness.observe((Date.parse(entry.body.fired_at) - Date.parse(entry.body.deadline_at)) / 1000)
    }
  }
  ledger.onOwnCommit(committed => committed.forEach(count))
  return { registry, strangers, answered: childrenOf(requests) }
}

/** Keeps the children, few as routes and statuses: finding one by its labels costs more than counting. */
function childrenOf(requests: Histogram<'route' | 'status'>) {
  const children = new Map<string, { observe(seconds: number): void }>()
  return (route: string, status: number, seconds: number): void => {
    const name = `${status} ${route}`
    const child = children.get(name) ?? requests.labels(route, String(status))
    children.set(name, child)
    child.observe(seconds)
  }
}
