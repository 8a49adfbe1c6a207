// Every page in every state is HTML that holds together: read tag by tag, as a strict reader would.
import { describe, expect, test } from 'vitest'
import { contentPage, page } from '../../adapters/web/render.js'
import { showing } from '../request/content/shown.js'
import {
  approval,
  bulky,
  ENDINGS,
  FORM,
  notHanded,
  open,
  type PlainKind,
  peopled,
  question,
  REASONED,
  refused,
  review,
  SCHEMAS,
  stored,
} from './samples.js'

type Tag = {
  readonly name: string
  readonly closes: boolean
  readonly attributes: readonly (readonly [string, string])[]
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/g

/** What a style and a script hold is not markup. */
const markupOf = (html: string): string => html.replace(/<(style|script)>.*?<\/\1>/gs, '<$1></$1>')

const tagsOf = (html: string): Tag[] =>
  [...html.matchAll(TAG)].map(([, slash, name = '', rest = '']) => ({
    name,
    closes: slash === '/',
    attributes: [...rest.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, value] as const),
  }))

const VOID = ['meta', 'input', 'br']
/** None of these may stand in a paragraph: a browser would end it before them. */
const BLOCK =
  /^(?:p|h[1-6]|ul|ol|li|dl|div|section|figure|figcaption|blockquote|pre|form|fieldset|header|main|footer)$/

/** What is wrong with the nesting, in words; empty where nothing is. */
function misnested(tags: readonly Tag[]): string[] {
  const wrong: string[] = []
  const inside: string[] = []
  for (const { name, closes } of tags) {
    if (VOID.includes(name)) continue
    if (closes) {
      const opened = inside.pop()
      if (opened !== name) wrong.push(`</${name}> where ${opened ?? 'nothing'} is open`)
    } else {
      if (BLOCK.test(name) && inside.includes('p')) wrong.push(`<${name}> in a paragraph`)
      inside.push(name)
    }
  }
  return [...wrong, ...inside.map(name => `<${name}> is never closed`)]
}

const valuesOf = (tags: readonly Tag[], wanted: string): string[] =>
  tags.flatMap(({ attributes }) => attributes.filter(([key]) => key === wanted).map(([, value]) => value))

const { typed } = refused('')
const wrongCode = { typed, refused: { message: 'The code is another one.', read: '', accepted: '' } }

const fault = { reason: 'reply_not_in_schema', accepted: 'For when: a date.' } as const
const lines = [
  { decision_id: 'when', read: 'when tomorrow', ...fault },
  { decision_id: null, read: 'perhaps', ...fault },
]
const unread = refused('ship yes\nwhen tomorrow\nperhaps')
const faulty = { ...unread, refused: { ...unread.refused, lines } }

const STATES: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(SCHEMAS).flatMap(([kind, schema]) => [
    [`open, ${kind}`, page(open(question(schema)), 200).body],
    [`open, ${kind}, refused`, page(open(question(schema), refused('perhaps')), 422).body],
    [`open, ${kind}, as long as can be`, page(open(bulky(kind as PlainKind)), 200).body],
  ]),
  ['open, a form', page(open(question(FORM)), 200).body],
  ['open, a form, half answered', page({ ...open(question(FORM)), settled: ['ship', 'areas'] }, 200).body],
  ['open, a form, refused', page(open(question(FORM), faulty), 422).body],
  ['open, with a reason', page(open(question(REASONED), refused('NO')), 422).body],
  ['open, a review', page(open(review), 200).body],
  ['open, an approval', page(open(approval), 200).body],
  ['open, a wrong code', page(open(approval, wrongCode), 403).body],
  ['open, without handles', page(open({ ...approval, handles: [], work_item_id: null }), 200).body],
  [
    'open, with its contents',
    page(open(showing(approval, ['rm -rf build\n', '@@ -1 +1 @@\n-a\n+b\n'])), 200).body,
  ],
  ['open, with people around it', page(peopled(approval), 200).body],
  ['open, a form with people around it', page(peopled(question(FORM)), 200).body],
  ['open, not handed on', page(peopled(question(SCHEMAS.text), notHanded), 422).body],
  ['open, for reading', page({ ...open(approval), elsewhere: 'slack' }, 200).body],
  ['open, not all of it shown', page({ ...open(approval), csrf: null }, 200).body],
  ...Object.entries(ENDINGS).map(([name, state]) => [name, page(state, 200).body]),
  ['stored content', contentPage(stored('<h2 id="answer">\u202e'), 'release-agent').body],
])

describe.each(Object.entries(STATES))('the page: %s', (_name, body) => {
  const markup = markupOf(body)
  const tags = tagsOf(markup)

  test('is made of tags that are read as they are written', () => {
    const rest = markup.replace(/^<!doctype html>/, '').replace(TAG, '')
    expect(rest).not.toMatch(/[<>]/)
    expect(misnested(tags)).toEqual([])
  })

  test('has one first heading, before all others, and skips no level', () => {
    const levels = tags
      .filter(({ name, closes }) => !closes && /^h[1-6]$/.test(name))
      .map(({ name }) => Number(name[1]))
    expect(levels.filter(level => level === 1)).toEqual([1])
    for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1)
  })

  test('has no attribute twice, none that must not be empty empty, and every id once', () => {
    for (const { attributes } of tags) {
      const names = attributes.map(([name]) => name)
      expect(names).toEqual([...new Set(names)])
    }
    for (const name of ['action', 'href', 'id', 'for', 'class', 'name', 'datetime'])
      expect(valuesOf(tags, name)).not.toContain('')
    const ids = valuesOf(tags, 'id')
    expect(ids).toEqual([...new Set(ids)])
  })

  test('points only to what is on it', () => {
    const ids = valuesOf(tags, 'id')
    const pointed = [
      ...valuesOf(tags, 'for'),
      ...valuesOf(tags, 'aria-describedby').flatMap(value => value.split(' ')),
      ...valuesOf(tags, 'href').flatMap(value => (value.startsWith('#') ? [value.slice(1)] : [])),
    ]
    expect(pointed.filter(id => !ids.includes(id))).toEqual([])
  })
})
