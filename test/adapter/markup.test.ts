// What is put into markup stays text, between tags and inside quotes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html } from '../../src/adapter/markup.js'

test('whatever is put in, no tag and no attribute comes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const made = html`<p title="${text}">${text}</p>`.text
      const [, inside = '', between = ''] = /^<p title="([^"]*)">([^<]*)<\/p>$/s.exec(made) ?? []
      expect(inside).toBe(between)
      expect(inside).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
    }),
  )
})

test('every sign that means something is escaped, once', () => {
  expect(html`${`&<>"'`}`.text).toBe('&amp;&lt;&gt;&quot;&#39;')
  expect(html`${html`<b>${'&'}</b>`}`.text).toBe('<b>&amp;</b>')
  expect(html`${[html`<i>1</i>`, html`<i>${2}</i>`]}${null}`.text).toBe('<i>1</i><i>2</i>')
})
