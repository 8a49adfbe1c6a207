// A ledger is judged by the rules it was written under: yesterday's by yesterday's, today's by today's, and tomorrow's by
// nobody here.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import { chained, entriesOf } from '../verifier/ledger.js'
import { Craft, started } from './craft.js'
import { bytesOfKept, everyKept } from './kept.js'
import { soundLedger } from './sound-ledger.js'

const linesOf = (path: string): string[] => bytesOfKept(path).toString().trimEnd().split('\n')

const startedUnder = (rules: string) => ({
  type: 'LANE_STARTED',
  body: { version: '9.0.0', grammar: '1', profile: 'embedded', ...(rules !== '1' && { rules }) },
})

describe('the rules of a ledger', () => {
  test('are those of its last LANE_STARTED: an old one may go on under newer ones', async () => {
    const craft = new Craft()
    craft.force(startedUnder('1'))
    craft.put(started)
    expect(await verify(craft.lines)).toMatchObject({ ok: true, problems: [] })
  })

  test('never go back', async () => {
    const craft = new Craft()
    craft.put(started)
    craft.force(startedUnder('1'))
    const { ok, problems } = await verify(craft.lines)
    expect(ok).toBe(false)
    expect(problems.map(({ invariant, seq }) => [invariant, seq])).toContainEqual(['I28', 1])
  })

  test('decide what an entry may hold: what came with rules 2 is unknown under rules 1', async () => {
    const craft = new Craft()
    craft.force(startedUnder('1'))
    const rejected = soundLedger().entries.find(({ type }) => type === 'INBOUND_REPLY_REJECTED')
    craft.force({ type: 'INBOUND_REPLY_REJECTED', request_id: 'q-1', body: rejected?.body })
    const { problems } = await verify(craft.lines)
    expect(problems.map(({ invariant, seq }) => [invariant, seq])).toEqual([['I4', 1]])
  })
})

test('a copy on the web to somebody who was asked elsewhere is unknown under rules 1, which had no sessions', async () => {
  const entries = entriesOf(linesOf('1/words.ndjson').join('\n'))
  const at = entries.findIndex(({ type, body }) => type === 'DELIVERY_STARTED' && body.channel === 'slack')
  const told = entries.slice(0, at + 1).map(entry => ({ ...entry, body: { ...entry.body } }))
  Object.assign(told[at]?.body ?? {}, { channel: 'web' })
  const { problems } = await verify(chained(told))
  expect(problems.map(({ invariant, seq }) => [invariant, seq])).toEqual([['I16', at]])
})

describe('rules of a newer lane', () => {
  const craft = new Craft()
  craft.put(started)
  craft.force(startedUnder('3'))
  craft.force({ type: 'OF_TOMORROW', body: {} })

  test('are said to be unknown, and the ledger is not called broken', async () => {
    const found = await verify(craft.lines)
    expect(found).toMatchObject({ ok: false, entries: 1, problems: [], beyond: { seq: 1, rules: '3' } })
  })

  test('end a replay in the same words', async () => {
    const found = await replay(craft.lines, () => null)
    expect(found).toMatchObject({ ok: false, problems: [], beyond: { seq: 1, rules: '3' } })
  })

  test('are not believed of a line that was altered: that is damage', async () => {
    const [first = '', second = '', third = ''] = craft.lines
    const altered = [first, second.replace('"rules":"3"', '"rules":"4"'), third]
    const { beyond, problems } = await verify(altered)
    expect(beyond).toBeNull()
    expect(problems[0]).toMatchObject({ invariant: 'I1', seq: 1 })
  })
})

/** What later rules might add: a reason in the middle of the list, an entry type, a kind of reply. Those of before stay. */
const ADDITIONS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  'rules.ts': [
    [/\['1', '2'\] as const/, "['1', '2', '3'] as const"],
    [/NEWEST_RULES = '2'/, "NEWEST_RULES = '3'"],
  ],
  'reason.ts': [[/'2': SECOND\b/, "'2': SECOND, '3': ['of_tomorrow', ...SECOND]"]],
  'event.ts': [
    [/const BODIES_OF = /, 'const BODIES_BEFORE = '],
    [
      /export const BODIES = /,
      `const BODIES_OF = { ...BODIES_BEFORE, '3': { ...BODIES_BEFORE['2'], OF_TOMORROW: z.strictObject({ day: name }),
         LANE_STARTED: BODIES_BEFORE['2'].LANE_STARTED.extend({ rules: z.literal('3') }) } }
       export const BODIES = `,
    ],
  ],
  'request/text.ts': [
    [/'2': judgedBy\(UNSHOWABLE\)/, "'2': judgedBy(UNSHOWABLE), '3': judgedBy(UNSHOWABLE)"],
  ],
  'request/reply-shape.ts': [
    [/'2': second\(\) \}/, "'2': second(), '3': shape(NOUN, { kind: z.literal('of_tomorrow') }) }"],
    [/$/, "\nObject.assign(APPROVAL_SHAPES, { '3': APPROVAL_SHAPES['2'] })\n"],
  ],
  'request/request-shape.ts': [
    [/'2': submissionOf\('2'\)/, "'2': submissionOf('2'), '3': submissionOf('3')"],
  ],
  'ledger/plain.ts': [[/$/, "\nObject.assign(PLAIN_OF, { '3': PLAIN_OF['2'] })\n"]],
}

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

async function programOfTomorrow(folder: string): Promise<{ verify: typeof verify; replay: typeof replay }> {
  const unused = new Set(Object.keys(ADDITIONS))
  const plugin: Plugin = {
    name: 'add-to-the-rules',
    enforce: 'pre',
    load(id) {
      const file = id.startsWith(SRC) ? id.slice(SRC.length) : ''
      const additions = ADDITIONS[file]
      if (additions === undefined) return null
      let code = readFileSync(id, 'utf8')
      for (const [place, words] of additions) {
        if (!place.test(code)) throw new Error(`${file} has no ${place} any more`)
        code = code.replace(place, () => words)
      }
      unused.delete(file)
      return { code, moduleType: 'ts' }
    },
  }
  const entry = (room: string): string =>
    fileURLToPath(new URL(`../../src/ledger/${room}.ts`, import.meta.url))
  await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [plugin],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'es2023',
      rollupOptions: { input: { verify: entry('verify'), replay: entry('replay') } },
    },
  })
  expect([...unused]).toEqual([])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const load = (name: string) => import(pathToFileURL(join(folder, `${name}.js`)).href)
  return { verify: (await load('verify')).verify, replay: (await load('replay')).replay }
}

describe('a program of later rules, with a reason, an entry type and a kind of reply more', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lane-tomorrow-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let tomorrow: Awaited<ReturnType<typeof programOfTomorrow>>
  beforeAll(async () => {
    tomorrow = await programOfTomorrow(folder)
  })

  test('knows what was added', async () => {
    const craft = new Craft()
    craft.force(startedUnder('3'))
    craft.force({ type: 'OF_TOMORROW', request_id: 'q-1', body: { day: 'monday' } })
    const { problems } = await tomorrow.verify(craft.lines)
    expect(problems.map(({ invariant }) => invariant)).toEqual(['I7'])
    // And does not take it for anything of today's.
    const today = new Craft()
    today.put(started)
    today.force({ type: 'OF_TOMORROW', request_id: 'q-1', body: { day: 'monday' } })
    expect((await tomorrow.verify(today.lines)).problems.map(({ invariant }) => invariant)).toEqual(['I4'])
  })

  test.each(everyKept())('still finds that %s holds', async file => {
    expect(await tomorrow.verify(linesOf(file))).toMatchObject({ ok: true, problems: [] })
    const raws = await tomorrow.replay(linesOf(file), () => null, { rawsMayBeAbsent: true })
    expect(raws).toMatchObject({ problems: [], beyond: null })
  })
})
