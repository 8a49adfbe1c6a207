// MANIFEST.json: the index of a handoff, with the tasks that agents pass on. What it may hold is the published schema;
// anything else is refused, by its path, before a byte is written.
import { z } from 'zod'
import { type Hash, sha256 } from '../../canonical.js'

export const MANIFEST = 'MANIFEST.json'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
const instantText = z.string().regex(INSTANT, 'an instant of RFC 3339, such as 2026-02-26T14:30:00Z')
const taskId = z.string().regex(/^T-\d{3,}$/, 'T- and at least three digits')

export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const

/** Keys of a task that the schema does not name are other tools', and ours: they are kept. */
const task = z.looseObject({
  title: z.string().max(200),
  status: z.enum(['ready', 'in_progress', 'blocked', 'done', 'cancelled']),
  priority: z.enum(PRIORITIES).optional(),
  depends_on: z.array(taskId).optional(),
  blocked_by: z.string().max(200).optional(),
  assigned_to: z.string().optional(),
  created: instantText.optional(),
  completed: instantText.optional(),
})

const fileRow = z.looseObject({
  checksum: z.string().regex(/^sha256:[a-f0-9]{64}$/, 'sha256: and 64 lower-case hex digits'),
  updated: instantText,
  lines: z.int().min(0),
  summary: z.string().max(200),
})

const count = z.int().min(0)

const manifest = z.strictObject({
  aahp_version: z.string().regex(/^\d+\.\d+$/, 'two numbers, such as 3.0'),
  project: z.string().min(1),
  last_session: z.looseObject({
    agent: z.string(),
    session_id: z.string().optional(),
    timestamp: instantText,
    commit: z.string().optional(),
    phase: z.enum(['research', 'architecture', 'implementation', 'review', 'fix', 'idle', 'documentation']),
    duration_minutes: count.optional(),
  }),
  files: z.record(
    z.string().regex(/^(.+\.md|(pii-allowlist|LOG-ARCHIVE\.index)\.json)$/s, 'the name of a handoff file'),
    fileRow,
  ),
  quick_context: z.string().max(500),
  token_budget: z
    .looseObject({
      manifest_only: count.optional(),
      manifest_plus_core: count.optional(),
      full_read: count.optional(),
    })
    .optional(),
  next_task_id: z.int().min(1).optional(),
  tasks: z.record(taskId, task).optional(),
  cross_repo_ref: z
    .strictObject({
      repo: z.string().min(1),
      commit: z.string(),
      handoff_file: z.string().optional(),
      relation: z.enum(['implements', 'extends', 'consumes']),
    })
    .optional(),
})

export type Task = z.infer<typeof task>
export type Tasks = Readonly<Record<string, Task>>
export type Manifest = z.infer<typeof manifest>
type Flaw = { readonly path: string; readonly detail: string }
type Parsed =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly flaws: readonly Flaw[] }

export function parseManifest(text: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, flaws: [{ path: '', detail: `${MANIFEST} is no JSON` }] }
  }
  const read = manifest.safeParse(value)
  if (read.success) return { ok: true, manifest: read.data }
  const flaws = read.error.issues.map(({ path, message }) => ({ path: pointer(path), detail: message }))
  return { ok: false, flaws }
}

const pointer = (path: readonly PropertyKey[]): string =>
  path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export const spellManifest = (value: Manifest): string => `${JSON.stringify(value, null, 2)}\n`

const CR = 13

/** Of the bytes without carriage returns: a checkout with other line ends is the same file. */
export const checksumOf = (bytes: Uint8Array): Hash =>
  sha256(bytes.includes(CR) ? bytes.filter(byte => byte !== CR) : bytes)
