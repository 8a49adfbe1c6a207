// The page docs/spec/ledger.md and the code say the same.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { BODIES, type Draft, EVENT_TYPES, type EventType } from '../../src/event.js'
import { inscribe, parseEntry } from '../../src/ledger/entry.js'
import { INVARIANTS } from '../../src/ledger/invariant/invariants.js'
import { readLine } from '../../src/ledger/invariant/line.js'
import { verify } from '../../src/ledger/verify.js'

const page = readFileSync(new URL('../../docs/spec/ledger.md', import.meta.url), 'utf8')

const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\n([^\`]*)\n\`\`\``).exec(page)?.[1]
  if (found === undefined) throw new Error(`the page has no block of ${language}`)
  return found
}
/** The rows of the table in a section, as cells. */
const table = (section: string): string[][] => {
  const [, after = ''] = page.split(`## ${section}\n`)
  const [body = ''] = after.split(/\n## /)
  const [first = ''] = body.split('\n\n').filter(part => part.startsWith('|'))
  return first
    .split('\n')
    .slice(2)
    .map(row =>
      row
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )
}

describe('the example of the page', () => {
  const lines = block('ndjson').split('\n')

  test('is what the lane writes', () => {
    for (const line of lines) {
      const { v: _, hash, seq, at, prev, ...draft } = parseEntry(line)
      expect(inscribe(draft as Draft, { seq, at, prev })).toMatchObject({ line, entry: { hash } })
    }
  })

  test('is what the lane reads: each line follows on the one before', () => {
    const [first = '', second = ''] = lines
    const genesis = `sha256:${'0'.repeat(64)}` as const
    expect(readLine(first, { seq: 0, prev: genesis }).flaws).toEqual([])
    expect(readLine(second, { seq: 1, prev: parseEntry(first).hash }).flaws).toEqual([])
  })

  test('holds, by every rule of the page', async () => {
    const head = parseEntry(lines.at(-1) ?? '').hash
    expect(await verify(lines)).toEqual({ ok: true, entries: lines.length, head, problems: [], beyond: null })
  })

  test('has the hash anybody computes from the bytes it shows', () => {
    const digest = createHash('sha256').update(block('text')).digest('hex')
    expect(parseEntry(lines[1] ?? '').hash).toBe(`sha256:${digest}`)
  })
})

describe('the tables of the page', () => {
  const rows = table('Types')

  test('list exactly the types there are', () => {
    expect(rows.map(([type]) => type)).toEqual(EVENT_TYPES)
  })

  test.each(rows)('%s has exactly these members', (type, members = '') => {
    const schema = z.toJSONSchema(BODIES[type as EventType], { unrepresentable: 'any' })
    const required = schema.required ?? []
    const known = Object.keys(schema.properties ?? {}).map(name =>
      required.includes(name) ? name : `${name}?`,
    )
    const listed = [...members.matchAll(/`([a-z_]+\??)`/g)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  test('give the values of every member there is', () => {
    const [, after = ''] = page.split('\n## Members\n')
    const given = new Set([...after.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name))
    const named = rows.flatMap(([, members = '']) => [...members.matchAll(/`([a-z_]+)\??`/g)])
    expect(named.map(([, name]) => name).filter(name => !given.has(name))).toEqual([])
  })

  test('list exactly the invariants that are checked, in the same words', () => {
    expect(Object.fromEntries(table('What verify checks'))).toEqual(INVARIANTS)
  })
})
