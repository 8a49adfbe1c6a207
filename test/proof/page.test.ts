// The page that checks a proof, opened from its file in a real browser, with nothing to talk to.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hash as theirs } from '../../scripts/verify-page/sha256.js'
import { digest } from '../../src/canonical.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { approved, confirmedByAll, raiseScene, type Scene } from './scene.js'

const PAGE = pathToFileURL(join(import.meta.dirname, '../../dist/verify.html')).href

test('its SHA-256 is SHA-256', () => {
  for (const length of [0, 1, 3, 31, 32, 54, 55, 56, 63, 64, 65, 119, 120, 1_000, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, place) => (place * 7 + length) & 255)
    expect(Buffer.from(theirs('sha256', bytes, 'buffer') as Uint8Array)).toEqual(Buffer.from(digest(bytes)))
  }
  expect(theirs('sha256', 'é', 'hex')).toBe(Buffer.from(digest('é')).toString('hex'))
})

describe.skipIf(maySkip)(`the page ${missing ?? ''}`, () => {
  let scene: Scene
  let browser: Browser
  let page: Page
  let home: string
  const asked: string[] = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'page-'))
    scene = await raiseScene()
    await approved(scene.lane, 'given')
    await confirmedByAll(scene, 'confirmed')
    const confirmed = await scene.proof('confirmed')
    writeFileSync(join(home, 'confirmed.proof'), confirmed)
    writeFileSync(
      join(home, 'unconfirmed.proof'),
      confirmed.toString('utf8').replace(/"signature":"../, '"signature":"AA'),
    )
    const proof = await scene.proof('given')
    writeFileSync(join(home, 'given.proof'), proof)
    writeFileSync(join(home, 'other.proof'), proof.toString('utf8').replace('"DENY"', '"HALT"'))
    browser = await launch()
    page = await browser.newPage()
    page.on('request', request => asked.push(request.url()))
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.lane.close()
    rmSync(home, { recursive: true, force: true })
  })

  const check = async (file: string, key: string): Promise<string> => {
    await page.goto(PAGE)
    await page.setInputFiles('#proof', join(home, file))
    await page.fill('#key', key)
    await page.click('#check:not([disabled])')
    await page.waitForSelector('#result section')
    return (await page.textContent('#result')) ?? ''
  }

  test('says what is proven and what is not', async () => {
    const told = await check('given.proof', scene.vkey)
    expect(told).toContain('operator answered YES on web, vouched for by console')
    expect(told).toContain('That nothing happened after this checkpoint')
  })

  test('names the passkeys that confirmed it, of every algorithm, and refuses a signature that was changed', async () => {
    const told = await check('confirmed.proof', scene.vkey)
    for (const { credential_hash } of Object.values(scene.passkeys)) expect(told).toContain(credential_hash)
    expect(told).toContain(
      'Whose a passkey is, and that it had not been taken back before, beyond what the lane says',
    )
    expect(await check('unconfirmed.proof', scene.vkey)).toContain('evidence_differs')
  })

  test('refuses a proof that was changed, and one without a key', async () => {
    expect(await check('other.proof', scene.vkey)).toContain('display_altered')
    expect(await check('given.proof', '')).toContain('untrusted')
    expect(await check('given.proof', 'no key')).toContain('no verifier key')
  })

  test('asks nobody for anything', async () => {
    await check('given.proof', scene.vkey)
    expect(asked.filter(url => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
    const sent = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'sent',
        () => 'refused',
      ),
    )
    expect(sent).toBe('refused')
  })
})
