// Signing in with tokens where passwords are not taken, and what `lane doctor` says about either server.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emailAdapter } from '../../adapters/email/index.js'
import { MailboxConnection } from '../../adapters/email/mailbox.js'
import { readVariables } from '../../adapters/email/variables.js'
import type { Finding } from '../../src/adapter/contract.js'
import { DOVECOT, type Dovecot, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { type PostOffice, raisePostOffice } from './post-office.js'
import { display, outbound } from './samples.js'

let office: PostOffice
beforeEach(async () => {
  office = await raisePostOffice()
})
afterEach(() => office.close())

const adapter = (more: Record<string, string>) =>
  emailAdapter({
    variables: {
      EMAIL_FROM: 'lane@lane.test',
      EMAIL_WEBHOOK_SECRET: 'x'.repeat(24),
      SMTP_URL: office.url,
      ...more,
    },
    publicUrl: () => 'https://lane.example.org',
    say: () => undefined,
    stamp: value => `stamped ${value}`,
  })

describe('a provider that takes tokens', () => {
  let provider: Server
  let asked: Record<string, string>[] = []
  let refuses = false
  beforeEach(async () => {
    asked = []
    refuses = false
    provider = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const token = new URL(request.url ?? '/', 'http://x').searchParams.get('token')
      response.setHeader('content-type', 'application/json')
      if (token === null) asked.push(Object.fromEntries(new URLSearchParams(body)))
      response.statusCode = token === null && refuses ? 400 : 200
      const given = refuses ? { error: 'invalid_client' } : { access_token: 'tok-1', expires_in: 3600 }
      const known = token === 'tok-1' ? { active: 'yes', user: 'lane' } : {}
      response.end(JSON.stringify(token === null ? given : known))
    })
    await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => new Promise(resolve => provider.close(() => resolve(undefined))))

  const at = (): string => `http://127.0.0.1:${(provider.address() as AddressInfo).port}/token`
  const options = (more = ''): string =>
    `&oauth=${encodeURIComponent(at())}&client_id=lane-app&scope=${encodeURIComponent('https://mail.test/.default')}${more}`

  const tokenOffice = () =>
    raisePostOffice({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['XOAUTH2'],
      onAuth: (auth, _session, done) =>
        auth.accessToken === 'tok-1' ? done(null, { user: 'lane' }) : done(new Error('no')),
    })

  test('is asked once for a token with the client’s secret, and mails leave with it', async () => {
    await office.close()
    office = await tokenOffice()
    const by = adapter({ SMTP_URL: `${office.url.replace('//', '//lane:s3cret@')}${options()}` })
    expect((await by.send(display, outbound)).kind).toBe('sent')
    expect((await by.send(display, { ...outbound, delivery_id: 'd-2' })).kind).toBe('sent')
    expect(asked).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'lane-app',
        client_secret: 's3cret',
        scope: 'https://mail.test/.default',
      },
    ])
  })

  test('is asked with the refresh token where there is one', async () => {
    await office.close()
    office = await tokenOffice()
    const by = adapter({
      SMTP_URL: `${office.url.replace('//', '//lane:s3cret@')}${options('&refresh_token=r-1')}`,
    })
    expect((await by.send(display, outbound)).kind).toBe('sent')
    expect(asked[0]).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r-1' })
  })

  test('that gives none: the mail has failed, to be tried again', async () => {
    refuses = true
    await office.close()
    office = await tokenOffice()
    const by = adapter({ SMTP_URL: `${office.url.replace('//', '//lane:s3cret@')}${options()}` })
    expect(await by.send(display, outbound)).toMatchObject({ kind: 'failed', retryable: true })
  })

  test.skipIf(DOVECOT === null)(`opens the mailbox to who has one${WITHOUT_DOVECOT}`, async () => {
    const dovecot = await raiseDovecot(at())
    const IMAP_URL = `${dovecot.url.replace('lane:secret', 'lane:s3cret')}${options()}`
    const { imap } = readVariables({ SMTP_URL: office.url, EMAIL_FROM: 'lane@lane.test', IMAP_URL })
    if (imap === null) throw new Error('IMAP_URL was not read')
    const box = await MailboxConnection.open(imap)
    expect(await box.after(null, new Date(0))).toEqual([])
    box.close()
    await dovecot.remove()
  })

  test('in clear text elsewhere is refused at the start', () => {
    const url = `smtp://lane:s3cret@mail.example.org?oauth=http://tokens.example.org&client_id=a`
    expect(() => adapter({ SMTP_URL: url })).toThrow('SMTP_URL: oauth must be the https address')
  })
})

describe('the doctor', () => {
  let dovecot: Dovecot | null = null
  afterEach(async () => {
    await dovecot?.remove()
    dovecot = null
  })
  const findings = async (more: Record<string, string>): Promise<string[]> => {
    const found: readonly Finding[] = (await adapter(more).check?.()) ?? []
    return found.map(({ check, status }) => `${check} ${status}`)
  }

  test.skipIf(DOVECOT === null)(
    `signs in at both servers and changes nothing${WITHOUT_DOVECOT}`,
    async () => {
      dovecot = await raiseDovecot()
      expect(await findings({ IMAP_URL: dovecot.url, EMAIL_AUTHSERV_ID: 'mx.lane.test' })).toEqual([
        'email out ok',
        'email in ok',
        'email proof ok',
      ])
      expect((await dovecot.look(client => client.list())).map(({ path }) => path)).toEqual(['INBOX'])
      expect(office.kept).toEqual([])
    },
  )

  test.skipIf(DOVECOT === null)(
    `says which login is refused, and never repeats it${WITHOUT_DOVECOT}`,
    async () => {
      dovecot = await raiseDovecot()
      const found =
        (await adapter({ IMAP_URL: dovecot.url.replace(':secret@', ':hunter2@') }).check?.()) ?? []
      expect(found[1]).toMatchObject({
        check: 'email in',
        status: 'fail',
        message: expect.stringContaining('refuses the login'),
      })
      expect(JSON.stringify(found)).not.toContain('hunter2')
    },
  )

  test('says that nobody is there', async () => {
    expect(
      await findings({ SMTP_URL: 'smtp://127.0.0.1:1?tls=off', IMAP_URL: 'imap://u:p@127.0.0.1:1?tls=off' }),
    ).toEqual(['email out fail', 'email in fail', 'email proof ok'])
  })
})
