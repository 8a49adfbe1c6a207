// A ledger is judged by the rules it was written under: yesterday's by yesterday's, today's by today's, and tomorrow's by
// nobody here.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import { Craft, started } from './craft.js'
import { soundLedger } from './sound-ledger.js'

const KEPT = new URL('../vectors/ledgers/1/', import.meta.url)
const files = readdirSync(KEPT).filter(name => name.endsWith('.ndjson') && !name.endsWith('.raws.ndjson'))
const linesOf = (file: string): string[] => readFileSync(new URL(file, KEPT), 'utf8').trimEnd().split('\n')

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

/** What a later issue might add: a reason in the middle of the list, an entry type, a kind of reply. */
const ADDITIONS: Readonly<Record<string, readonly [RegExp, string]>> = {
  'reason.ts': [/'2': SECOND\b/, "'2': ['of_tomorrow', ...SECOND]"],
  'event.ts': [/LANE_STARTED: second\b/, 'OF_TOMORROW: z.strictObject({ day: name }), LANE_STARTED: second'],
  'reply-shape.ts': [/\n {6}yesNo,\n/, "\nyesNo, shape(NOUN, { kind: z.literal('of_tomorrow') }),\n"],
}

async function programOfTomorrow(folder: string): Promise<{ verify: typeof verify; replay: typeof replay }> {
  const unused = new Set(Object.keys(ADDITIONS))
  const plugin: Plugin = {
    name: 'add-to-the-rules',
    enforce: 'pre',
    load(id) {
      const addition = /\/src\/(?:request\/)?[^/]+$/.test(id) ? ADDITIONS[basename(id)] : undefined
      if (addition === undefined) return null
      const source = readFileSync(id, 'utf8')
      const code = source.replace(addition[0], addition[1])
      if (code !== source) unused.delete(basename(id))
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

describe('a program to which a reason, an entry type and a kind of reply were added', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lane-tomorrow-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let tomorrow: Awaited<ReturnType<typeof programOfTomorrow>>
  beforeAll(async () => {
    tomorrow = await programOfTomorrow(folder)
  })

  test('knows what was added', async () => {
    const craft = new Craft()
    craft.put(started)
    craft.force({ type: 'OF_TOMORROW', request_id: 'q-1', body: { day: 'monday' } })
    const { problems } = await tomorrow.verify(craft.lines)
    expect(problems.map(({ invariant }) => invariant)).toEqual(['I7'])
  })

  test.each(files)('still finds that %s holds', async file => {
    expect(await tomorrow.verify(linesOf(file))).toMatchObject({ ok: true, problems: [] })
    const raws = await tomorrow.replay(linesOf(file), () => null, { rawsMayBeAbsent: true })
    expect(raws).toMatchObject({ problems: [], beyond: null })
  })
})
