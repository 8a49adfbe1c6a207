// Answers confirmed by a passkey in a browser: Chromium with a virtual authenticator, on the request's page and in the inbox.
import type { Browser, BrowserContext, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { readVkey } from '../../src/checkpoint/note.js'
import { verifyProof } from '../../src/proof/verify.js'
import { provenWords } from '../../src/proof/words.js'
import { approval, type LaneUnderTest, question } from '../lane-under-test.js'
import { asPerson } from '../session/signed-in.js'
import { until } from '../until.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { expectSound, UNGUARDED } from '../web/look.js'
import type { Credential } from './authenticator.js'
import { startWithPasskeys } from './enrolled.js'

const CONFIG = `
recipients:
  operator: { name: Operator, web: true, delegates: [second] }
  second: { name: Second person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [passkey] }
  EXPORT: { approvers: [operator, second], proofs: [passkey, web_session, link_code] }
questions: { proofs: [passkey, console] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`
const DEVICE = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const
const CONFIRM = { name: 'Confirm with your passkey' }

describe.skipIf(maySkip)(
  `answers by a passkey in a browser${missing === null ? '' : ` (${missing})`}`,
  () => {
    let browser: Browser
    let lane: LaneUnderTest
    let passkey: Credential
    let origin: string
    beforeAll(async () => {
      const [launched, started] = await Promise.all([launch(), startWithPasskeys(CONFIG, ['operator'])])
      browser = launched
      lane = started.lane
      passkey = started.passkeys.operator as Credential
      origin = `http://localhost:${new URL(lane.url).port}`
    })
    afterAll(async () => {
      await browser?.close()
      await lane?.close()
    })

    /** A browser in which the operator has signed in, with a device that has their passkey. */
    async function at<T>(
      path: string,
      look: (tab: Tab, context: BrowserContext) => Promise<T>,
      device: object = {},
      options: BrowserContextOptions = {},
    ): Promise<T> {
      const context = await browser.newContext(options)
      const [name = '', value = ''] = (await asPerson(lane)).cookie.split('=')
      await context.addCookies([{ name, value, url: origin }])
      try {
        const tab = await context.newPage()
        const wire = await context.newCDPSession(tab)
        await wire.send('WebAuthn.enable')
        const { authenticatorId } = await wire.send('WebAuthn.addVirtualAuthenticator', {
          options: { ...DEVICE, ...device },
        })
        const credential = {
          credentialId: Buffer.from(passkey.credential_id, 'base64url').toString('base64'),
          isResidentCredential: true,
          rpId: 'localhost',
          privateKey: passkey.private_key,
          userHandle: Buffer.from('operator').toString('base64'),
          signCount: 1,
        }
        await wire.send('WebAuthn.addCredential', { authenticatorId, credential })
        await tab.goto(`${origin}${path}`)
        return await look(tab, context)
      } finally {
        await context.close()
      }
    }

    const stateOf = async (id: string): Promise<unknown> =>
      (await lane.call('GET', `/v1/requests/${id}`)).json.state
    const proofOf = async (id: string): Promise<unknown> => {
      const said = (await lane.story(id)).find(({ type }) => type === 'HUMAN_REPLY_EVENT')
      return (said?.body.sender_identity as { proof?: unknown } | undefined)?.proof
    }

    it('an approval that demands one is chosen, confirmed and recorded, and its proof names the credential', async () => {
      await lane.submit(approval('ship'))
      await at('/console/requests/ship', async tab => {
        const troubles: string[] = []
        tab.on('console', message => void (message.type() === 'error' && troubles.push(message.text())))
        await tab.getByText('This must be confirmed with your passkey.').first().waitFor()
        expect(await tab.getByRole('button', { name: 'Send answer' }).count()).toBe(0)
        await tab.getByText('YES', { exact: true }).click()
        await tab.getByRole('button', CONFIRM).first().click()
        await tab.waitForURL(`${origin}/console/inbox?done=ship`)
        await tab.getByText('Recorded: YES').waitFor()
        expect(troubles).toEqual([])
      })
      expect(await proofOf('ship')).toBe('passkey')
      const { text } = await lane.call('GET', '/v1/requests/ship/proof')
      const [vkey = ''] = (await lane.call('GET', '/.well-known/lane-log-key', { key: null })).text.split(
        '\n',
      )
      const key = readVkey(vkey)
      const told = await verifyProof(Buffer.from(text), {
        keys: key === null ? [] : [key],
        check: checkEd25519,
      })
      expect(told.ok && provenWords(told).join('\n')).toContain(
        `The passkey ${passkey.credential_hash}, registered for them on their own word`,
      )
      expect(told.ok && provenWords(told).join('\n')).toContain(`confirmed exactly these words on ${origin}`)
    })

    it('it is answered in the inbox too, by keyboard: y chooses, and only the button confirms', async () => {
      await lane.submit(approval('ship-2'))
      await at('/console/inbox?at=ship-2', async tab => {
        await tab.keyboard.press('y')
        await tab.keyboard.press('Enter')
        expect(await stateOf('ship-2')).toBe('pending')
        await tab.getByRole('button', CONFIRM).first().press('Enter')
        await tab.waitForURL(`${origin}/console/inbox?done=ship-2`)
      })
      expect(await proofOf('ship-2')).toBe('passkey')
    })

    it('nothing is asked of the device while nothing is chosen, or while the words are none of the answers', async () => {
      await lane.submit(question('q', { reply_schema: { kind: 'number', min: 0, max: 10 } }))
      await at('/console/requests/q', async tab => {
        const button = tab.getByRole('button', CONFIRM).first()
        await button.click()
        expect(await tab.getByRole('status').first().textContent()).toBe('')
        await tab.getByLabel('Your answer').fill('eleven')
        await button.click()
        await tab.getByText('Nothing was sent: Your answer was not understood.').waitFor()
        await tab.getByLabel('Your answer').fill('7')
        await button.click()
        await tab.waitForURL(`${origin}/console/inbox?done=q`)
      })
      expect(await proofOf('q')).toBe('passkey')
    })

    it('a device that does not verify who is there confirms nothing, and the page says so', async () => {
      await lane.submit(approval('ship-3'))
      await at(
        '/console/requests/ship-3',
        async tab => {
          await tab.getByText('YES', { exact: true }).click()
          await tab.getByRole('button', CONFIRM).first().click()
          await tab.getByText('the device did not confirm it').first().waitFor()
        },
        { isUserVerified: false },
      )
      expect(await stateOf('ship-3')).toBe('pending')
    })

    it('on this machine it stands beside the code, for whoever has no code', async () => {
      await lane.submit(approval('out', { action: 'EXPORT', default_action: 'DO_NOT_EXPORT' }))
      await at('/console/requests/out', async tab => {
        expect(await tab.getByRole('button', { name: 'Send answer' }).count()).toBe(1)
        await tab.getByText('NO', { exact: true }).click()
        await tab.getByRole('button', CONFIRM).first().click()
        await tab.waitForURL(`${origin}/console/inbox?done=out`)
      })
      expect(await proofOf('out')).toBe('passkey')
    })

    it('a request is handed on with it', async () => {
      await lane.submit(approval('hand'))
      await at('/console/requests/hand', async tab => {
        await tab.getByText('Hand it to somebody else').click()
        await tab.getByLabel('Who answers in your place').selectOption('second')
        await tab.locator('#hand').getByRole('button', CONFIRM).click()
        await tab.waitForURL(`${origin}/console/inbox?done=hand`)
      })
      await until('the hand', async () =>
        (await lane.story('hand')).some(
          ({ type, body }) => type === 'REQUEST_DELEGATED' && body.proof === 'passkey',
        )
          ? true
          : undefined,
      )
    })

    it('an assertion is no good after it was used: the form come back to is refused', async () => {
      await lane.submit(approval('twice'))
      const posted = await at('/console/requests/twice', async tab => {
        const sent = tab.waitForRequest(
          request => request.method() === 'POST' && request.url().endsWith('/console/requests/twice'),
        )
        await tab.getByText('YES', { exact: true }).click()
        await tab.getByRole('button', CONFIRM).first().click()
        const body = (await sent).postData() ?? ''
        await tab.waitForURL(`${origin}/console/inbox?done=twice`)
        return body
      })
      await lane.submit(approval('thrice'))
      for (const id of ['twice', 'thrice']) {
        const again = await lane.call('POST', `/console/requests/${id}`, {
          key: null,
          raw: posted,
          headers: {
            ...(await asPerson(lane)),
            host: new URL(origin).host,
            origin,
            'content-type': 'application/x-www-form-urlencoded',
          },
        })
        // The stamp is that of another session: the form counts for nothing.
        expect(again.status).toBe(403)
      }
      expect(await stateOf('thrice')).toBe('pending')
    })

    it('without JavaScript the page is whole, and says why there is no button', async () => {
      await lane.submit(approval('plain'))
      await at(
        '/console/requests/plain',
        async tab => {
          await tab.getByText('A browser asks for a passkey only with JavaScript').first().waitFor()
          expect(await tab.getByRole('button', CONFIRM).count()).toBe(0)
          expect(await tab.getByText('This must be confirmed with your passkey.').count()).toBeGreaterThan(0)
        },
        {},
        { javaScriptEnabled: false },
      )
    })

    it.each([
      ['a request that demands one', 'look-1', {}],
      ['a request on which it stands beside the code', 'look-2', EXPORT],
    ] as const)('has no accessibility fault and does not scroll sideways: %s', async (_, id, more) => {
      await lane.submit(approval(id, more))
      await at(
        `/console/requests/${id}`,
        async tab => {
          await tab.getByText('Hand it to somebody else').click()
          await expectSound(tab, id)
        },
        {},
        UNGUARDED,
      )
    })
  },
)

const EXPORT = { action: 'EXPORT', default_action: 'DO_NOT_EXPORT' } as const
