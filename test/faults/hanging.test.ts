// Connections that begin a request and never end it. The lane runs in a process of its own: its memory is measured.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { type Client, connect } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { dial } from './raw.js'
import { ALL, API_KEY, endAll, freshDirectory, type Launched, launch, memoryOf } from './rig.js'

const dataDir = join(freshDirectory(), 'data')
const journal = new Journal()
let lane: Launched
let client: Client

beforeAll(async () => {
  lane = await launch({ dataDir })
  client = connect(lane.url, dataDir, journal)
})

afterAll(async () => {
  client.leave()
  await lane.stop()
  await expectKept(journal, readLines(dataDir))
  await endAll()
})

describe('2 000 connections that never finish their request', () => {
  const SOCKETS = 2_000
  const PROBES = 100
  /** A machine that is busy with something else can slow any one measurement; an attack slows all of them. */
  const MEASUREMENTS = 4

  async function medianTime(): Promise<number> {
    const times: number[] = []
    for (let n = 0; n < PROBES; n++) {
      const start = performance.now()
      expect((await client.call('GET', '/v1/requests/healthy')).status).toBe(200)
      times.push(performance.now() - start)
    }
    return times.sort((a, b) => a - b)[PROBES / 2] ?? 0
  }

  async function measured(): Promise<number[]> {
    const medians: number[] = []
    while (medians.length < MEASUREMENTS) medians.push(await medianTime())
    return medians
  }

  const ending = ALL ? ', and in the end all of them are cut off' : ''
  test(`others are served as before, the memory stays bounded${ending}`, async () => {
    await client.open('healthy')
    await medianTime()
    const before = memoryOf(lane)
    const calm = await measured()
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, hang))
    let cut = 0
    for (const socket of sockets) socket.on('close', () => cut++)
    for (const socket of sockets) if (socket.writable) socket.write(' ')
    const attacked = await measured()
    const grown = memoryOf(lane) - before
    // An opening is as healthy as a reading.
    expect((await client.open('meanwhile')).status).toBe(201)
    if (ALL) await until('all to be cut off', () => cut, SOCKETS, 150_000)
    for (const socket of sockets) socket.destroy()
    calm.push(...(await measured()))
    const ratio = Math.min(...attacked) / Math.max(...calm)
    const show = (times: readonly number[]): string => times.map(time => time.toFixed(2)).join(', ')
    console.log(
      `${SOCKETS} hanging connections, ${grown.toFixed(0)} MB more; medians in ms: ${show(calm)} without, ${show(attacked)} with`,
    )
    expect(ratio).toBeLessThan(2)
    expect(grown).toBeLessThan(100)
    expect((await client.call('GET', '/readyz')).status).toBe(200)
  }, 180_000)

  /** Half of them stop within the headers, half within the body. */
  function hang(): Promise<ReturnType<typeof dial>> {
    const socket = dial(lane.url)
    socket.on('error', () => undefined).resume()
    const body = Math.random() < 0.5
    const end = body ? 'content-length: 1000\r\n\r\n{"request":' : ''
    return new Promise(resolve =>
      socket.once('connect', () => {
        socket.write(`POST /v1/requests HTTP/1.1\r\nhost: lane\r\nauthorization: Bearer ${API_KEY}\r\n${end}`)
        resolve(socket)
      }),
    )
  }
})
