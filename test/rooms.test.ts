// The house keeps its rules; and each rule is shown to notice when it is broken.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { check } from './rooms/rules.js'
import { readSource } from './rooms/source.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesUnder(path)
    return path.endsWith('.ts') ? [path] : []
  })
}

describe('the house', () => {
  const tree = ['src', 'adapters', 'test', 'bench']
    .flatMap(filesUnder)
    // The rules' own tests below spell out every violation.
    .filter(path => path !== 'test/rooms.test.ts')
    .map(path => readSource(path, readFileSync(join(ROOT, path), 'utf8')))

  test('is seen whole: every room, and imports in nearly all of its files', () => {
    const rooms = new Set(tree.map(({ path }) => path.split('/').slice(0, 2).join('/')))
    for (const room of [
      'request',
      'token',
      'compiler',
      'ledger',
      'agenda',
      'delivery',
      'reply',
      'deadline',
      'waiter',
      'director',
      'record',
      'lane',
      'adapter',
      'channel',
      'config',
      'people',
      'keys',
      'session',
      'http',
    ])
      expect(rooms).toContain(`src/${room}`)
    expect(rooms).toContain('adapters/web')
    const deliver = tree.find(({ path }) => path === 'src/delivery/deliver.ts')
    // By a cruder reading: nothing that looks like an import was missed.
    for (const { path, text, imports } of tree.filter(({ path }) => !path.startsWith('test/')))
      expect([path, imports.length]).toEqual([
        path,
        (text.match(/\bfrom '[^']+'$|\bimport\('/gm) ?? []).length,
      ])
    expect(deliver?.imports).toContainEqual(
      expect.objectContaining({ to: 'src/record/record.ts', ours: true, typeOnly: true }),
    )
    const chance = tree.find(({ path }) => path === 'src/token/chance.ts')
    expect(chance?.imports).toContainEqual(
      expect.objectContaining({ to: 'node:crypto', ours: false, typeOnly: false }),
    )
  })

  test('stands in docs/ARCHITECTURE.md whole, each room above all that import it', () => {
    const page = readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8')
    const rows = page.split('\n').filter(line => line.startsWith('| `src/'))
    const listed = rows.flatMap(row =>
      [...(row.split('|')[1] ?? '').matchAll(/`(src\/[^`]+?)\/?`/g)].map(([, name]) => name),
    )
    const level = (path: string): number =>
      listed.indexOf(/^src\/[^/]+\//.test(path) ? path.split('/').slice(0, 2).join('/') : path)
    const sources = tree.filter(({ path }) => path.startsWith('src/'))
    expect(sources.filter(({ path }) => level(path) < 0).map(({ path }) => path)).toEqual([])
    const upward = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ to }) => to.startsWith('src/') && level(to) > level(path))
        .map(({ to }) => `${path} imports ${to}, whose room stands below its own`),
    )
    expect(upward).toEqual([])
  })

  test('keeps its rules', () => {
    expect(check(tree).map(({ rule, path, message }) => `[${rule}] ${path} ${message}`)).toEqual([])
  })
})

describe('the rules notice', () => {
  type Files = Readonly<Record<string, string>>
  const broken = (files: Files): string[] =>
    check(Object.entries(files).map(([path, text]) => readSource(path, text))).map(
      ({ rule, path, message }) => `${rule} ${path}: ${message}`,
    )
  const EMPTY = 'export const nothing = 0\n'
  const importing = (target: string): string =>
    `import { nothing } from '${target}'\nexport const a = nothing\n`

  /** Takes all that they export, so that nothing else is wrong with them. */
  const readingAll = (files: Files): string =>
    Object.keys(files)
      .map(path => `import * as all from '../${path.replace(/ts$/, 'js')}'\n`)
      .join('')

  const CASES: readonly [string, RegExp, Files][] = [
    [
      'a doer that imports another',
      /^doers src\/reply\/a\.ts: .*deliver\.ts.*Append an event/,
      { 'src/reply/a.ts': importing('../delivery/deliver.js'), 'src/delivery/deliver.ts': EMPTY },
    ],
    [
      'a doer that imports only a type of another',
      /^doers src\/waiter\/a\.ts/,
      {
        'src/waiter/a.ts': "import type { A } from '../deadline/b.js'\nexport type B = A\n",
        'src/deadline/b.ts': 'export type A = 1\n',
      },
    ],
    [
      'a doer that loads another at run time',
      /^doers src\/deadline\/a\.ts/,
      {
        'src/deadline/a.ts': "export const a = () => import('../waiter/b.js')\n",
        'src/waiter/b.ts': EMPTY,
      },
    ],
    [
      'a doer that passes another on',
      /^doers src\/delivery\/a\.ts/,
      { 'src/delivery/a.ts': "export * from '../reply/b.js'\n", 'src/reply/b.ts': EMPTY },
    ],
    [
      'an adapter that compiles',
      /^adapters adapters\/sms\/receive\.ts: .*src\/adapter\/index\.ts alone/,
      {
        'adapters/sms/receive.ts': importing('../../src/compiler/compile.js'),
        'src/compiler/compile.ts': EMPTY,
      },
    ],
    [
      'an adapter that borrows from another adapter',
      /^adapters adapters\/sms\/send\.ts/,
      { 'adapters/sms/send.ts': importing('../web/words.js'), 'adapters/web/words.ts': EMPTY },
    ],
    [
      'a compiler that reads a file',
      /^purity .*node:fs.*hand the result in/,
      { 'src/compiler/a.ts': importing('node:fs') },
    ],
    [
      'a request that reads the environment',
      /^purity .*says process/,
      { 'src/request/a.ts': 'export const a = process.env.A\n' },
    ],
    [
      'an agenda that reads the clock',
      /^purity .*Date\.now.*by parameter/,
      { 'src/agenda/a.ts': 'export const a = () => Date.now()\n' },
    ],
    [
      'an agenda that takes the time of day',
      /^purity .*Date\(\)/,
      { 'src/agenda/a.ts': 'export const a = () => new Date()\n' },
    ],
    [
      'an agenda that sets a timer',
      /^purity .*setTimeout/,
      { 'src/agenda/a.ts': 'setTimeout(() => 1, 1)\n' },
    ],
    [
      'an agenda that throws dice',
      /^purity .*Math\.random/,
      { 'src/agenda/a.ts': 'export const a = Math.random()\n' },
    ],
    [
      'an event that makes its own nonce',
      /^purity .*randomBytes/,
      { 'src/event.ts': "import { randomBytes } from 'node:crypto'\nexport const a = randomBytes(1)\n" },
    ],
    [
      'a compiler that calls a model',
      /^purity .*fetch/,
      { 'src/compiler/a.ts': "export const a = () => fetch('x')\n" },
    ],
    [
      'a compiler that asks the locale',
      /^purity .*localeCompare/,
      { 'src/compiler/a.ts': "export const a = 'a'.localeCompare('b')\n" },
    ],
    [
      'a clock read inside a template',
      /^purity .*Date\.now/,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the file's own
      { 'src/compiler/a.ts': 'export const a = () => `at ${`${Date.now()}`}`\n' },
    ],
    [
      'a pure room made impure by what it imports',
      /^purity src\/agenda\/a\.ts: imports src\/token\/b\.ts, which is not pure/,
      { 'src/agenda/a.ts': importing('../token/b.js'), 'src/token/b.ts': EMPTY },
    ],
    [
      'a pure room that leaves through the words of the adapters',
      /^purity src\/adapter\/index\.ts: imports src\/lane\/lane\.ts/,
      { 'src/adapter/index.ts': importing('../lane/lane.js'), 'src/lane/lane.ts': EMPTY },
    ],
    [
      'a door that reads the clock itself',
      /^clock src\/http\/a\.ts: .*Take a Clock/,
      { 'src/http/a.ts': 'export const a = Date.now\n' },
    ],
    [
      'an adapter that measures',
      /^clock adapters\/web\/a\.ts/,
      { 'adapters/web/a.ts': 'export const a = performance.now()\n' },
    ],
    [
      'a drawer for everything',
      /^names src\/reply\/utils\.ts: .*which noun is missing/,
      { 'src/reply/utils.ts': EMPTY },
    ],
    [
      'a manager',
      /^names .*exports DeliveryManager/,
      { 'src/lane/lane.ts': 'export class DeliveryManager {}\n' },
    ],
    [
      'three files in a circle',
      /^cycles .*src\/a\.ts → src\/b\.ts → src\/c\.ts → src\/a\.ts: move what both need/,
      { 'src/a.ts': importing('./b.js'), 'src/b.ts': importing('./c.js'), 'src/c.ts': importing('./a.js') },
    ],
    [
      'two rooms that need each other, were it by types alone',
      /^levels src\/|^levels \w+: src\/a\/one\.ts imports src\/b\/two\.ts, src\/b\/three\.ts imports src\/a\/four\.ts/,
      {
        'src/a/one.ts': importing('../b/two.js'),
        'src/b/two.ts': EMPTY,
        'src/b/three.ts': "import type { nothing } from '../a/four.js'\nexport type B = typeof nothing\n",
        'src/a/four.ts': EMPTY,
      },
    ],
    [
      'an export that nobody imports',
      /^exports src\/a\.ts: exports nothing, which no other file imports/,
      { 'src/a.ts': EMPTY },
    ],
    ['a file that imports itself', /^cycles src\/a\.ts/, { 'src/a.ts': importing('./a.js') }],
    ['a long adapter', /^length .*has 261 lines/, { 'adapters/sms/a.ts': 'export {}\n'.repeat(261) }],
    [
      'a test skipped in silence',
      /^skips .*end the title with/,
      { 'test/a.test.ts': "test.skip('the moon is round', () => {})\n" },
    ],
    ['a group skipped in silence', /^skips/, { 'test/a.test.ts': "describe.skip('the moon', () => {})\n" }],
    ['a test that runs alone', /^skips .*\.only/, { 'test/a.test.ts': "it.only('x', () => {})\n" }],
    [
      'a promise numbered as in another file',
      /^labels src\/b\.ts: numbers its promises L1, L2 …, as src\/a\.ts does: choose letters of its own/,
      { 'src/a.ts': '// Idea.\n//\n// L1  It holds.\n', 'src/b.ts': '// Idea.\n//\n// L12 It holds, too.\n' },
    ],
    [
      'a promise numbered as the never-list is',
      /^labels adapters\/sms\/a\.ts: .*as the never-list/,
      { 'adapters/sms/a.ts': '// I1  It is never so.\n' },
    ],
    ['an import that leads nowhere', /^imports src\/a\.ts/, { 'src/a.ts': importing('./gone.js') }],
  ]

  test.each(CASES)('%s', (_name, expected, files) => {
    expect(broken(files)).toContainEqual(expect.stringMatching(expected))
  })

  test.each<[string, Files]>([
    [
      'a clock in a comment',
      { 'src/agenda/a.ts': '// Date.now() is not for us\n/* new Date() */ export const a = 1\n' },
    ],
    [
      'a clock in a string for the browser',
      { 'adapters/web/a.ts': "export const a = `tick(Date.now())`\nexport const b = 'new Date()'\n" },
    ],
    ['a date that is given', { 'src/agenda/a.ts': 'export const a = (ms: number) => new Date(ms)\n' }],
    [
      'a quote inside a pattern',
      { 'src/compiler/a.ts': 'export const a = /[\'"`]/\nexport const b = 1 // Date.now()\n' },
    ],
    [
      'a circle of types alone',
      {
        'src/x/a.ts': "import type { B } from './b.js'\nexport type A = B | 1\n",
        'src/x/b.ts': "import { type A, type C } from './a.js'\nexport type B = A | C\n",
      },
    ],
    [
      'a promise of another file that is spoken of',
      {
        'src/a.ts': '// L1  It holds.\n// L2  And it stands.\n',
        'src/b.ts': '// L1 is kept here.\n// See L1  there.\n',
      },
    ],
    [
      'a skip with its reason',
      { 'test/a.test.ts': "test.skip('the moon is round (skipped: no telescope here)', () => {})\n" },
    ],
    [
      'the hash of canonical.ts',
      { 'src/canonical.ts': "import { createHash } from 'node:crypto'\nexport const a = createHash\n" },
    ],
  ])('and leave alone: %s', (_name, files) => {
    expect(broken({ ...files, 'test/reader.ts': readingAll(files) })).toEqual([])
  })
})
