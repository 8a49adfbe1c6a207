// The manifest made anew from the files, as the last step of every handoff. Tasks, their counter and everything else that
// is not derived from files is kept as it stands.

import { ACTIONS } from './actions.js'
import { type Board, filesOf } from './board.js'
import { LOG, linesIn, newestTitles } from './log.js'
import { checksumOf, type Manifest, spellManifest, type Tasks } from './manifest.js'
import { AGENT, type AgentSession, ascii, cutTo, textOf } from './words.js'

const VERSION = '3.0'
const CORE = ['STATUS.md', ACTIONS]
const SUMMARY_CHARS = 200
const CONTEXT_CHARS = 500

export function regenerate(
  before: Manifest,
  board: Board,
  { tasks, context, session }: { tasks: Tasks | undefined; context: string; session: AgentSession },
): Manifest {
  const names = filesOf(board)
  const rows = names.map(name => [name, rowOf(before, board, name, session.at)] as const)
  const { next_task_id, cross_repo_ref } = before
  const made: Manifest = {
    aahp_version: before.aahp_version.startsWith('3.') ? before.aahp_version : VERSION,
    project: before.project,
    last_session: {
      agent: AGENT,
      session_id: session.id,
      timestamp: session.at,
      commit: session.before,
      phase: before.last_session.phase,
      duration_minutes: 0,
    },
    files: Object.fromEntries(rows),
    quick_context: cutTo(ascii(context), CONTEXT_CHARS),
    token_budget: { manifest_only: 0, manifest_plus_core: 0, full_read: 0 },
    ...(next_task_id !== undefined && { next_task_id }),
    ...(tasks !== undefined && { tasks: { ...tasks } }),
    ...(cross_repo_ref !== undefined && { cross_repo_ref }),
  }
  const own = tokensIn(spellManifest(made))
  const tokens = (some: readonly string[]): number =>
    some.reduce((sum, name) => sum + tokensIn(textOf(board.get(name)) ?? ''), own)
  const core = names.filter(name => CORE.includes(name))
  return {
    ...made,
    token_budget: { manifest_only: own, manifest_plus_core: tokens(core), full_read: tokens(names) },
  }
}

/** What did not change keeps its row. */
function rowOf(before: Manifest, board: Board, name: string, at: string): Manifest['files'][string] {
  const bytes = board.get(name) ?? new Uint8Array()
  const checksum = checksumOf(bytes)
  const known = Object.hasOwn(before.files, name) ? before.files[name] : undefined
  if (known?.checksum === checksum) return known
  const text = textOf(bytes) ?? ''
  return { checksum, updated: at, lines: linesIn(text), summary: summaryOf(name, text) }
}

/** The newest entry of a log; of any other file its first line that is neither heading nor quotation. */
function summaryOf(name: string, text: string): string {
  const [newest] = name === LOG ? newestTitles(text, 1) : []
  const plain = text.split('\n').find(line => /^[^#>|<\s-]/.test(line))
  return cutTo(ascii(newest ?? plain ?? text.split('\n')[0] ?? ''), SUMMARY_CHARS) || 'empty'
}

/** As the protocol's own tools estimate it: 1.3 for a word. */
const tokensIn = (text: string): number =>
  Math.floor((text.split(/\s+/).filter(Boolean).length * 13 + 9) / 10)
