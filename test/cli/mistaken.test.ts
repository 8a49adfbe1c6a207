// An address or a file that was given by mistake is named as it was given, with what would have been right.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemeHint } from '../../src/cli/tell.js'
import { closedUrl, lane, operatorOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

describe('a backup', () => {
  test('into a directory that does not exist names the file that was given, and nothing else', async () => {
    const directory = join(freshDirectory(), 'nope')
    const file = join(directory, 'x.db')
    expect(await lane(['backup', file], { env: operatorOf(gateway) })).toEqual({
      code: 1,
      stdout: '',
      stderr: `lane: ${file} cannot be written: its directory must exist, and ${directory} is none; make it, or name another file\n`,
    })
  })

  test('below a file is told the same', async () => {
    const directory = join(freshDirectory(), 'file')
    writeFileSync(directory, '')
    const { code, stderr } = await lane(['backup', join(directory, 'x.db')], { env: operatorOf(gateway) })
    expect(code).toBe(1)
    expect(stderr).toContain(`its directory must exist, and ${directory} is none`)
    expect(stderr).not.toContain('.part')
  })

  test('so is an export', async () => {
    const directory = join(freshDirectory(), 'nope')
    const exported = lane(['ledger', 'export', join(directory, 'x')], { env: operatorOf(gateway) })
    expect(await exported).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`its directory must exist, and ${directory} is none`),
    })
  })
})

describe('https to a lane that speaks http', () => {
  const secure = (): string => gateway.url.replace('http:', 'https:')

  test('is told to use http', async () => {
    const env = { ...operatorOf(gateway), LANE_URL: secure() }
    const { code, stderr } = await lane(['pending'], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/broke off \(ERR_SSL_/)
    expect(stderr).toContain(`what answers there speaks no https; set LANE_URL to ${gateway.url}\n`)
  })

  test('is told so by the doctor as well', async () => {
    const env = { LANE_DATA_DIR: gateway.dataDir, LANE_URL: secure() }
    const { code, stdout } = await lane(['doctor'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ lane .*speaks no https; set LANE_URL to http:/)
  })

  test.each([
    ['http://127.0.0.1:8787', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['https://127.0.0.1:8787', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s with %s is another matter', (url, code) => {
    expect(schemeHint(url, code)).toBeNull()
  })
})

describe('the doctor where no lane runs', () => {
  const failed = (stdout: string): string[] =>
    (JSON.parse(stdout) as { check: string; status: string }[])
      .filter(({ status }) => status === 'fail')
      .map(({ check }) => check)

  test('fails once: PUBLIC_URL was never set, so nothing is said of DNS and proxies', async () => {
    const { port } = new URL(await closedUrl())
    const { code, stdout } = await lane(['doctor', '--json'], { env: { PORT: port } })
    expect(code).toBe(1)
    expect(failed(stdout)).toEqual(['lane'])
    expect(stdout).not.toContain('DNS')
  })

  test('still looks at a PUBLIC_URL that was given', async () => {
    const url = await closedUrl()
    const { stdout } = await lane(['doctor', '--json'], { env: { LANE_URL: url, PUBLIC_URL: url } })
    expect(failed(stdout)).toEqual(['lane', 'public url'])
  })

  test('names what a half-configured channel lacks: a warning, no failure', async () => {
    const { port } = new URL(await closedUrl())
    const { stdout } = await lane(['doctor'], {
      env: { PORT: port, SMTP_URL: 'smtps://a:b@mail.example.org' },
    })
    expect(stdout).toContain(
      '! email           is not configured, though SMTP_URL is set → set EMAIL_FROM, and IMAP_URL or EMAIL_WEBHOOK_SECRET\n',
    )
  })
})
