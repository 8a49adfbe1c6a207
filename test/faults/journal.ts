// The client's own record of the deeds it was told are done, and of nothing else. After a crash the ledger must hold
// all of it, and may hold more: an answer that was cut off says nothing.

import { join } from 'node:path'
import { expect } from 'vitest'
import type { Entry } from '../../src/event.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { openReadOnly } from '../../src/ledger/sqlite/open.js'
import { verify } from '../../src/ledger/verify.js'

type Receipt = { readonly seq: number; readonly hash: string }
/** How a request ended, as the one who ended it was told: an answer by its choice. */
export type Ending = 'YES' | 'NO' | 'withdrawn' | 'defaulted' | 'undelivered'

export class Journal {
  readonly opened = new Map<string, Receipt>()
  readonly endings = new Map<string, Ending>()
  /** A second, different ending told to anybody: nothing the ledger says can make that right. */
  readonly contradictions: string[] = []

  open(id: string, receipt: Receipt): void {
    this.opened.set(id, receipt)
  }

  end(id: string, ending: Ending): void {
    const before = this.endings.get(id)
    if (before !== undefined && before !== ending)
      this.contradictions.push(`${id}: ${before}, then ${ending}`)
    this.endings.set(id, ending)
  }
}

/** The ledger of a lane that is down, read as an auditor reads it. */
export function readLines(dataDir: string): string[] {
  const db = openReadOnly(join(dataDir, 'ledger.db'))
  try {
    return db.prepare('SELECT line FROM entries ORDER BY seq').pluck().all() as string[]
  } finally {
    db.close()
  }
}

/** Verify holds, nothing acknowledged is missing, every request ended at most once, and as its client was told. */
export async function expectKept(journal: Journal, lines: readonly string[]): Promise<Entry[]> {
  const { problems } = await verify(lines)
  expect(problems).toEqual([])
  const entries = lines.map(parseEntry)
  expect(lost(journal, entries)).toEqual([])
  return entries
}

function lost(journal: Journal, entries: readonly Entry[]): string[] {
  const found = [...journal.contradictions]
  for (const [id, { seq, hash }] of journal.opened) {
    const entry = entries[seq]
    const kept = entry?.type === 'REQUEST_OPENED' && entry.request_id === id && entry.hash === hash
    if (!kept) found.push(`${id}: told opened as entry ${seq}, the ledger has ${entry?.type ?? 'nothing'}`)
  }
  const endings = endingsOf(entries)
  for (const [id, ending] of journal.endings) {
    const kept = endings.get(id) ?? []
    if (kept.length !== 1 || kept[0] !== ending) found.push(`${id}: told ${ending}, the ledger has ${kept}`)
  }
  for (const [id, ends] of endings) if (ends.length > 1) found.push(`${id}: ended ${ends.length} times`)
  return found
}

export function endingsOf(entries: readonly Entry[]): Map<string, string[]> {
  const endings = new Map<string, string[]>()
  for (const entry of entries) {
    if (entry.type !== 'REQUEST_RESOLVED' || entry.request_id === undefined) continue
    const { outcome, answer } = entry.body
    const said = outcome === 'answered' ? String(answer?.parsed_choice) : outcome
    endings.set(entry.request_id, [...(endings.get(entry.request_id) ?? []), said])
  }
  return endings
}
