// An artifact whose every word is an attack, as each channel draws it: nothing an agent has written becomes a link, a
// mention, a command or markup, wherever it is read.
import { describe, expect, test } from 'vitest'
import * as email from '../../adapters/email/render.js'
import * as slack from '../../adapters/slack/render.js'
import * as sms from '../../adapters/sms/render.js'
import * as telegram from '../../adapters/telegram/render.js'
import { page } from '../../adapters/web/render.js'
import { ask } from '../../src/interop/aah/ask.js'
import { readArtifact, readRequest } from '../../src/interop/aah/read.js'
import { type Display, display } from '../../src/request/display.js'
import { completeRequest, parseSubmission } from '../../src/request/parse.js'
import { artifactOf } from './scene.js'

const BAD = '<img src=x> [x](https://evil.test/a) *b* <!here> @all /start &lt;'
const LINK = 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876'
const HERE = {
  reply: { handle: '0123456789abcdefghjkmnpqrs', code: '7K3FQ2M' },
  page: { link: LINK, code: null },
}
const ANNOUNCED = { reply: null, page: { link: LINK, code: 'Z9XW' } }
const WAYS = [HERE, ANNOUNCED]

/** As the door makes it: every text that an agent can give is the attack, its id too; what names a task is an id or refused. */
function shown(): Display {
  const given = artifactOf(BAD, {
    artifact: { title: BAD, summary: BAD },
    source: { agent_id: BAD, agent_name: BAD, task_id: BAD },
    data: {
      context: BAD,
      decisions: [
        {
          id: 'd1',
          type: 'choice',
          prompt: BAD,
          description: BAD,
          required: true,
          options: [
            { value: 'a1', label: BAD.slice(0, 75), description: BAD },
            { value: 'b1', label: 'plain' },
          ],
        },
        { id: 'd2', type: 'text', prompt: BAD, required: false },
      ],
      blocking: [{ task_id: 'TASK-1', description: BAD }],
      escalation: {},
    },
  })
  const read = readArtifact(given)
  if (read.kind !== 'read') throw new Error(JSON.stringify(read))
  const { artifact } = read
  const data = readRequest(artifact, (given.content as { body: unknown }).body)
  if (!data.ok) throw new Error(JSON.stringify(data.errors))
  const asked = ask(artifact, data.data, { route: { to: ['owner'] }, escalate: {}, now: Date.now() })
  if (!asked.ok) throw new Error(JSON.stringify(asked.errors))
  const parsed = parseSubmission(asked.body, { actions: [] })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  const { request, run } = parsed.submission
  return display(
    {
      request: completeRequest(request, () => 'never'),
      request_hash: `sha256:${'c'.repeat(64)}`,
      run,
      deadline_at: '2026-02-17T14:00:05.000Z',
      terms: { urgency: 'normal' },
      asked_by: 'agent',
      origin: { system: 'aah', ref: artifact.id, hash: artifact.hash },
    },
    'agent',
  )
}

/** Where the attack stands in a text. */
const placesIn = (text: string): number[] => [...text.matchAll(/evil\.test/g)].map(({ index }) => index)

describe('[AAH-162] no word of an agent becomes markup', () => {
  test('in Telegram: each stands in a range where nothing is looked for', () => {
    for (const way of WAYS) {
      const card = telegram.card(shown(), way)
      const { text, entities } = card ?? { text: '', entities: [] }
      const safe = entities.filter(({ type }) => type === 'code' || type === 'pre')
      expect(placesIn(text).length).toBeGreaterThan(0)
      for (const at of placesIn(text))
        expect(safe.some(({ offset, length }) => offset <= at && at < offset + length)).toBe(true)
      for (const entity of entities)
        if (entity.type === 'text_link') expect(entity.url).toMatch(/^https:\/\/lane\./)
    }
  })

  test('in Slack: each stands in plain text, and escaped where Slack reads signs', () => {
    for (const way of WAYS) {
      const card = slack.card(shown(), { ...way, mention: null })
      const parts: { readonly type: string; readonly text: string }[] = []
      JSON.stringify(card.blocks, (_, value) => {
        if (typeof value?.text === 'string') parts.push(value)
        return value
      })
      const hostile = parts.filter(({ text }) => placesIn(text).length > 0)
      expect(hostile.length).toBeGreaterThan(0)
      expect(hostile.filter(({ type }) => !['plain_text', 'text'].includes(type))).toEqual([])
      expect(card.text).not.toMatch(/<!here>|<img/)
    }
  })

  test('in a mail: neither part has a link, a tag or a sign of one', () => {
    for (const way of WAYS) {
      const marker = way.reply === null ? null : '=== marker ==='
      const { text, html } = email.render(shown(), marker, way.page, undefined)
      expect(placesIn(text)).toEqual([])
      expect(placesIn(html)).toEqual([])
      expect(html).toContain('evil')
      expect(html).not.toMatch(/<img|<!here>/)
      expect([...html.matchAll(/href="([^"]*)"/g)].every(([, url]) => url?.startsWith(LINK))).toBe(true)
    }
  })

  test('in a text message: nothing looks like an address but the lane’s own', () => {
    for (const way of WAYS) {
      const message = sms.render(shown(), way)
      if (message === null) continue
      expect(placesIn(message)).toEqual([])
      expect([...message.matchAll(/\S+:\/\/\S*/g)].map(([url]) => url)).toEqual([LINK])
    }
    expect(sms.render(shown(), ANNOUNCED)).toContain('<img src=x>')
  })

  test('on the page: each is text of an element or of an attribute', () => {
    const display = shown()
    const { body } = page(
      {
        kind: 'open',
        handle: '0123456789abcdefghjkmnpqrs',
        display,
        elsewhere: null,
        csrf: 'c',
        refused: null,
        typed: null,
        settled: [],
        openable: [],
        standing: null,
        beside: null,
        now: display.deadline_at,
      },
      200,
    )
    expect(placesIn(body).length).toBeGreaterThan(5)
    expect(body).not.toMatch(/<img|<!here>|href="https:\/\/evil/)
  })
})
