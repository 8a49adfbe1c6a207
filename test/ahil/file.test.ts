// Exchange files on a disk: looked at, added to by many at once, killed in the middle, tampered with.
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/interop/ahil/entry.js'
import { ALL } from '../faults/rig.js'
import { EMBEDDED, MINIMAL, SEVEN } from '../interop/ahil/examples.js'
import { entry } from '../interop/ahil/log.js'
import {
  ahil,
  append,
  entriesIn,
  freshFile,
  inProcess,
  load,
  namesBeside,
  save,
  standaloneWith,
} from './scene.js'

const FOREIGN = fileURLToPath(new URL('../../../shared/foreign/adpl/', import.meta.url))
const OBSERVATION = { type: 'observation', from: 'scout', to: 'all', content: 'The index grew by a third.' }
const ADVICE = { type: 'recommendation', from: 'scout', to: 'human', content: 'Rotate the staging key.' }
const today = (): string => new Date().toISOString().slice(0, 10)
const idOf = (from: string, number: string): string => `${from}-${today().replaceAll('-', '')}-${number}`

describe('check', () => {
  test('[AHIL-088, AHIL-089, AHIL-090] takes the published examples, and counts what waits for a person', async () => {
    expect(await ahil({}, 'check', freshFile(MINIMAL), '--json')).toMatchObject({
      code: 0,
      json: { ok: true, form: 'standalone', entries: 3, pending: 0, warnings: [] },
    })
    const told = await ahil({}, 'check', freshFile(SEVEN), '--json')
    expect(told).toMatchObject({ code: 0, json: { form: 'list', entries: 7, pending: 1 } })
  })

  test('[AHIL-133] names every entry from a person that no event of the lane stands behind, and why', async () => {
    const told = await ahil({}, 'check', freshFile(MINIMAL), '--json')
    expect(told.json.unauthenticated).toEqual([
      {
        id: 'human-20260317-001',
        type: 'order',
        to: 'data_freshness_monitor',
        why: 'no lane was asked: LANE_API_KEY is not set',
      },
    ])
    expect((await ahil({}, 'check', freshFile(MINIMAL))).out).toContain(
      'UNAUTHENTICATED human-20260317-001 (order)',
    )
  })

  test('refuses what is broken, with its path, and changes nothing', async () => {
    const path = freshFile(standaloneWith(entry(), entry({ status: 'done' })))
    const before = load(path)
    expect(await ahil({}, 'check', path, '--json')).toMatchObject({
      code: 1,
      json: {
        ok: false,
        code: 'invalid_log',
        details: [expect.stringContaining('unknown_status: /entries/1/status')],
      },
    })
    expect([load(path), namesBeside(path)]).toEqual([before, ['exchange.ahil.json']])
  })

  test('reads no link, no file with a second name, and no directory that others can write in', async () => {
    const path = freshFile(MINIMAL)
    const [link, second] = [join(path, '../link.ahil.json'), join(path, '../second.ahil.json')]
    symlinkSync(path, link)
    expect(await ahil({}, 'check', link)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not_a_file'),
    })
    linkSync(path, second)
    expect(await ahil({}, 'check', path)).toMatchObject({
      code: 1,
      err: expect.stringContaining('many_names'),
    })
    rmSync(second)
    chmodSync(join(path, '..'), 0o777)
    expect(await ahil({}, 'check', path)).toMatchObject({ code: 1, err: expect.stringContaining('--shared') })
    expect(await ahil({}, 'check', path, '--shared')).toMatchObject({ code: 0 })
  })

  test('shows words of a file without letting them repaint the screen', async () => {
    const told = await ahil({}, 'pending', freshFile([entry({ content: 'a\u001b[2Jb' })]), '--for', 'human')
    expect(told.out).toContain('a<U+001B>[2Jb')
  })
})

describe('pending', () => {
  test('[AHIL-123] gives what waits for a slug, or for all', async () => {
    const path = freshFile(
      standaloneWith(
        entry(),
        entry({ id: 'b-20260317-001', from: 'b', to: 'builder' }),
        entry({ id: 'human-20260317-001', type: 'order', from: 'human', to: 'all' }),
      ),
    )
    const waits = async (slug: string) => {
      const { json } = await ahil({}, 'pending', path, '--for', slug, '--json')
      return (json.entries as Entry[]).map(({ id }) => id)
    }
    expect(await waits('human')).toEqual(['scout-20260317-001', 'human-20260317-001'])
    expect(await waits('builder')).toEqual(['b-20260317-001', 'human-20260317-001'])
    expect(await waits('all')).toEqual(['human-20260317-001'])
    expect(await ahil({}, 'pending', path)).toMatchObject({ code: 2 })
  })
})

describe('append', () => {
  test('[AHIL-097, AHIL-098, AHIL-099, AHIL-104] adds one entry under the next id, and every byte before it stays', async () => {
    const path = freshFile(MINIMAL)
    const before = load(path)
    expect((await append(path, OBSERVATION)).out).toBe(`${idOf('scout', '001')} appended, noted\n`)
    await append(path, { ...ADVICE, from: 'builder' })
    await append(path, ADVICE)
    const entries = entriesIn(path)
    expect(entries.slice(3).map(({ id }) => id)).toEqual([
      idOf('scout', '001'),
      idOf('builder', '001'),
      idOf('scout', '002'),
    ])
    expect(entries.slice(0, 3)).toEqual(MINIMAL.entries)
    const kept = before.lastIndexOf('}\n  ]')
    expect(load(path).startsWith(before.slice(0, kept + 1))).toBe(true)
    expect(load(path).endsWith('\n  ]\n}\n')).toBe(true)
  })

  test('[AHIL-101] writes the thousandth entry of a day beside the others', async () => {
    const day = today()
    const path = freshFile([entry({ id: idOf('scout', '999'), date: day })])
    expect((await append(path, ADVICE)).out).toContain(idOf('scout', '1000'))
    expect((await append(path, ADVICE)).out).toContain(idOf('scout', '1001'))
  })

  test('[AHIL-096, AHIL-113, AHIL-114, AHIL-115, AHIL-116, AHIL-125] refuses what breaks a rule, and writes nothing', async () => {
    const path = freshFile(MINIMAL)
    const before = load(path)
    const cases: [Record<string, string>, string][] = [
      [{ ...ADVICE, to: 'all' }, 'broadcast'],
      [{ ...ADVICE, type: 'acknowledgement' }, 'no_ref'],
      [{ ...ADVICE, type: 'approval' }, 'no_ref'],
      [{ ...ADVICE, type: 'approval', context: '{"ref":"x"}' }, 'unknown_ref'],
      [
        { ...ADVICE, type: 'acknowledgement', context: '{"ref":"data_freshness_monitor-20260317-001"}' },
        'acknowledges_acknowledgement',
      ],
      [{ ...ADVICE, content: ' ' }, 'not_actionable'],
      [{ ...ADVICE, content: 'scout-20260317-001' }, 'not_actionable'],
      [{ ...ADVICE, type: 'order', to: 'builder' }, 'not_theirs'],
    ]
    for (const [values, code] of cases)
      expect([code, await append(path, values)]).toMatchObject([
        code,
        { code: 1, err: expect.stringContaining(code) },
      ])
    for (const wrong of [
      { ...ADVICE, type: 'wish' },
      { ...ADVICE, context: '[]' },
      { ...ADVICE, from: 'lane' },
    ])
      expect((await append(path, wrong)).code).toBe(2)
    expect([load(path), namesBeside(path)]).toEqual([before, ['exchange.ahil.json']])
  })

  test('in a person’s name says that it proves nothing', async () => {
    const path = freshFile(MINIMAL)
    const told = await append(path, { ...ADVICE, type: 'order', from: 'human', to: 'scout' })
    expect(told).toMatchObject({ code: 0, err: expect.stringContaining('unauthenticated') })
    const { json } = await ahil({}, 'check', path, '--json')
    expect((json.unauthenticated as Entry[]).map(({ id }) => id)).toContain(idOf('human', '001'))
  })

  test('begins a file that is not there, and no pipeline', async () => {
    const path = freshFile(null)
    expect((await append(path, ADVICE)).code).toBe(0)
    expect(JSON.parse(load(path))).toMatchObject({
      schema_version: '1.0',
      entries: [{ type: 'recommendation' }],
    })
    expect(await append(freshFile(null, 'x.adpl'), ADVICE)).toMatchObject({ code: 1 })
  })

  test('[AHIL-126, AHIL-127] into a pipeline changes ahi.log alone, and in the full profile writes the context', async () => {
    const path = freshFile(EMBEDDED, 'sample.adpl')
    expect((await append(path, { ...ADVICE, context: '{"priority":"high"}' })).code).toBe(0)
    const after = JSON.parse(load(path))
    expect({ ...after, ahi: null }).toEqual({ ...EMBEDDED, ahi: null })
    expect(after.ahi.log).toMatchObject([
      EMBEDDED.ahi.log[0],
      { ...ADVICE, context: { at: expect.any(String), priority: 'high' } },
    ])
  })
})

describe('tampering', () => {
  const change = (path: string, edit: (entries: Entry[]) => Entry[]): void => {
    const value = JSON.parse(load(path))
    save(path, { ...value, entries: edit(value.entries) })
  }

  test('[AHIL-105] with an entry that was seen is reported, and nothing is written until somebody has looked', async () => {
    for (const edit of [
      (entries: Entry[]) => entries.map(one => ({ ...one, content: 'Another.' })),
      (entries: Entry[]) => entries.slice(1),
      (entries: Entry[]) => [...entries].reverse(),
      (entries: Entry[]) => [entry({ id: 'early-20260317-001', from: 'early' }), ...entries],
    ]) {
      const path = freshFile(MINIMAL)
      await append(path, ADVICE)
      change(path, edit)
      const after = load(path)
      expect(await ahil({}, 'check', path, '--json')).toMatchObject({ code: 1, json: { code: 'tampered' } })
      expect(await append(path, ADVICE)).toMatchObject({ code: 1, err: expect.stringContaining('tampered') })
      expect(load(path)).toBe(after)
      rmSync(`${path}.lane`)
      expect(await append(path, ADVICE)).toMatchObject({ code: 0 })
    }
  })

  test('is not what another writer does who lays the file out anew and adds to it', async () => {
    const path = freshFile(MINIMAL)
    await append(path, ADVICE)
    const value = JSON.parse(load(path))
    save(
      path,
      JSON.stringify({ ...value, entries: [...value.entries, entry({ id: 'x-20260317-001', from: 'x' })] }),
    )
    expect(await ahil({}, 'check', path, '--json')).toMatchObject({ code: 0, json: { entries: 5, seen: 4 } })
    expect(await append(path, ADVICE)).toMatchObject({ code: 0 })
    expect(entriesIn(path)).toHaveLength(6)
  })

  test('with what was noted is reported too', async () => {
    const path = freshFile(MINIMAL)
    await append(path, ADVICE)
    writeFileSync(`${path}.lane`, '{}')
    expect(await append(path, ADVICE)).toMatchObject({ code: 1, err: expect.stringContaining('tampered') })
  })
})

describe('many writers', () => {
  test('[AHIL-100] of eight processes at once never share an id, and lose no entry', async () => {
    const path = freshFile(MINIMAL)
    const each = ALL ? 125 : 15
    const names = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']
    const ran = await Promise.all(
      names.map((from, writer) => {
        const command = (n: number) => [
          'append',
          path,
          ...[
            '--type',
            'observation',
            '--from',
            from,
            '--to',
            'all',
            '--content',
            `Writer ${writer} says ${n}.`,
          ],
        ]
        return inProcess({ commands: Array.from({ length: each }, (_, n) => command(n)) })
      }),
    )
    for (const told of ran) expect(JSON.parse(told.slice('done '.length)).codes).toEqual(Array(each).fill(0))
    const added = entriesIn(path).slice(3)
    expect(added).toHaveLength(each * names.length)
    expect(new Set(added.map(({ id }) => id)).size).toBe(added.length)
    const said = names.flatMap((_, writer) =>
      Array.from({ length: each }, (_, n) => `Writer ${writer} says ${n}.`),
    )
    expect(added.map(({ content }) => content).sort()).toEqual(said.sort())
    expect(await ahil({}, 'check', path)).toMatchObject({ code: 0 })
    expect(namesBeside(path)).toEqual(['exchange.ahil.json', 'exchange.ahil.json.lane'])
  }, 240_000)
})

describe('a writer that is killed', () => {
  const command = (path: string, ...more: string[]) => ({
    commands: [
      ['append', path, ...Object.entries(ADVICE).flatMap(([name, one]) => [`--${name}`, one]), ...more],
    ],
  })
  const callsOf = async (order: object): Promise<number> =>
    JSON.parse((await inProcess({ ...order, behind: 1e9 })).slice('done '.length)).calls

  test('[AHIL-131] behind any call that changes the disk leaves the old file or the new one, and the next writer goes on', async () => {
    const calls = await callsOf(command(freshFile(MINIMAL)))
    expect(calls).toBeGreaterThan(12)
    const all = Array.from({ length: calls }, (_, n) => n + 1)
    const seen = new Set<number>()
    for (const behind of ALL ? all : all.filter(n => n % 4 === 1 || n > calls - 3)) {
      const path = freshFile(MINIMAL)
      expect(await inProcess({ ...command(path), behind })).toMatch(/^killed behind /)
      const now = entriesIn(path)
      expect([3, 4]).toContain(now.length)
      expect(now.slice(0, 3)).toEqual(MINIMAL.entries)
      seen.add(now.length)
      expect(await append(path, ADVICE)).toMatchObject({ code: 0 })
      expect(entriesIn(path)).toHaveLength(now.length + 1)
      expect(namesBeside(path).filter(name => !name.includes('.draft'))).toEqual([
        'exchange.ahil.json',
        'exchange.ahil.json.lane',
      ])
    }
    expect(seen).toEqual(new Set([3, 4]))
  }, 240_000)

  test('[AHIL-131] between a pipeline and the whole log beside it leaves both whole, and the next writer brings them together', async () => {
    const calls = await callsOf(command(freshFile(EMBEDDED, 'sample.adpl'), '--profile', 'adpl-1.1-strict'))
    const all = Array.from({ length: calls }, (_, n) => n + 1)
    for (const behind of ALL ? all : all.filter(n => n % 6 === 2)) {
      const path = freshFile(EMBEDDED, 'sample.adpl')
      await inProcess({ ...command(path, '--profile', 'adpl-1.1-strict'), behind })
      expect({ ...JSON.parse(load(path)), ahi: null }).toEqual({ ...EMBEDDED, ahi: null })
      expect(await append(path, ADVICE, '--profile', 'adpl-1.1-strict')).toMatchObject({ code: 0 })
      const whole = entriesIn(path.replace('.adpl', '.ahil.json'))
      expect(entriesIn(path).map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
      expect(await ahil({}, 'check', path)).toMatchObject({ code: 0 })
    }
  }, 240_000)
})

describe('the strict profile', () => {
  const strict = ['--profile', 'adpl-1.1-strict']

  test('[AHIL-128] of a pipeline leaves context to the whole log beside it, which loses nothing', async () => {
    const path = freshFile(EMBEDDED, 'sample.adpl')
    await append(path, { ...ADVICE, context: '{"priority":"high","nested":{"a":[1]}}' }, ...strict)
    const ref = idOf('scout', '001')
    await append(path, {
      type: 'acknowledgement',
      from: 'human',
      to: 'scout',
      status: 'rejected',
      content: 'Not this week.',
      context: JSON.stringify({ ref }),
    })
    const inside = entriesIn(path)
    const whole = entriesIn(path.replace('.adpl', '.ahil.json'))
    expect(inside[2]).toEqual({
      id: idOf('human', '001'),
      type: 'acknowledgement',
      from: 'human',
      to: 'scout',
      date: today(),
      status: 'noted',
      content: `Not this week. [rejected, ref ${ref}]`,
    })
    expect(whole).toMatchObject([
      EMBEDDED.ahi.log[0],
      { id: ref, context: { priority: 'high', nested: { a: [1] } } },
      { status: 'rejected', content: 'Not this week.', context: { ref } },
    ])
    // What an agent puts into the pipeline itself is taken up, and what waits is told from the whole log.
    const value = JSON.parse(load(path))
    value.ahi.log.push(entry({ id: 'late-20260317-001', from: 'late' }))
    save(path, value)
    const { json } = await ahil({}, 'pending', path, '--for', 'human', '--json')
    expect((json.entries as Entry[]).map(({ id }) => id)).toEqual(['late-20260317-001'])
    await append(path, OBSERVATION)
    expect(entriesIn(path.replace('.adpl', '.ahil.json')).map(({ id }) => id)).toEqual(
      entriesIn(path).map(({ id }) => id),
    )
  })

  test('is refused where there is no pipeline, and a pipeline that says otherwise than its whole log is tampered with', async () => {
    expect(await append(freshFile(MINIMAL), ADVICE, ...strict)).toMatchObject({
      code: 1,
      err: expect.stringContaining('profile'),
    })
    const path = freshFile(EMBEDDED, 'sample.adpl')
    await append(path, ADVICE, ...strict)
    save(path, load(path).replace('Rotate the staging key.', 'Rotate every key.'))
    rmSync(`${path}.lane`)
    expect(await append(path, ADVICE)).toMatchObject({ code: 1, err: expect.stringContaining('tampered') })
  })

  test.skipIf(!existsSync(FOREIGN))(
    '[AHIL-126, AHIL-127] of published pipelines fits the published schema, and comes back with every other key equal (needs ../shared)',
    async () => {
      const ajv = new Ajv({ allErrors: true, strict: false })
      addFormats.default(ajv)
      const fits = ajv.compile(JSON.parse(readFileSync(join(FOREIGN, 'v1.1.schema.json'), 'utf8')))
      for (const name of ['case012-agentic-pipeline.adpl', 'case017-kafka-streaming-pipeline.adpl']) {
        const original = readFileSync(join(FOREIGN, name), 'utf8')
        const path = freshFile(original, name)
        const before = JSON.parse(original)
        await append(path, { ...ADVICE, context: '{"priority":"high"}' }, ...strict)
        const ref = idOf('scout', '001')
        const ack = { type: 'acknowledgement', from: 'human', to: 'scout', content: 'No, not this week.' }
        await append(path, { ...ack, status: 'rejected', context: JSON.stringify({ ref }) })
        const after = JSON.parse(load(path))
        expect([before.adpl, fits(after), fits.errors]).toEqual(['1.1', true, null])
        expect({ ...after, ahi: null }).toEqual({ ...before, ahi: null })
        expect(after.ahi.log.slice(0, before.ahi.log.length)).toEqual(before.ahi.log)
        expect(after.ahi.log).toHaveLength(before.ahi.log.length + 2)
        // Every byte outside the list.
        const [head] = original.split('"ahi"')
        expect(load(path).startsWith(head as string)).toBe(true)
      }
    },
  )
})
