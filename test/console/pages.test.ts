// Every page of the console in a browser: no accessibility fault, no sideways scroll, and the keys.
import type { Browser, BrowserContext, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, type LaneUnderTest, question, review, startLane } from '../lane-under-test.js'
import { asPerson, signedIn } from '../session/signed-in.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { expectSound, UNGUARDED } from '../web/look.js'

/** One person alone, as it is shipped: only then a link is printed that signs in. */
const CONFIG = `recipients: { operator: { name: Operator, web: true } }
actions: { PUBLISH: { approvers: [operator] } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true }
const DESK = { viewport: { width: 1280, height: 900 } }

describe.skipIf(maySkip)(`the console in a browser${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  let lane: LaneUnderTest
  let person: string
  let operator: string
  beforeAll(async () => {
    ;[browser, lane] = await Promise.all([launch(), startLane({ config: CONFIG, isTerminal: true })])
    person = (await asPerson(lane)).cookie
    const { json } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
    operator = (await signedIn(lane, { kind: 'operator', key_id: String(json.key_id) })).cookie
    const { href } = new URL(lane.url)
    expect(href).toContain('127.0.0.1')
    await lane.submit(question('ship', { deadline_seconds: 900 }), {
      run: { run_id: 'release-41', mood: 'DEFERENTIAL' },
    })
    await lane.submit(question('old'))
    await lane.answer(await lane.link('old'), 'yes')
    await lane.submit(review('look', { deadline_seconds: 7200 }))
    await lane.submit(
      question('long', {
        question_text:
          'Which of the three migration plans should the billing service follow before the quarter ends, given that the second one needs a maintenance window?',
        deadline_seconds: 300,
        reply_schema: {
          kind: 'choice',
          options: [
            { value: 'A', label: 'Online, in small steps' },
            { value: 'B', label: 'One window on Sunday' },
          ],
        },
      }),
    )
    await lane.submit(approval('pub', { deadline_seconds: 3600 }))
  })
  afterAll(async () => {
    await browser?.close()
    await lane?.close()
  })

  async function visiting<T>(
    cookie: string,
    path: string,
    options: BrowserContextOptions,
    look: (tab: Tab, context: BrowserContext) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext(options)
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: lane.url }])
    try {
      const tab = await context.newPage()
      await tab.goto(`${lane.url}${path}`)
      return await look(tab, context)
    } finally {
      await context.close()
    }
  }

  const PAGES: Readonly<Record<string, string>> = {
    inbox: '/console/inbox',
    'inbox with a request': '/console/inbox?at=ship',
    'inbox with a choice': '/console/inbox?at=long',
    'inbox of a kind that has none': '/console/inbox?urgency=high',
    history: '/console/inbox?view=past',
    request: '/console/requests/pub',
    'settled request': '/console/requests/old',
    'unknown request': '/console/requests/nothing',
    passkeys: '/console/passkeys',
    operations: '/console/operations',
    'runs in operations': '/console/operations?view=runs',
    'deliveries in operations': '/console/operations?view=deliveries',
    'people in operations': '/console/operations?view=people',
    'keys in operations': '/console/operations?view=keys',
    'channels in operations': '/console/operations?view=channels',
    'ledger in operations': '/console/operations?view=ledger',
    'story in operations': '/console/operations?request=old',
  }

  it.each(Object.keys(PAGES))('has no accessibility fault and does not scroll sideways: %s', async name => {
    await visiting(
      name.endsWith('operations') ? operator : person,
      PAGES[name] ?? '',
      UNGUARDED,
      async tab => {
        await expectSound(tab, name)
      },
    )
  })

  const DRAW_ICONS = `(async () => {
    const { icons } = await (await fetch('/console/manifest.webmanifest')).json()
    const points = [[256, 30], [188, 256], [324, 256], [188, 113]]
    return Promise.all(icons.map(async ({ src }) => {
      const image = Object.assign(new Image(512, 512), { src })
      await image.decode()
      const pen = Object.assign(document.createElement('canvas'), { width: 512, height: 512 }).getContext('2d')
      pen.drawImage(image, 0, 0, 512, 512)
      return points.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data].join(' '))
    }))
  })()`

  it('is installable: the manifest names icons that a browser draws alike', async () => {
    await visiting(person, '/console/inbox', UNGUARDED, async tab => {
      const [svg, ...pictures] = (await tab.evaluate(DRAW_ICONS)) as string[][]
      expect(svg).toEqual(['11 102 90 255', '255 255 255 255', '121 171 164 255', '255 255 255 255'])
      expect(pictures).toEqual([svg, svg])
    })
  })

  it('an item that moves under the key: what comes meanwhile waits behind a count, and the key opens what it was on', async () => {
    await visiting(person, '/console/inbox', DESK, async tab => {
      const order = () => tab.locator('.item').evaluateAll(all => all.map(one => one.getAttribute('data-id')))
      await tab.keyboard.press('j')
      await tab.keyboard.press('j')
      const before = await order()
      const place = await tab.locator('.item').nth(1).boundingBox()
      await lane.submit(question('sooner', { question_text: 'Sooner than all?', deadline_seconds: 60 }))
      await tab.locator('#new', { hasText: '1 new' }).waitFor()
      expect([await order(), await tab.locator('.item').nth(1).boundingBox()]).toEqual([before, place])
      await tab.keyboard.press('Enter')
      await tab.waitForURL(`**at=${before[1]}`)
    })
    await lane.answer(await lane.link('sooner'), 'no')
  })

  it('as a new user would: from the printed link, a question arrives live, is answered by keyboard, and stands in the history', async () => {
    const link = /http:\/\/localhost:\d+\/console\/sign-in\?link=\S+/.exec(lane.printed.join('\n'))?.[0] ?? ''
    await visiting('none=', '/console/inbox', DESK, async tab => {
      await tab.goto(link)
      await tab.getByRole('button').click()
      await tab.waitForURL('**/console/inbox')
      await lane.submit(
        question('fresh', { question_text: 'Did it arrive by itself?', deadline_seconds: 120 }),
      )
      await tab.locator('#new').click()
      await tab.getByText('Did it arrive by itself?').waitFor()
      await tab.keyboard.press('j')
      await tab.keyboard.press('Enter')
      await tab.waitForURL('**at=fresh')
      await tab.keyboard.press('y')
      // The choice alone, and Enter on it, send nothing.
      await tab.keyboard.press('Enter')
      expect((await lane.call('GET', '/v1/requests/fresh')).json.state).toBe('pending')
      await tab.keyboard.press('Tab')
      expect(await tab.evaluate('document.activeElement.textContent')).toBe('Send answer')
      await tab.keyboard.press('Enter')
      await tab.waitForURL('**done=fresh')
      expect(await tab.locator('.done').textContent()).toBe('Recorded: YES')
      await tab.getByRole('link', { name: 'History' }).click()
      await tab.getByText('Did it arrive by itself?').click()
      await tab.locator('.story', { hasText: 'You answered YES' }).waitFor()
    })
    expect((await lane.call('GET', '/v1/requests/fresh')).json.state).toBe('answered')
  })

  it('is whole without JavaScript', async () => {
    await lane.submit(question('plain', { question_text: 'Without a script?', deadline_seconds: 120 }))
    await visiting(person, '/console/inbox', { ...PHONE, javaScriptEnabled: false }, async tab => {
      await tab.getByText('Without a script?').click()
      await tab.getByLabel('NO').check()
      await tab.getByRole('button', { name: 'Send answer' }).click()
      expect(await tab.locator('.done').textContent()).toBe('Recorded: NO')
    })
    expect((await lane.call('GET', '/v1/requests/plain')).json.state).toBe('answered')
  })

  it('asks for nothing but what is its own: no fault stands in the browser’s log', async () => {
    await visiting(person, '/console/inbox', DESK, async tab => {
      const said: string[] = []
      tab.on('console', message => void said.push(message.text()))
      tab.on('request', asked => void said.push(...(asked.url().startsWith(lane.url) ? [] : [asked.url()])))
      await tab.reload()
      await tab.goto(`${lane.url}/console/inbox?at=ship`)
      expect(said).toEqual([])
    })
  })
})
