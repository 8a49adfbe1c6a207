// What cannot be right stops the start, in words that name the variable and never repeat its value.
import { describe, expect, test } from 'vitest'
import { readVariables } from '../../adapters/email/variables.js'
import { startLane } from '../lane-under-test.js'

const GOOD = {
  SMTP_URL: 'smtp://user:p%40ss@mail.example.org',
  IMAP_URL: 'imaps://user:p%40ss@mail.example.org/Lane%20replies',
  EMAIL_FROM: 'Lane <lane@example.org>',
}

describe('the variables of email', () => {
  test('are read with their usual ports, encrypted, with the folder that is named', () => {
    expect(readVariables(GOOD)).toMatchObject({
      smtp: {
        host: 'mail.example.org',
        port: 587,
        tls: 'starttls',
        user: 'user',
        password: 'p@ss',
        dkim: null,
      },
      imap: { port: 993, tls: 'implicit', folder: 'Lane replies' },
      from: { name: 'Lane', address: 'lane@example.org' },
      replies: { local: 'lane', delimiter: '+', domain: 'example.org' },
    })
    expect(readVariables({ ...GOOD, SMTP_URL: 'smtps://mail.example.org' }).smtp).toMatchObject({
      port: 465,
      tls: 'implicit',
    })
    expect(readVariables({ ...GOOD, IMAP_URL: 'imap://u:p@mail.example.org' }).imap).toMatchObject({
      port: 143,
      tls: 'starttls',
      folder: 'INBOX',
    })
  })

  test.each([
    ['SMTP_URL', 'http://user:hunter2@mail.example.org', 'must be an smtp:// or smtps:// address'],
    ['SMTP_URL', 'smtp://user:hunter2@mail.example.org?tls=off', 'tls=off is for a server on this machine'],
    ['SMTP_URL', 'smtps://user:hunter2@localhost?tls=off', 'tls=off is for a server on this machine'],
    [
      'SMTP_URL',
      'smtp://user:hunter2@127.0.0.1.evil.example?tls=off',
      'tls=off is for a server on this machine',
    ],
    ['SMTP_URL', 'smtp://user:hunter2@mail.example.org?pool=no', 'has an option that is none of'],
    ['SMTP_URL', 'smtp://user:hunter2@mail.example.org?rate=0', 'rate must be a number from 1 to'],
    ['SMTP_URL', 'smtp://user:hunter2%@mail.example.org', 'a plain % is written %25'],
    ['SMTP_URL', 'smtp://user:hunter2@mail.example.org?dkim_selector=a', 'go together'],
    [
      'SMTP_URL',
      'smtp://u:hunter2@m.example.org?dkim_selector=a&dkim_key=/nowhere',
      'must name a readable file',
    ],
    ['IMAP_URL', 'imaps://mail.example.org', 'must carry a user and a password'],
    ['EMAIL_FROM', 'hunter2', 'must be an address'],
    ['EMAIL_FROM', 'Lane <lane@example.org>, hunter2@example.org', 'must be an address'],
    ['EMAIL_FROM', 'hunter2\u202e <lane@example.org>', 'must be an address'],
    ['EMAIL_REPLY_TO', 'hunter2', 'must be an address such as'],
    [
      'EMAIL_REPLY_TO',
      `hunter2${'x'.repeat(31)}@example.org`,
      'must have at most 37 characters before the @',
    ],
    ['EMAIL_WEBHOOK_SECRET', 'hunter2', 'must have at least 24 characters'],
  ])('%s=%s is refused, and not repeated', (variable, value, words) => {
    const read = (): unknown => readVariables({ ...GOOD, [variable]: value })
    expect(read).toThrow(words)
    expect(read).toThrow(variable)
    expect(read).not.toThrow(/hunter2/)
  })
})

describe('not configured', () => {
  const config = 'recipients: { owner: { name: Owner, email: owner@people.test } }'
  const complete = {
    SMTP_URL: 'smtp://127.0.0.1:1?tls=off',
    EMAIL_FROM: 'lane@lane.test',
    EMAIL_WEBHOOK_SECRET: 'a secret of more than 24 characters',
  }

  test.each([
    ['SMTP_URL', 'SMTP_URL'],
    ['EMAIL_FROM', 'EMAIL_FROM'],
    ['EMAIL_WEBHOOK_SECRET', 'IMAP_URL or EMAIL_WEBHOOK_SECRET'],
  ])('without %s a lane with somebody on email does not start, and says so', async (variable, named) => {
    const env: Record<string, string> = Object.fromEntries(
      Object.entries(complete).filter(([name]) => name !== variable),
    )
    await expect(startLane({ config, env })).rejects.toThrow(
      `recipient owner is on email, which is not configured: set ${named}`,
    )
  })

  test('a value that cannot be right is a start error in plain words', async () => {
    const env = { ...complete, SMTP_URL: 'smtp://mail.example.org?tls=off' }
    await expect(startLane({ config, env })).rejects.toThrow(
      'SMTP_URL: tls=off is for a server on this machine',
    )
  })

  test('complete, it starts, and a mailbox that is not configured is not listened to', async () => {
    const lane = await startLane({ config, env: complete })
    expect((await lane.call('GET', '/v1/recipients')).json).toMatchObject({
      items: [{ user_id: 'owner', channels: ['email'] }],
    })
    await lane.close()
  })
})
