// `lane ahil` on an exchange log of 100 000 entries, from the start of the program to its end: a check, and an append
// against reading, hashing, parsing and writing the same file once.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.js'
import { seated } from './machine.js'
import { WrongOutcome } from './outcome.js'
import { withPlace } from './place.js'
import { REPEATS } from './stage.js'

const LANE = fileURLToPath(new URL('../src/cli/lane.js', import.meta.url))
const ENTRIES = 100_000

export async function measureExchange(): Promise<Figure[]> {
  return withPlace(async ({ dir }) => {
    const file = join(dir, 'exchange.ahil.json')
    writeFileSync(file, logOf(ENTRIES))
    // The first append notes what was seen; from then on it is compared.
    append(file)
    readHashParseWrite(file)
    const checks: number[] = []
    const appends: number[] = []
    const plain: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      checks.push(check(file, ENTRIES + 1 + repeat))
      plain.push(readHashParseWrite(file))
      appends.push(append(file))
    }
    const size = `${Math.round(statSync(file).size / 1024 / 1024)} MiB`
    return [
      {
        what: 'lane ahil check, 100 000 entries',
        unit: 'ms',
        measured: checks,
        baseline: null,
        goal: { judged: 'value', better: 'less', must: 2_000, aim: 1_000 },
        note: size,
      },
      {
        what: 'lane ahil append, 100 000 entries',
        unit: 'ms',
        measured: appends,
        baseline: { what: 'read, hash, parse, write once', measured: plain },
        goal: { judged: 'ratio', better: 'less', must: 3, aim: 2 },
      },
    ]
  })
}

function lane(...args: string[]): { readonly took: number; readonly json: Record<string, unknown> } {
  const [command, rest] = seated('server', process.execPath, [LANE, 'ahil', ...args, '--json'])
  const start = performance.now()
  const ran = spawnSync(command, rest, { encoding: 'utf8', env: { PATH: process.env.PATH } })
  const took = performance.now() - start
  if (ran.status !== 0) throw new WrongOutcome(ran.stdout + ran.stderr)
  return { took, json: JSON.parse(ran.stdout) }
}

function check(file: string, entries: number): number {
  const { took, json } = lane('check', file)
  if (json.entries !== entries || json.seen !== entries) throw new WrongOutcome(JSON.stringify(json))
  return took
}

function append(file: string): number {
  const said = [
    '--type',
    'observation',
    '--from',
    'meter',
    '--to',
    'all',
    '--content',
    'One more was counted.',
  ]
  const { took, json } = lane('append', file, ...said)
  if (json.from !== 'meter') throw new WrongOutcome(JSON.stringify(json))
  return took
}

/** In a process of its own, as the other side is. */
function readHashParseWrite(file: string): number {
  const [command, rest] = seated('server', process.execPath, [fileURLToPath(import.meta.url), file])
  const start = performance.now()
  const ran = spawnSync(command, rest, { encoding: 'utf8' })
  if (ran.status !== 0) throw new WrongOutcome(ran.stderr)
  return performance.now() - start
}

function plainly(file: string): void {
  const bytes = readFileSync(file)
  createHash('sha256').update(bytes).digest()
  JSON.parse(bytes.toString('utf8'))
  const fd = openSync(`${file}.plain`, 'w')
  writeFileSync(fd, bytes)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(`${file}.plain`, `${file}.copy`)
}
const [, program, given] = process.argv
if (program === fileURLToPath(import.meta.url) && given !== undefined) plainly(given)

function logOf(count: number): string {
  const entries = Array.from({ length: count }, (_, n) => {
    const day = `2026-${String(1 + (Math.floor(n / 9000) % 12)).padStart(2, '0')}-17`
    const number = String(1 + (n % 9000)).padStart(3, '0')
    const isAnswer = n % 4 === 3
    return {
      id: `scout-${day.replaceAll('-', '')}-${number}`,
      type: isAnswer ? 'acknowledgement' : 'recommendation',
      from: 'scout',
      to: 'scout',
      date: day,
      status: isAnswer ? 'acted' : 'pending',
      content: `Step ${n}: the table was not refreshed in ${n % 60} hours, and the schedule says 24. Refresh it.`,
      context: {
        priority: 'high',
        table: `mart_${n % 100}`,
        ...(isAnswer && { ref: `scout-${day.replaceAll('-', '')}-${String(n % 9000).padStart(3, '0')}` }),
      },
    }
  })
  return `${JSON.stringify({ schema_version: '1.0', description: 'Measured.', entries }, null, 2)}\n`
}
