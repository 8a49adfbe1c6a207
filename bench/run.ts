// The run: every figure, or the families that are named, printed as they come; exit 1 when a "must" is missed or an
// outcome was not the one that was asked for. Nothing is written unless --write says so.
import { readFileSync, writeFileSync } from 'node:fs'
import { measureBurst } from './burst.js'
import { launch } from './child.js'
import {
  measureClusterBurst,
  measureClusterCreation,
  measureClusterLateness,
  measureClusterMemory,
} from './cluster.js'
import { measureConsole } from './console.js'
import { measureContents } from './content.js'
import { measureCreation } from './creation.js'
import { measureClusterCycle, measureCycle } from './cycle.js'
import { measureLateness } from './deadline.js'
import { measureExchange } from './exchange.js'
import { type Figure, verdictOf } from './figure.js'
import { measureForms } from './form.js'
import { measureGrowth } from './growth.js'
import { measureHandoff } from './handoff.js'
import { measureSteps } from './ladder.js'
import { describeMachine } from './machine.js'
import { measureMemory } from './memory.js'
import { clearPlaces } from './place.js'
import { measureProofs } from './proof.js'
import { measureReplies } from './reply.js'
import { measureStart } from './start.js'
import { measureStream } from './stream.js'
import { consoleTable, markdownTable } from './table.js'
import { measureTree } from './tree.js'
import { measureVerification } from './verification.js'
import { measureWaking } from './waiter.js'

const FAMILIES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  create: measureCreation,
  reply: measureReplies,
  form: measureForms,
  content: measureContents,
  wake: measureWaking,
  stream: measureStream,
  deadline: measureLateness,
  ladder: measureSteps,
  burst: measureBurst,
  memory: measureMemory,
  start: measureStart,
  verify: measureVerification,
  proof: measureProofs,
  tree: measureTree,
  compile: measureCompilation,
  handoff: measureHandoff,
  exchange: measureExchange,
  cycle: measureCycle,
  growth: measureGrowth,
  console: measureConsole,
}
/** Needs servers, and is measured only when it is named. */
const WITH_SERVERS: typeof FAMILIES = {
  'cluster-create': measureClusterCreation,
  'cluster-deadline': measureClusterLateness,
  'cluster-burst': measureClusterBurst,
  'cluster-memory': measureClusterMemory,
  'cluster-cycle': measureClusterCycle,
}

async function measureCompilation(): Promise<Figure[]> {
  const child = await launch<'measure', Figure[]>('server', 'compilation-process.js')
  return await child.ask('measure').finally(() => child.stop())
}

const README = new URL('../../bench/README.md', import.meta.url)
const [BEGIN, END] = ['<!-- bench:table -->', '<!-- /bench:table -->']

async function main(args: readonly string[]): Promise<number> {
  const write = args.includes('--write')
  const named = args.filter(arg => arg !== '--write')
  const unknown = named.filter(name => !Object.hasOwn({ ...FAMILIES, ...WITH_SERVERS }, name))
  if (unknown.length > 0 || (write && named.length > 0)) {
    console.error(
      `npm run bench -- [--write | ${Object.keys({ ...FAMILIES, ...WITH_SERVERS }).join(' | ')} …]; --write takes a whole run`,
    )
    return 2
  }
  const machine = describeMachine()
  console.log(machine)
  const { figures, failed } = await measure(named.length > 0 ? named : Object.keys(FAMILIES))
  console.log(`\n${consoleTable(figures)}`)
  const missed = figures.filter(figure => verdictOf(figure) === 'missed')
  for (const { what } of missed) console.error(`missed: ${what}`)
  for (const name of failed) console.error(`not measured: ${name}`)
  if (write && failed.length === 0) keep(machine, figures)
  return missed.length > 0 || failed.length > 0 ? 1 : 0
}

async function measure(names: readonly string[]): Promise<{ figures: Figure[]; failed: string[] }> {
  const figures: Figure[] = []
  const failed: string[] = []
  for (const name of names) {
    const start = performance.now()
    try {
      figures.push(...((await { ...FAMILIES, ...WITH_SERVERS }[name]?.()) ?? []))
      console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
    } catch (error) {
      failed.push(name)
      console.error(`${name}:`, error)
    }
  }
  return { figures, failed }
}

function keep(machine: string, figures: readonly Figure[]): void {
  const page = readFileSync(README, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`bench/README.md has no ${BEGIN} … ${END}`)
  const day = new Date().toISOString().slice(0, 10)
  const table = `${BEGIN}\n\nMeasured ${day}. ${machine}.\n\n${markdownTable(figures)}\n\n${END}`
  writeFileSync(README, `${before}${table}${after}`)
  console.log('bench/README.md: table refreshed')
}

clearPlaces()
process.exitCode = await main(process.argv.slice(2)).finally(clearPlaces)
