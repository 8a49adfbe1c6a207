// The time of `lane aahp check` on a project whose log has ten thousand entries, nearly all in the archive with their
// hashes, from the start of the program to its end; beside it a project with ten.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addEntry, archive, splitLog } from '../src/interop/aahp/log.js'
import { checksumOf, spellManifest } from '../src/interop/aahp/manifest.js'
import type { Figure } from './figure.js'
import { seated } from './machine.js'
import { WrongOutcome } from './outcome.js'
import { withPlace } from './place.js'
import { REPEATS } from './stage.js'

const LANE = fileURLToPath(new URL('../src/cli/lane.js', import.meta.url))
const ENTRIES = 10_000
const FEW = 10

export async function measureHandoff(): Promise<Figure[]> {
  return withPlace(async ({ dir }) => {
    const [many, few] = [makeProject(join(dir, 'many'), ENTRIES), makeProject(join(dir, 'few'), FEW)]
    timeCheck(many)
    const measured: number[] = []
    const baseline: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      baseline.push(timeCheck(few))
      measured.push(timeCheck(many))
    }
    return [
      {
        what: 'lane aahp check, 10 000 entries of the log',
        unit: 'ms',
        measured,
        baseline: { what: `the same, ${FEW} entries`, measured: baseline },
        goal: { judged: 'value', better: 'less', must: 1_000, aim: 500 },
      },
    ]
  })
}

function timeCheck(project: string): number {
  const [command, args] = seated('server', process.execPath, [LANE, 'aahp', 'check', project, '--json'])
  const start = performance.now()
  const ran = spawnSync(command, args, { encoding: 'utf8', env: { PATH: process.env.PATH } })
  const took = performance.now() - start
  if (ran.status !== 0 || JSON.parse(ran.stdout).may_write !== true)
    throw new WrongOutcome(ran.stdout + ran.stderr)
  return took
}

function makeProject(top: string, entries: number): string {
  const handoff = join(top, '.ai', 'handoff')
  mkdirSync(handoff, { recursive: true })
  const files = {
    ...logOf(entries),
    'STATUS.md': '# state\n\nGreen.\n',
    'NEXT_ACTIONS.md': '# next\n\n## T-001: One\n\nDo it.\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(handoff, name), text)
  writeFileSync(join(handoff, 'MANIFEST.json'), manifestOf(files))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost.invalid', ...args], { cwd: top })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  return top
}

const entryOf = (n: number): string =>
  `## [2026-01-01] agent: step ${n}\n\n> **Agent:** agent\n> **Session ID:** s-${n}\n\n- did what was to be done in step ${n}\n- and left the rest to the next one\n`

function logOf(entries: number): Record<string, string> {
  const [first, ...rest] = Array.from({ length: entries }, (_, n) => entryOf(entries - n))
  const whole = `# journal\n\n${[first, ...rest].join('\n---\n\n')}`
  const { entries: split } = splitLog(whole)
  const { log } = addEntry(`# journal\n\n${split.slice(1, FEW).join('')}`, split[0] ?? '')
  if (entries <= FEW) return { 'LOG.md': log }
  const kept = archive({ text: null, index: null }, split.slice(FEW))
  return { 'LOG.md': log, 'LOG-ARCHIVE.md': kept.text, 'LOG-ARCHIVE.index.json': kept.index }
}

const AT = '2026-01-01T00:00:00Z'

const manifestOf = (files: Readonly<Record<string, string>>): string =>
  spellManifest({
    aahp_version: '3.0',
    project: 'measured',
    last_session: { agent: 'agent', timestamp: AT, phase: 'idle' },
    files: Object.fromEntries(
      Object.entries(files).map(([name, text]) => [
        name,
        { checksum: checksumOf(Buffer.from(text)), updated: AT, lines: 1, summary: 'measured' },
      ]),
    ),
    quick_context: 'Measured.',
    next_task_id: 2,
    tasks: { 'T-001': { title: 'One', status: 'ready' } },
  })
