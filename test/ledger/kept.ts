// Ledgers that were written under some rules and are kept as they were, each with the words and the evidence beside it: they
// are what is pinned, they verify, and they replay whole.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Entry, flawOf } from '../../src/event.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { replay } from '../../src/ledger/replay.js'
import type { RawReply } from '../../src/ledger/shelf.js'
import { verify } from '../../src/ledger/verify.js'
import { FIRST_RULES, type Rules } from '../../src/rules.js'

const FOLDERS = new URL('../vectors/ledgers/', import.meta.url)

/** By the path from here, those of every folder. */
export const everyKept = (): readonly string[] =>
  readdirSync(FOLDERS)
    .sort()
    .flatMap(folder =>
      readdirSync(new URL(`${folder}/`, FOLDERS))
        .filter(name => /^[^.]+\.ndjson$/.test(name))
        .map(name => `${folder}/${name}`),
    )
export const bytesOfKept = (path: string): Buffer => readFileSync(new URL(path, FOLDERS))

/** SHA-256 of the lines, the words and the evidence, one file after the other; entries, cases, replies, erased. */
export type Pinned = Readonly<Record<string, readonly [string, number, number, number, number]>>

const PARTS = ['ndjson', 'raws.ndjson', 'evidence.ndjson'] as const

class Kept {
  readonly #folder: URL
  readonly #name: string

  constructor(folder: URL, name: string) {
    this.#folder = folder
    this.#name = name
  }

  get parts(): readonly URL[] {
    return PARTS.map(part => new URL(`${this.#name}.${part}`, this.#folder)).filter(existsSync)
  }

  lines(part: (typeof PARTS)[number] = 'ndjson'): string[] {
    const file = new URL(`${this.#name}.${part}`, this.#folder)
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  }

  entries(): readonly Told[] {
    return this.lines().map(parseEntry) as unknown as readonly Told[]
  }

  words(): (replyId: string) => RawReply | null {
    const all = this.lines('raws.ndjson').map(line => JSON.parse(line) as RawReply & { salt: string })
    const kept = new Map(all.map(reply => [reply.reply_id, reply]))
    return replyId => {
      const reply = kept.get(replyId)
      return reply === undefined ? null : { ...reply, salt: Buffer.from(reply.salt, 'base64url') }
    }
  }

  evidence(): (replyId: string) => string | null {
    const all = this.lines('evidence.ndjson').map(line => JSON.parse(line) as Record<string, string>)
    const kept = new Map(all.map(({ reply_id, evidence }) => [reply_id, evidence]))
    return replyId => kept.get(replyId) ?? null
  }
}

/** Of any type, and with any member. */
export type Loose = Readonly<Record<string, never>>
export type Told = Entry & { readonly body: Loose }

/** By the schemas themselves, which verify asks only of bodies that are not plain (src/ledger/plain.ts). */
function flawsOf(entries: readonly Told[]): readonly string[] {
  let rules: Rules = FIRST_RULES
  return entries.flatMap(({ seq, type, body }) => {
    if (type === 'LANE_STARTED') rules = (body.rules as Rules | undefined) ?? FIRST_RULES
    const flaw = flawOf(type, body, rules)
    return flaw === null ? [] : [`${seq}: ${flaw}`]
  })
}

/** Registers what must be true of each of them and of the folder, and gives their entries. */
export function keepAll(rules: string, pinned: Pinned): readonly (readonly Told[])[] {
  const folder = new URL(`${rules}/`, FOLDERS)
  describe.each(Object.entries(pinned))(
    `the ledger %s of rules ${rules}`,
    (name, [pin, size, cases, replies, erased]) => {
      test('is the one that was written then, verifies and replays, with its words and its evidence', async () => {
        const kept = new Kept(folder, name)
        const hash = createHash('sha256')
        for (const file of kept.parts) hash.update(readFileSync(file))
        expect(hash.digest('hex')).toBe(pin)
        expect(flawsOf(kept.entries())).toEqual([])
        const { ok, entries, problems } = await verify(kept.lines())
        expect({ ok, entries, problems }).toEqual({ ok: true, entries: size, problems: [] })
        expect(await replay(kept.lines(), kept.words(), { evidence: kept.evidence() })).toEqual({
          ok: true,
          cases,
          replies,
          erased,
          absent: 0,
          problems: [],
          beyond: null,
        })
      })
    },
  )

  test(`the ledgers of rules ${rules} are all pinned`, () => {
    const files = Object.keys(pinned)
      .flatMap(name => new Kept(folder, name).parts)
      .map(({ pathname }) => pathname.split('/').at(-1))
    expect(readdirSync(folder).sort()).toEqual(['README.md', ...files].sort())
  })

  return Object.keys(pinned).map(name => new Kept(folder, name).entries())
}
