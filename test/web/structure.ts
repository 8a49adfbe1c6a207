// What is wrong with the HTML of a page, read tag by tag, as a strict reader would: a browser would mend it and say nothing.
import { expect, test } from 'vitest'

type Tag = {
  readonly name: string
  readonly closes: boolean
  readonly attributes: readonly (readonly [string, string])[]
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[A-Za-z][A-Za-z0-9-]*(?:="[^"]*")?)*)\s*\/?>/g
const ATTRIBUTE = /([A-Za-z][A-Za-z0-9-]*)(?:="([^"]*)")?/g

/** What a style and a script hold is not markup. */
const markupOf = (html: string): string => html.replace(/<(style|script)>.*?<\/\1>/gs, '<$1></$1>')

const tagsOf = (html: string): Tag[] =>
  [...html.matchAll(TAG)].map(([, slash, name = '', rest = '']) => ({
    name,
    closes: slash === '/',
    attributes: [...rest.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, value] as const),
  }))

const VOID = ['meta', 'link', 'input', 'br', 'rect']
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

/** The tests that every page passes; `bodyOf` gives its HTML. */
export function holdsTogether(bodyOf: () => string): void {
  const markup = (): string => markupOf(bodyOf())
  test('is made of tags that are read as they are written', () => {
    const tags = tagsOf(markup())
    const rest = markup()
      .replace(/^<!doctype html>/, '')
      .replace(TAG, '')
    expect(rest).not.toMatch(/[<>]/)
    expect(misnested(tags)).toEqual([])
  })

  test('has one first heading, before all others, and skips no level', () => {
    const tags = tagsOf(markup())
    const levels = tags
      .filter(({ name, closes }) => !closes && /^h[1-6]$/.test(name))
      .map(({ name }) => Number(name[1]))
    expect(levels.filter(level => level === 1)).toEqual([1])
    for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1)
  })

  test('has no attribute twice, none that must not be empty empty, and every id once', () => {
    const tags = tagsOf(markup())
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
    const tags = tagsOf(markup())
    const ids = valuesOf(tags, 'id')
    const pointed = [
      ...valuesOf(tags, 'for'),
      ...valuesOf(tags, 'aria-describedby').flatMap(value => value.split(' ')),
      ...valuesOf(tags, 'href').flatMap(value => (value.startsWith('#') ? [value.slice(1)] : [])),
    ]
    expect(pointed.filter(id => !ids.includes(id))).toEqual([])
  })
}
