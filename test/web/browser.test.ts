// The pages as a real browser shows them, served with their real headers.
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readForm } from '../../adapters/web/index.js'
import { contentPage, page } from '../../adapters/web/render.js'
import type { Page, PageState } from '../../src/adapter/page.js'
import { compile } from '../../src/compiler/compile.js'
import { showing } from '../request/content/shown.js'
import { launch, maySkip, missing } from './browser.js'
import { expectSound, UNGUARDED } from './look.js'
import { type PageServer, servePages } from './page-server.js'
import {
  approval,
  bulky,
  ENDINGS,
  HANDLE,
  HASH,
  notHanded,
  open,
  type PlainKind,
  peopled,
  question,
  refused,
  review,
  SCHEMAS,
  stored,
} from './samples.js'

const KINDS = Object.keys(SCHEMAS) as PlainKind[]
const PATH = `/lane/r/${HANDLE}`
/** A host that is not this machine to the browser, as a lane on the local network without TLS is. */
const ELSEWHERE = 'lane.example'
const PHONE = { viewport: { width: 360, height: 740 } }
const DESK = { viewport: { width: 1280, height: 900 } }

const drawn = (state: PageState): Page => page(state, 200)
const CONTENT = new TextEncoder().encode(`+if (admin\u202e) {\n${'x'.repeat(500)}\n\t<b>&amp;</b>\n`)

const SEEN: Readonly<Record<string, Page>> = {
  ...Object.fromEntries(KINDS.map(kind => [kind, drawn(open(question(SCHEMAS[kind])))])),
  ...Object.fromEntries(
    KINDS.map(kind => [`${kind}, refused`, drawn(open(question(SCHEMAS[kind]), refused('a')))]),
  ),
  ...Object.fromEntries(
    KINDS.map(kind => [`${kind}, as long as can be`, drawn(open(bulky(kind), refused('W'.repeat(500))))]),
  ),
  approval: drawn(open(approval)),
  review: drawn(open(review)),
  'with people around it': drawn(peopled(approval)),
  'not handed on': drawn(peopled(question(SCHEMAS.text), notHanded)),
  'permission prompt': drawn(
    open(
      showing({ ...approval, headline: 'Approve USE_TOOL', action: 'USE_TOOL' }, [
        new TextDecoder().decode(CONTENT),
        '@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      ]),
    ),
  ),
  'permission prompt without its command': drawn({ ...open(approval), csrf: null }),
  'stored content': contentPage(stored(new TextDecoder().decode(CONTENT)), 'release-agent'),
  ...Object.fromEntries(Object.entries(ENDINGS).map(([name, state]) => [name, drawn(state)])),
}

describe.skipIf(maySkip)(`the reply page in a browser${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  let server: PageServer
  beforeAll(async () => {
    ;[browser, server] = await Promise.all([
      launch([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`]),
      servePages(),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function visiting<T>(
    shown: Page,
    options: BrowserContextOptions,
    look: (tab: Tab) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext(options)
    try {
      const tab = await context.newPage()
      await tab.goto(server.put(PATH, shown))
      return await look(tab)
    } finally {
      await context.close()
    }
  }

  /** One tab for every page that is only looked at: a new one costs more than the look. */
  let [unguarded, phone]: Tab[] = []
  beforeAll(async () => {
    const contexts = [UNGUARDED, PHONE].map(options => browser.newContext(options))
    ;[unguarded, phone] = await Promise.all(contexts.map(async context => (await context).newPage()))
  })
  const shownIn = async (tab: Tab | undefined, name: string): Promise<Tab> => {
    if (tab === undefined) throw new Error('no tab was opened')
    await tab.goto(server.put(PATH, SEEN[name] ?? drawn({ kind: 'unknown' })))
    return tab
  }

  it.each(Object.keys(SEEN))('has no accessibility fault, small or large, light or dark: %s', async name => {
    await expectSound(await shownIn(unguarded, name), name)
  })

  it.each(Object.keys(SEEN))('does not scroll sideways on a phone of 360 pixels: %s', async name => {
    const tab = await shownIn(phone, name)
    for (const summary of await tab.locator('summary').all()) await summary.click()
    const widths = (await tab.evaluate(
      '[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]',
    )) as number[]
    expect(widths[1]).toBe(360)
    expect(widths[0]).toBeLessThanOrEqual(360)
  })

  it.each(KINDS)('has nothing to press that is smaller than 44 pixels: %s', async kind => {
    const pressed = '.card, button, a, summary, input[type=text], input[type=date]'
    const small = await visiting(drawn(open(question(SCHEMAS[kind]), refused('a'))), PHONE, async tab => {
      const boxes = await Promise.all((await tab.locator(pressed).all()).map(one => one.boundingBox()))
      expect(boxes.length).toBeGreaterThan(4)
      return boxes.filter(box => box === null || box.height < 44 || box.width < 44)
    })
    expect(small).toEqual([])
  })

  it('shows itself under its own policy without one complaint, and asks for nothing but itself', async () => {
    const said: string[] = []
    server.visits.length = 0
    const context = await browser.newContext(PHONE)
    const tab = await context.newPage()
    tab.on('console', message => said.push(message.text()))
    tab.on('pageerror', error => said.push(error.message))
    await tab.clock.install({ time: '2026-02-17T13:00:00Z' })
    await tab.goto(server.put(PATH, drawn(open(question()))))
    await tab.clock.runFor(2 * 3600 * 1000)
    expect(await tab.locator('.clock').textContent()).toBe('Time is up ')
    await context.close()
    expect(said).toEqual([])
    expect(server.visits.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${PATH}`])
  })

  it('counts down by the lane’s clock, on a device whose own is a year off', async () => {
    const context = await browser.newContext({ ...PHONE, locale: 'en-GB', timezoneId: 'Asia/Tokyo' })
    const tab = await context.newPage()
    await tab.clock.install({ time: '2025-01-01T00:00:00Z' })
    await tab.clock.pauseAt('2025-01-01T01:00:00Z')
    await tab.goto(server.put(PATH, drawn(open(question()))))
    const left = tab.locator('#left')
    expect(await left.textContent()).toBe('1:00:05')
    await tab.clock.runFor(5_000)
    expect(await left.textContent()).toBe('1:00:00')
    await tab.clock.runFor(3_590_000)
    expect(await left.textContent()).toBe('0:10')
    expect(await tab.locator('#local').textContent()).toMatch(/17 Feb.*23:00 your time/)
    await context.close()
  })

  it.each([true, false])(
    'gives the deadline in the zone the operator wrote down for the person (with JavaScript: %s)',
    async javaScriptEnabled => {
      const elsewhere = { ...PHONE, javaScriptEnabled, timezoneId: 'Asia/Tokyo' }
      await visiting(drawn(peopled(question())), elsewhere, async tab => {
        expect(await tab.locator('#local').textContent()).toBe('Tue 17 Feb 15:00 Europe/Berlin')
      })
    },
  )

  it('is complete without JavaScript', async () => {
    await visiting(drawn(open(question())), { ...PHONE, javaScriptEnabled: false }, async tab => {
      expect(await tab.locator('#left').textContent()).toBe('1 hour')
      expect(await tab.locator('#left-note').textContent()).toBe('left when this page was opened')
      expect(await tab.getByRole('radio').count()).toBe(2)
    })
  })

  const ANSWERS: Readonly<Record<PlainKind, { fill: (tab: Tab) => Promise<void>; reply: string }>> = {
    yes_no: { fill: tab => tab.getByText('YES', { exact: true }).click(), reply: 'YES' },
    choice: { fill: tab => tab.getByText('Ship to everyone').click(), reply: 'all' },
    multi_choice: {
      fill: async tab => {
        await tab.getByText('Wait until Monday').click()
        await tab.getByText('Ship to one percent first').click()
      },
      reply: 'canary,wait',
    },
    text: {
      fill: tab => tab.getByLabel('Your answer').fill('Ship it, höchstens 5 %'),
      reply: 'Ship it, höchstens 5 %',
    },
    number: { fill: tab => tab.getByLabel('Your answer').fill('50'), reply: '50' },
    date: { fill: tab => tab.getByLabel('Your answer').fill('2026-03-01'), reply: '2026-03-01' },
  }

  it('sends an instant where a date is asked for, typed beside the calendar', async () => {
    server.visits.length = 0
    const instant = '2026-03-01T09:30:00+01:00'
    await visiting(drawn(open(question(SCHEMAS.date))), PHONE, async tab => {
      await tab.getByLabel('or a moment').fill(instant)
      await tab.getByLabel('Code').fill('7k2m')
      await tab.getByRole('button', { name: 'Send answer' }).click()
      await tab.waitForLoadState()
    })
    const sent = server.visits.find(visit => visit.method === 'POST')
    const form = readForm(sent?.body ?? Uint8Array.of(), sent?.headers['content-type'])
    expect(form).toMatchObject({ kind: 'form', reply: instant })
    expect(compile(SCHEMAS.date, instant)).toMatchObject({ ok: true })
  })

  describe.each([true, false])('with JavaScript: %s', javaScriptEnabled => {
    it.each(KINDS)('sends what the person chose, and only when they send it: %s', async kind => {
      server.visits.length = 0
      await visiting(drawn(open(question(SCHEMAS[kind]))), { ...PHONE, javaScriptEnabled }, async tab => {
        await ANSWERS[kind].fill(tab)
        await tab.getByLabel('Code').fill('7k2m')
        expect(server.visits.map(visit => visit.method)).toEqual(['GET'])
        await tab.getByRole('button', { name: 'Send answer' }).click()
        await tab.waitForLoadState()
      })
      const sent = server.visits.find(visit => visit.method === 'POST')
      expect(sent?.path).toBe(PATH)
      expect(readForm(sent?.body ?? Uint8Array.of(), sent?.headers['content-type'])).toEqual({
        kind: 'form',
        fields: {},
        all: null,
        reply: ANSWERS[kind].reply,
        code: '7k2m',
        csrf: 'csrf-1',
      })
      expect(compile(SCHEMAS[kind], ANSWERS[kind].reply)).toMatchObject({ ok: true })
    })

    it('sends nothing when the one button is pressed and nothing was chosen', async () => {
      server.visits.length = 0
      await visiting(drawn(open(question())), { ...PHONE, javaScriptEnabled }, async tab => {
        await tab.getByRole('button', { name: 'Send answer' }).click()
        await tab.getByLabel('Code').fill('7K2M')
        await tab.getByRole('button', { name: 'Send answer' }).click()
      })
      expect(server.visits.map(visit => visit.method)).toEqual(['GET'])
    })
  })

  // What the door has to expect: a page without referrer posts with Origin "null", and over plain HTTP to another
  // machine a browser sends no Sec-Fetch-Site that could vouch for it.
  it.each([
    ['this machine', '127.0.0.1', 'same-origin'],
    ['another machine over plain HTTP', ELSEWHERE, undefined],
  ])('is posted without a referrer and with Origin "null": to %s', async (_, host, site) => {
    server.visits.length = 0
    server.put(PATH, drawn(open(question())))
    const context = await browser.newContext(PHONE)
    const tab = await context.newPage()
    await tab.goto(server.origin.replace('127.0.0.1', host) + PATH)
    await ANSWERS.yes_no.fill(tab)
    await tab.getByLabel('Code').fill('7K2M')
    await tab.getByRole('button', { name: 'Send answer' }).click()
    await tab.waitForLoadState()
    await context.close()
    const { headers } = server.visits.find(visit => visit.method === 'POST') ?? {}
    expect(headers?.origin).toBe('null')
    expect(headers?.['sec-fetch-site']).toBe(site)
    expect(headers?.referer).toBeUndefined()
  })

  it('brings the reader to the reason when an answer was not taken', async () => {
    await visiting(drawn(open(question(), refused('yes but'))), PHONE, async tab => {
      await tab.locator('#refusal:focus').waitFor()
      await tab.getByRole('link', { name: 'Answer again' }).click()
      expect(await tab.locator('#answer').evaluate(form => form.matches(':target'))).toBe(true)
    })
  })

  it('opens stored content beside the page, under the page’s own sub-path, and runs nothing of it', async () => {
    const said: string[] = []
    const context = await browser.newContext(DESK)
    context.on('dialog', dialog => said.push(dialog.message()))
    const hostile = new TextEncoder().encode(
      '</pre><script>alert(1)</script><a href="javascript:alert(2)">x</a>',
    )
    server.put(
      `${PATH}/blobs/${HASH}`,
      contentPage(stored(new TextDecoder().decode(hostile)), 'release-agent'),
    )
    const tab = await context.newPage()
    await tab.goto(server.put(PATH, drawn(open(approval))))
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      tab.getByRole('link', { name: /^Open artifact/ }).click(),
    ])
    expect((await beside.locator('pre').textContent())?.trim()).toBe(`│ ${new TextDecoder().decode(hostile)}`)
    expect(await beside.locator('script, a').count()).toBe(0)
    expect(said).toEqual([])
    await context.close()
  })
})
