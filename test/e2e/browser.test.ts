// A person at the printed link, with a real browser and the whole lane behind it; and a robot at the same link.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL } from '../faults/rig.js'
import {
  approval,
  type LaneUnderTest,
  question,
  type Reply,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'
import { until } from '../until.js'
import { launch, maySkip, missing } from '../web/browser.js'

/** A host that is not this machine to the browser, as a lane on the local network without TLS is. */
const ELSEWHERE = 'lane.example'
const OPTIONS = [
  { value: 'now', label: 'Ship now' },
  { value: 'later', label: 'Ship later' },
  { value: 'never', label: 'Never ship' },
]

type Maker = (id: string, more: Record<string, unknown>) => Record<string, unknown>
type Kind = {
  readonly reply_schema: Record<string, unknown>
  readonly fill: (tab: Page) => Promise<void>
  readonly answer: Record<string, unknown>
}
const field = (tab: Page) => tab.getByLabel('Your answer')
const payload = (parsed_payload: unknown) => ({ parsed_choice: null, parsed_payload })
const KINDS: Readonly<Record<string, Kind>> = {
  yes_no: {
    reply_schema: { kind: 'yes_no' },
    fill: tab => tab.getByText('YES', { exact: true }).click(),
    answer: { parsed_choice: 'YES', parsed_payload: null },
  },
  choice: {
    reply_schema: { kind: 'choice', options: OPTIONS },
    fill: tab => tab.getByText('Ship later').click(),
    answer: { parsed_choice: 'later', parsed_payload: null },
  },
  multi_choice: {
    reply_schema: { kind: 'multi_choice', options: OPTIONS, min: 1, max: 2 },
    fill: async tab => {
      await tab.getByText('Never ship').click()
      await tab.getByText('Ship now').click()
    },
    answer: payload({ selected: ['now', 'never'] }),
  },
  text: {
    reply_schema: { kind: 'text', max_chars: 40 },
    fill: tab => field(tab).fill('Ship it, höchstens 5 %'),
    answer: payload({ text: 'Ship it, höchstens 5 %' }),
  },
  number: {
    reply_schema: { kind: 'number', min: 0, max: 100, unit: 'chips', lead: 'max spend' },
    fill: tab => field(tab).fill('50'),
    answer: payload({ number: 50, unit: 'chips' }),
  },
  date: {
    reply_schema: { kind: 'date', min: '2026-01-01' },
    fill: tab => field(tab).fill('2026-03-01'),
    answer: payload({ date: '2026-03-01' }),
  },
}

describe.skipIf(maySkip)(`a person at the printed link${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  let lane: LaneUnderTest
  let asked = 0
  beforeAll(async () => {
    ;[browser, lane] = await Promise.all([
      launch([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`]),
      startLane({ config: UNLIMITED }),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await lane?.close()
  })

  /** Asks, and reads link and code off the console as the person there does. */
  async function ask(
    request: Record<string, unknown> = {},
    make: Maker = question,
  ): Promise<Reply & { id: string }> {
    const id = `seen-${asked++}`
    expect((await lane.submit(make(id, request))).status).toBe(201)
    const { link: sent, ...rest } = await lane.link(id)
    const block = await until('the link on the console', () => lane.printed.find(text => text.includes(sent)))
    const link = /^ {2}link +(\S+)$/m.exec(block)?.[1] ?? ''
    const code = /^ {2}code +(\S+)$/m.exec(block)?.[1] ?? ''
    return { ...rest, id, link, code }
  }

  async function visiting<T>(options: BrowserContextOptions, look: (tab: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext(options)
    try {
      return await look(await context.newPage())
    } finally {
      await context.close()
    }
  }

  async function send(tab: Page, code: string): Promise<number> {
    await tab.getByLabel('Code').fill(code)
    const drawn = tab.waitForEvent('load')
    const answered = tab.waitForResponse(response => response.request().method() === 'POST')
    await tab.getByRole('button', { name: 'Send answer' }).click()
    const [response] = await Promise.all([answered, drawn])
    return response.status()
  }

  const caseOf = async (id: string) => (await lane.call('GET', `/v1/requests/${id}`)).json

  describe.each([true, false])('with JavaScript: %s', javaScriptEnabled => {
    it.each(Object.keys(KINDS))('answers with the real control and sees it recorded: %s', async name => {
      const kind = KINDS[name] as Kind
      const reply = await ask({ reply_schema: kind.reply_schema })
      await visiting({ javaScriptEnabled }, async tab => {
        await tab.goto(reply.link)
        await kind.fill(tab)
        expect((await caseOf(reply.id)).state).toBe('pending')
        expect(await send(tab, reply.code.toLowerCase())).toBe(200)
        expect(await tab.locator('body').textContent()).toMatch(/recorded/i)
      })
      expect(await caseOf(reply.id)).toMatchObject({
        state: 'answered',
        answer: { ...kind.answer, answered_by: 'operator' },
      })
    })

    it('is told why an answer was not taken, and corrects it', async () => {
      const reply = await ask({ reply_schema: { kind: 'text', max_chars: 60 } })
      await visiting({ javaScriptEnabled }, async tab => {
        await tab.goto(reply.link)
        await field(tab).fill('see www.example.org/<b>')
        expect(await send(tab, reply.code)).toBe(422)
        const refusal = tab.getByRole('alert')
        expect(await refusal.textContent()).toContain('Your answer was not taken')
        expect(await refusal.textContent()).toContain('www.example.org')
        expect(await field(tab).inputValue()).toBe('see www.example.org/<b>')
        await field(tab).fill('see the plan')
        expect(await send(tab, reply.code)).toBe(200)
      })
      expect((await caseOf(reply.id)).answer).toMatchObject({ parsed_payload: { text: 'see the plan' } })
    })

    it('types a wrong code, is told so, and answers with the right one', async () => {
      const reply = await ask({}, approval)
      await visiting({ javaScriptEnabled }, async tab => {
        await tab.goto(reply.link)
        await tab.getByText('NO', { exact: true }).click()
        expect(await send(tab, reply.code === '0000' ? '1111' : '0000')).toBe(403)
        expect(await tab.getByRole('alert').textContent()).toContain('code')
        expect(await tab.getByRole('radio', { checked: true }).count()).toBe(0)
        await tab.getByText('NO', { exact: true }).click()
        expect(await send(tab, reply.code)).toBe(200)
      })
      expect((await caseOf(reply.id)).answer).toMatchObject({ parsed_choice: 'NO' })
    })

    it('sends an answer from a page that was closed meanwhile, and learns that it is closed', async () => {
      const reply = await ask()
      await visiting({ javaScriptEnabled }, async tab => {
        await tab.goto(reply.link)
        await tab.getByText('YES', { exact: true }).click()
        await lane.call('POST', `/v1/requests/${reply.id}/withdraw`, { body: { reason: 'not needed' } })
        expect(await send(tab, reply.code)).toBe(409)
        expect(await tab.locator('form').count()).toBe(0)
        await tab.goto(reply.link)
        expect(await tab.locator('form, input, button').count()).toBe(0)
        expect(await tab.locator('body').textContent()).not.toContain('Ship the release')
      })
      expect((await caseOf(reply.id)).state).toBe('withdrawn')
    })
  })

  it('answers over plain HTTP to another machine', async () => {
    const reply = await ask()
    await visiting({}, async tab => {
      await tab.goto(reply.link.replace('127.0.0.1', ELSEWHERE))
      await tab.getByText('YES', { exact: true }).click()
      expect(await send(tab, reply.code)).toBe(200)
    })
    expect((await caseOf(reply.id)).state).toBe('answered')
  })

  it('meets a page that was left open past its deadline, and the default stands', {
    skip: !ALL,
  }, async () => {
    const reply = await ask({ deadline_seconds: 6 })
    await visiting({}, async tab => {
      await tab.goto(reply.link)
      await tab.getByText('YES', { exact: true }).click()
      await lane.outcome(reply.id)
      expect(await send(tab, reply.code)).toBe(410)
      expect(await tab.locator('body').textContent()).toContain('HALT')
    })
    expect((await caseOf(reply.id)).state).toBe('defaulted')
  })

  describe('a robot at the same link', () => {
    /** What a scanner may find in the page and try as the code: its words of four, and what its inputs hold. */
    const guesses = (source: string): string[] => [
      ...new Set([...source.matchAll(/\b[0-9A-Za-z]{4}\b/g)].map(([word]) => word)),
    ]

    async function submitEverything(tab: Page, link: string, tries: readonly string[]): Promise<number> {
      let sent = 0
      for (const guess of tries) {
        await tab.goto(link)
        if ((await tab.locator('form').count()) === 0) break
        // Every control is set and every check of the browser is passed over: a robot is not held to them.
        await tab.evaluate(`for (const form of document.forms) {
          form.noValidate = true
          for (const one of form.elements) {
            if (one.type === 'radio' || one.type === 'checkbox') one.checked = true
            else if (one.type === 'text' || one.type === 'date') { one.removeAttribute('maxlength'); one.value = ${JSON.stringify(guess)} }
          }
        }`)
        const drawn = tab.waitForEvent('load')
        const answered = tab.waitForResponse(response => response.request().method() === 'POST')
        await tab.evaluate('document.forms[0].submit()')
        const [response] = await Promise.all([answered, drawn])
        expect(response.status()).toBeGreaterThanOrEqual(400)
        sent++
      }
      return sent
    }

    it.each(['a question', 'an approval'])(
      'opens, renders, follows and submits whatever it finds: %s stays open',
      async noun => {
        const reply = await ask({}, noun === 'a question' ? question : approval)
        for (const method of ['GET', 'HEAD', 'GET']) {
          expect(
            (await lane.call(method, reply.link, { key: null, headers: { 'user-agent': 'scanner/1' } }))
              .status,
          ).toBe(200)
        }
        await visiting({ viewport: { width: 1280, height: 900 } }, async tab => {
          const moved: string[] = []
          tab.on('request', request => moved.push(`${request.method()} ${new URL(request.url()).pathname}`))
          await tab.goto(reply.link)
          await tab.waitForTimeout(300)
          expect(moved.filter(one => !one.startsWith('GET'))).toEqual([])
          const source = await tab.content()
          expect(source).not.toContain(reply.code)
          const links = (await tab.evaluate('[...document.links].map(link => link.href)')) as string[]
          for (const href of links) await tab.goto(href)
          for (const button of await tab.getByRole('button').all())
            await button.click().catch(() => undefined)
          expect(await submitEverything(tab, reply.link, ['', ...guesses(source)])).toBeGreaterThan(3)
        })
        expect((await caseOf(reply.id)).state).toBe('pending')
        const story = await lane.story(reply.id)
        expect(story.some(({ type }) => type === 'HUMAN_REPLY_EVENT' || type === 'REQUEST_RESOLVED')).toBe(
          false,
        )
        // What it used up was that one link: the person was sent another, and answers with it.
        let fresh = await lane.link(reply.id)
        while (fresh.link === reply.link) fresh = await lane.link(reply.id)
        expect((await lane.answer(fresh, 'no')).status).toBe(200)
      },
    )
  })
})
