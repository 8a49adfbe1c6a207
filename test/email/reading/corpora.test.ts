// Answers spliced into bodies of many mail programs: above the quotation, below it and inside it. Where the corpora of
// other projects lie beside the repository they are read too; they are not part of it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compile } from '../../../src/compiler/compile.js'
import { letter, MARKER, said } from './letter.js'
import { above, below, inside, type Tail, tails } from './splices.js'
import { VECTORS } from './vectors.js'

const CORPORA = fileURLToPath(new URL('../../../../shared/corpora', import.meta.url))

const bodies = (folder: string): [string, string][] =>
  readdirSync(join(CORPORA, folder))
    .filter(name => name.endsWith('.txt'))
    .map(name => [
      `${folder}/${name.slice(0, -4)}`,
      readFileSync(join(CORPORA, folder, name), 'utf8').replace(/\r\n/g, '\n'),
    ])

/** Our own: the letters of one plain part, not encoded, in which an answer stands above a quotation. */
const OWN: readonly (readonly [string, string])[] = VECTORS.filter(({ expected, bytes }) => {
  const head = bytes.toString('utf8', 0, bytes.indexOf('\n\n'))
  return expected.kind === 'says' && expected.schema === 'yes_no' && /text\/plain.*\n.*8bit/.test(head)
}).map(({ name, bytes }) => [name, bytes.toString('utf8', bytes.indexOf('\n\n') + 2)])

const ownTails = OWN.filter(([, body]) => body.startsWith('YES\n') && body.includes(MARKER)).map(
  ([file, body]): Tail => {
    const lines = body.split('\n').slice(1)
    const at = lines.findIndex(line => line.includes(MARKER))
    return { file, intro: lines.slice(0, at), quoted: lines.slice(at) }
  },
)

type Source = {
  readonly name: string
  readonly bodies: readonly (readonly [string, string])[]
  readonly tails: Tail[]
}
const SOURCES: Source[] = [{ name: 'our own letters', bodies: OWN, tails: ownTails }]
if (existsSync(CORPORA)) {
  const all = [...bodies('crisp'), ...bodies('github')]
  SOURCES.push({ name: 'the corpora beside the repository', bodies: all, tails: tails(new Map(all), MARKER) })
}

async function choice(body: string): Promise<string | null> {
  const compiled = compile({ kind: 'yes_no' }, await said(letter({}, body)))
  return compiled.ok ? compiled.answer.parsed_choice : null
}

type Splice = readonly [file: string, body: string]
const results = (splices: readonly Splice[]): Promise<(readonly [string, string | null])[]> =>
  Promise.all(splices.map(async ([file, body]) => [file, await choice(body)] as const))
/** Files whose splice compiled to anything but `allowed`. */
const wrong = async (splices: readonly Splice[], allowed: string | null): Promise<string[]> =>
  (await results(splices)).filter(([, read]) => read !== null && read !== allowed).map(([file]) => file)

const quote = (body: string, sign: string): string =>
  [MARKER, '', ...body.split('\n')].map(line => `${sign}${line}`.trimEnd()).join('\n')
const INTRODUCTION = 'On Mon, Nov 16, 2026 at 10:00 AM Interrupt Lane <lane@lane.example> wrote:'
const BLOCK = 'From: Interrupt Lane <lane@lane.example>\nSent: Monday 10:00\nTo: Ana\nSubject: Publish?\n'

describe.each(SOURCES)('spliced into $name', ({ bodies: whole, tails: below_ }) => {
  const ANSWERS = [
    ['YES', 'YES', 'NO'],
    ['no.', 'NO', 'YES'],
  ] as const

  test('[LANE-057] at least 97 of 100 answers alone on the first line above what the program wrote compile right', async () => {
    for (const [typed, meant] of ANSWERS) {
      const all = await results(below_.map(tail => [tail.file, above(typed, tail)]))
      const missed = all.filter(([, read]) => read !== meant)
      expect(missed.filter(([, read]) => read !== null)).toEqual([])
      expect(all.length).toBeGreaterThan(5)
      expect([missed.map(([file]) => file), missed.length / all.length <= 0.03]).toEqual([
        expect.anything(),
        true,
      ])
    }
  })

  test('[LANE-057] every body, quoted whole below an answer, leaves the answer as it is', async () => {
    // More than anybody reads: refused unread (limits.test.ts).
    const tooLong = new Set(whole.filter(([, body]) => body.length > 60_000).map(([file]) => file))
    for (const [typed, meant] of ANSWERS) {
      const quoted = whole.map(
        ([file, body]): Splice => [file, `${typed}\n\n${INTRODUCTION}\n${quote(body, '> ')}`],
      )
      const open = whole.map(([file, body]): Splice => [file, `${typed}\n\n${BLOCK}\n${quote(body, '')}`])
      const missed = (await results([...quoted, ...open])).filter(([, read]) => read !== meant)
      expect(missed.filter(([, read]) => read !== null)).toEqual([])
      expect(missed.filter(([file]) => !tooLong.has(file))).toEqual([])
    }
  })

  test('none below the quotation or inside it compiles to anything', async () => {
    for (const [typed] of ANSWERS) {
      const splices = below_
        .filter(({ quoted }) => quoted.length > 2)
        .flatMap((tail): Splice[] => [
          [tail.file, below(typed, tail)],
          [tail.file, inside(typed, tail, false)],
          [tail.file, inside(typed, tail, true)],
        ])
      expect(splices.length).toBeGreaterThan(15)
      expect(await wrong(splices, null)).toEqual([])
    }
  })

  test('an answer above is never turned into another one below or inside', async () => {
    for (const [typed, meant, other] of ANSWERS) {
      const splices = below_.flatMap((tail): Splice[] =>
        [below(other, tail), inside(other, tail, false), inside(other, tail, true)].map(body => [
          tail.file,
          `${typed}\n\n${body}`,
        ]),
      )
      expect(await wrong(splices, meant)).toEqual([])
    }
  })

  test('an answer before, behind or in the middle of prose compiles to nothing', async () => {
    const prose = whole.filter(
      ([, body]) => body.split('\n').filter(line => /[a-z]{3}/.test(line)).length > 8,
    )
    for (const [typed] of ANSWERS) {
      const splices = prose.flatMap(([file, body]): Splice[] => {
        const lines = body
          .replaceAll(MARKER, '')
          .split('\n')
          .map(line => line.replace(/^[> ]+/, ''))
        const middle = Math.ceil(lines.length / 2)
        return [
          [file, `Please note\n${lines.join('\n')}\n${typed}`],
          [file, `${typed}\n\nPlease note\n${lines.join('\n')}`],
          [file, ['Please note', ...lines.slice(0, middle), typed, ...lines.slice(middle)].join('\n')],
        ]
      })
      expect(splices.length).toBeGreaterThan(5)
      expect(await wrong(splices, null)).toEqual([])
    }
  })

  test('a condition on any line above the quotation leaves nothing to compile', async () => {
    const conditions = [
      'but only after Friday',
      'NO',
      'if 3 of us agree by 10:00:',
      'not before 2026-11-17 10:00',
      'at 10:00, once legal has signed',
      'ask bob@people.example first',
      'only if Bob <bob@people.example> agrees:',
      'and tell <lane@lane.example>',
      'Date: not today',
    ]
    for (const tail of below_) {
      const top = ['YES', '', ...tail.intro]
      // Behind the delimiter of a signature a line is part of the signature.
      const end = top.findIndex(line => line.trimEnd() === '--')
      const places = top.slice(0, end === -1 ? top.length : end).map((_, at) => at + 1)
      const splices = conditions.flatMap(condition =>
        places.map(
          (at): Splice => [
            tail.file,
            [...top.slice(0, at), condition, ...top.slice(at), ...tail.quoted].join('\n'),
          ],
        ),
      )
      expect(await wrong(splices, null)).toEqual([])
    }
  })
})
