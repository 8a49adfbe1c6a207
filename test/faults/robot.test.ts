// A robot that follows every link it is given or finds, and sends off every form: a mail scanner, a crawler, a preview.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Answer,
  approval,
  type LaneUnderTest,
  question,
  review,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'
import { ALL } from './rig.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

const unescaped = (text: string): string =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
const attribute = (tag: string, name: string): string | null => {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? null : unescaped(found)
}

/** Everything in a page that looks like an address. */
function linksIn({ text }: Answer, base: string): string[] {
  const tags = [...text.matchAll(/\b(?:href|src|action|formaction)="([^"]*)"/g)].map(([, at]) =>
    unescaped(at ?? ''),
  )
  const written = [...text.matchAll(/https?:\/\/[^\s"'<>\\]+/g)].map(([at]) => at)
  return [...tags, ...written].flatMap(at => (URL.canParse(at, base) ? [new URL(at, base).href] : []))
}

type Field = { readonly name: string; readonly values: readonly string[] }

/** Each control with all it could send: its own values, and where it is free, what a robot types into anything. */
function fieldsIn(form: string, guesses: readonly string[]): Field[] {
  const fields = new Map<string, string[]>()
  for (const [tag] of form.matchAll(/<(?:input|button|textarea|select)\b[^>]*>/g)) {
    const name = attribute(tag, 'name')
    if (name === null) continue
    const value = attribute(tag, 'value')
    const free = /type="(text|date|number)"/.test(tag)
    fields.set(name, [...(fields.get(name) ?? []), ...(free ? guesses : [value ?? 'on'])])
  }
  return [...fields].map(([name, values]) => ({ name, values }))
}

/** The n-th way to fill the form in: every value of every control is tried. */
const filled = (fields: readonly Field[], n: number): URLSearchParams =>
  new URLSearchParams(
    fields.map(({ name, values }): [string, string] => [name, values[n % values.length] ?? '']),
  )

class Robot {
  readonly seen = new Set<string>()
  readonly statuses: number[] = []
  posts = 0

  async #go(method: string, at: string, body?: URLSearchParams): Promise<Answer> {
    const { pathname, search } = new URL(at)
    const answer = await lane.call(method, `${pathname}${search}`, {
      key: null,
      ...(body && { raw: body.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    })
    this.statuses.push(answer.status)
    return answer
  }

  async visit(at: string): Promise<void> {
    if (this.seen.has(at) || !at.startsWith(lane.url)) return
    this.seen.add(at)
    await this.#go('HEAD', at)
    const page = await this.#go('GET', at)
    await this.#submitAll(page, at)
    for (const link of linksIn(page, at)) await this.visit(link)
  }

  async #submitAll(page: Answer, at: string): Promise<void> {
    // What the page shows is all a robot knows: each four-letter word on it is tried as the code.
    const words = [...new Set(page.text.match(/\b[0-9A-Za-z]{4}\b/g))].slice(0, ALL ? 40 : 8)
    for (const [form = ''] of page.text.matchAll(/<form\b.*?<\/form>/gs)) {
      const fields = fieldsIn(form, ['yes', 'A', '1', '2026-12-24', ...words])
      const to = new URL(attribute(form, 'action') ?? '', at).href
      const ways = Math.max(...fields.map(({ values }) => values.length))
      for (let n = 0; n < ways; n++, this.posts++) {
        const answer = await this.#go('POST', to, filled(fields, n))
        for (const link of linksIn(answer, at)) await this.visit(link)
      }
      await this.#go('GET', `${to}?${filled(fields, 0)}`)
    }
  }
}

test('resolves nothing: it GETs, HEADs and submits all it finds, for every kind of request', async () => {
  const content = await lane.call('PUT', '/v1/blobs', {
    raw: 'See <a href="/v1/requests">this</a> and http://example.org/',
    headers: { 'content-type': 'text/plain' },
  })
  const options = [
    { value: 'ship', label: 'Ship it' },
    { value: 'hold', label: 'Hold it' },
  ]
  const asked = {
    'r-yes-no': question('r-yes-no', { context_handles: [content.json.handle] }),
    'r-choice': question('r-choice', { reply_schema: { kind: 'choice', options } }),
    'r-multi': question('r-multi', { reply_schema: { kind: 'multi_choice', options, min: 1, max: 2 } }),
    'r-text': question('r-text', { reply_schema: { kind: 'text', max_chars: 100 } }),
    'r-number': question('r-number', { reply_schema: { kind: 'number', min: 0, max: 10 } }),
    'r-date': question('r-date', { reply_schema: { kind: 'date' } }),
    'r-review': review('r-review', { target_handles: [content.json.handle] }),
    'r-approval': approval('r-approval', { parameters: { artifact: content.json.handle } }),
  }
  const robot = new Robot()
  await robot.visit(`${lane.url}/`)
  for (const [id, request] of Object.entries(asked)) {
    expect((await lane.submit(request)).status).toBe(201)
    await robot.visit((await lane.link(id)).link)
    // A link that wore out under its tries is followed by a fresh one; the robot gets that one too.
    for (const fresh of await freshLinks(id)) await robot.visit(fresh)
  }
  console.log(`the robot opened ${robot.seen.size} addresses and sent ${robot.posts} forms`)
  expect(robot.posts).toBeGreaterThan(8 * 5)
  expect(robot.statuses.filter(status => status >= 500)).toEqual([])
  for (const id of Object.keys(asked)) {
    expect((await lane.call('GET', `/v1/requests/${id}`)).json).toMatchObject({
      state: 'pending',
      answer: null,
    })
  }
  const types = new Set((await lane.ledger()).map(({ type }) => type))
  expect(types.has('INBOUND_REPLY_REJECTED')).toBe(true)
  expect([...types].filter(type => /HUMAN|RESOLVED|WITHDRAWN/.test(type))).toEqual([])
}, 120_000)

/** The links a request is sent with in the end, once no more are owed: at most three fresh ones. */
async function freshLinks(id: string): Promise<string[]> {
  const links: string[] = []
  for (let tries = 0; tries < 3; tries++) {
    const { link } = await lane.link(id)
    if (!links.includes(link)) links.push(link)
    await new Promise(resolve => setTimeout(resolve, 60))
  }
  return links
}
