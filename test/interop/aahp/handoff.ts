// A small handoff of our own making, whole: every file, and a manifest that fits them.
import type { Board } from '../../../src/interop/aahp/board.js'
import { checksumOf, type Manifest, type Task } from '../../../src/interop/aahp/manifest.js'

export const AT = '2026-03-01T12:00:00.000Z'
export const TODAY = '2026-03-01'
export const SESSION = { id: 'lane-1', at: AT, before: 'c0ffee0' }

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const boardOf = (files: Readonly<Record<string, string>>): Board =>
  new Map(Object.entries(files).map(([name, text]) => [name, bytes(text)]))

const entry = (day: number): string =>
  `## [2026-02-${String(day).padStart(2, '0')}] builder: step ${day}\n\nDone.\n\n---\n\n`

export const logOf = (entries: number): string =>
  `# sample: journal\n\n> Newest on top.\n\n---\n\n${Array.from({ length: entries }, (_, index) => entry(entries - index)).join('')}`

export const TASKS: Readonly<Record<string, Task>> = {
  'T-001': {
    title: 'Lay the pipe',
    status: 'done',
    priority: 'high',
    depends_on: [],
    completed: '2026-02-01T00:00:00Z',
  },
  'T-002': { title: 'Test the pipe', status: 'ready', priority: 'medium', depends_on: ['T-001'] },
  'T-003': {
    title: 'Open the valve',
    status: 'blocked',
    priority: 'high',
    depends_on: ['T-001'],
    blocked_by: 'human: May the valve be opened?',
  },
  'T-004': { title: 'Fill the tank', status: 'blocked', priority: 'critical', depends_on: ['T-003'] },
}

const TEXTS: Readonly<Record<string, string>> = {
  'STATUS.md':
    '# sample: state\n\n<!-- SECTION: summary -->\nPipe laid.\n<!-- /SECTION: summary -->\n\n<!-- SECTION: build -->\ngreen\n<!-- /SECTION: build -->\n',
  'NEXT_ACTIONS.md':
    '# sample: next\n\n## T-002: Test the pipe\n\n**Goal:** no leaks\n\n---\n\n## T-003: Open the valve (Blocked)\n\n**Blocked by:** a decision\n\n---\n\n## Recently Completed\n\n| Item | Resolution |\n|------|------------|\n| T-001 | laid |\n',
  'LOG.md': logOf(3),
  'DASHBOARD.md': '# sample: board\n\nOne tank, one pipe.\n',
  'TRUST.md':
    '# sample: trust\n\n| Property | Status | Verified | TTL | Expires |\n|----------|--------|----------|-----|---------|\n| pipe holds | verified | 2026-02-20 | 30d | 2026-03-22 |\n',
  '.aiignore': '*_KEY=*\n',
}

export function manifestOf(files: Readonly<Record<string, string>>, more: Partial<Manifest> = {}): Manifest {
  const rows = Object.entries(files)
    .filter(
      ([name]) => name.endsWith('.md') || name === 'pii-allowlist.json' || name === 'LOG-ARCHIVE.index.json',
    )
    .map(([name, text]) => [
      name,
      {
        checksum: checksumOf(bytes(text)),
        updated: '2026-02-28T00:00:00Z',
        lines: 1,
        summary: `what ${name} says`,
      },
    ])
  return {
    aahp_version: '3.0',
    project: 'sample',
    last_session: { agent: 'builder', timestamp: '2026-02-28T00:00:00Z', phase: 'implementation' },
    files: Object.fromEntries(rows),
    quick_context: 'Pipe laid, valve closed.',
    next_task_id: 5,
    tasks: { ...TASKS },
    ...more,
  }
}

/** Names and texts of a whole handoff, its manifest among them; null takes a file away. */
export function handoff(
  changes: Readonly<Record<string, string | null>> = {},
  more: Partial<Manifest> = {},
): Record<string, string> {
  const merged = Object.entries({ ...TEXTS, ...changes }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  )
  const files = Object.fromEntries(merged)
  return { ...files, 'MANIFEST.json': `${JSON.stringify(manifestOf(files, more), null, 2)}\n` }
}
