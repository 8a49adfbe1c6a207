// How the channel starts, or why it does not; what the doctor finds; and what the log never says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { telegramAdapter } from '../../adapters/telegram/index.js'
import { running, spawnLane } from '../e2e/spawned-lane.js'
import { question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { type BotServer, startBotServer, TOKEN } from './bot-server.js'
import { below, OWNER, on, STRANGER } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, telegram: ${OWNER} }
`
const SECRET = 'aSecretThatOnlyTelegramAndTheLaneKnow'
const started = (env: Record<string, string>) => startLane({ config: CONFIG, env })

let server: BotServer
beforeAll(async () => {
  server = await startBotServer()
})
afterAll(() => server.stop())

describe('the channel', () => {
  test('is not started without its token, and the variable is named', async () => {
    await expect(started({})).rejects.toThrow(
      'recipient owner is on telegram, which is not configured: set TELEGRAM_BOT_TOKEN',
    )
  })

  test.each<[string, Record<string, string>, RegExp]>([
    ['a token that is none', { TELEGRAM_BOT_TOKEN: 'bot/../x' }, /^TELEGRAM_BOT_TOKEN must be the token/],
    [
      'a secret that no header can be',
      {
        TELEGRAM_BOT_TOKEN: TOKEN,
        TELEGRAM_WEBHOOK_SECRET: 'with spaces!',
        PUBLIC_URL: 'https://lane.example.org',
      },
      /^TELEGRAM_WEBHOOK_SECRET must be 24 to 256/,
    ],
    [
      'a secret that could be guessed',
      {
        TELEGRAM_BOT_TOKEN: TOKEN,
        TELEGRAM_WEBHOOK_SECRET: 'x'.repeat(23),
        PUBLIC_URL: 'https://lane.example.org',
      },
      /^TELEGRAM_WEBHOOK_SECRET must be 24 to 256/,
    ],
    [
      'a webhook where Telegram does not post',
      { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_WEBHOOK_SECRET: SECRET, PUBLIC_URL: 'http://lane.example.org' },
      /PUBLIC_URL must be an https address/,
    ],
    [
      'another server that is none',
      { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: 'ftp://x' },
      /^TELEGRAM_API_ROOT/,
    ],
  ])('is not started with %s, and the value is not repeated', async (_name, env, words) => {
    const error = await started(env).then(
      () => null,
      (reason: Error) => reason,
    )
    expect(error?.message).toMatch(words)
    for (const value of [TOKEN, 'bot/../x', 'with spaces!', 'ftp://x'])
      expect(error?.message).not.toContain(value)
  })

  test('starts while Telegram is away, and works once it is back', async () => {
    server.faults.always('*', { kind: 'break', status: 502 })
    const lane = await started({ TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: `${server.url}/` })
    try {
      server.faults.always('*', null)
      await until('it listens', async () => server.calls.some(({ method }) => method === 'getUpdates'))
    } finally {
      await lane.close()
    }
  })
})

describe('the doctor', () => {
  const checked = (more: Record<string, string> = {}, token = TOKEN) => {
    const variables = { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: server.url, ...more }
    const adapter = telegramAdapter({
      variables,
      publicUrl: () => 'https://lane.example.org',
      say: () => undefined,
    })
    return adapter.check?.()
  }
  const HOOK = 'https://lane.example.org/hooks/telegram'
  const set = (url: string, secret_token: string) =>
    fetch(`${server.url}/bot${TOKEN}/${url === '' ? 'deleteWebhook' : 'setWebhook'}`, {
      method: 'POST',
      body: JSON.stringify({ url, secret_token }),
    })

  test('finds a bot that is polled', async () => {
    expect(await checked()).toEqual([
      { check: 'telegram', status: 'ok', message: 'the bot is @TestNameBot', remedy: null },
      { check: 'telegram', status: 'ok', message: 'updates are polled', remedy: null },
    ])
  })

  test('finds a token that is nobody’s, without saying it', async () => {
    const findings = await checked({}, '4242:wrong')
    expect(findings).toMatchObject([
      { status: 'fail', message: 'the bot does not answer (telegram_unauthorized)' },
    ])
    expect(JSON.stringify(findings)).not.toContain('4242:wrong')
  })

  test('finds a webhook in the way of polling, one that is not set, and one that is', async () => {
    expect(await checked({ TELEGRAM_WEBHOOK_SECRET: SECRET })).toMatchObject([{}, { status: 'warn' }])
    await set(HOOK, SECRET)
    expect(await checked()).toMatchObject(
      [{}, { status: 'warn', message: /nothing can be polled/ }].map(only),
    )
    expect(await checked({ TELEGRAM_WEBHOOK_SECRET: SECRET })).toMatchObject([
      {},
      { status: 'ok', message: `Telegram posts to ${HOOK}` },
    ])
    await set('', SECRET)
  })

  test('finds that Telegram could not post lately, and says why and what must be', async () => {
    const PUBLIC_URL = 'http://127.0.0.1:9'
    const examined = () =>
      telegramAdapter({
        variables: {
          TELEGRAM_BOT_TOKEN: TOKEN,
          TELEGRAM_API_ROOT: server.url,
          TELEGRAM_WEBHOOK_SECRET: SECRET,
        },
        publicUrl: () => PUBLIC_URL,
        say: () => undefined,
      }).check?.()
    await set(`${PUBLIC_URL}/hooks/telegram`, SECRET)
    server.inject({ channel_post: { message_id: 1 } })
    const [, found] = await until('trouble', examined, findings => findings?.at(-1)?.status === 'warn')
    expect(found).toMatchObject({
      message: 'Telegram could not post lately: Connection refused',
      remedy: expect.stringContaining('must be reachable over https on port 443, 80, 88 or 8443'),
    })
    await set('', SECRET)
  })
  const only = (finding: { status?: string; message?: RegExp }) => ({
    ...finding,
    ...(finding.message && { message: expect.stringMatching(finding.message) }),
  })
})

describe('the log', () => {
  let dir: string
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'lane-telegram-'))
  })
  afterAll(() => {
    rmSync(dir, { recursive: true, force: true })
  })

  test('[LANE-048] never holds a handle, a token, an account or a word, whatever goes wrong', async () => {
    const config = join(dir, 'people.yaml')
    writeFileSync(config, CONFIG)
    const lane = running(
      await spawnLane(dir, {
        env: { LANE_CONFIG: config, TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: server.url },
      }),
    )
    try {
      server.faults.next('sendMessage', { kind: 'page' })
      const run = { run_id: 'run-1', mood: 'DEFERENTIAL' }
      await lane.call('POST', '/v1/requests', { request: question('logged'), run, recipients: ['owner'] })
      const card = await until('a card', async () => server.shown(OWNER)[0])
      const rows = card.reply_markup?.inline_keyboard as { callback_data: string }[][]
      const data = rows[0]?.[0]?.callback_data ?? ''
      server.faults.next('answerCallbackQuery', { kind: 'page' }, { kind: 'reset' })
      server.faults.next('editMessageText', { kind: 'page' })
      server.faults.next('getUpdates', { kind: 'page' })
      await server.write(OWNER, 'words that nobody logs', below(card))
      await server.press(STRANGER, data, on(card))
      await server.press(OWNER, data, on(card))
      await until('it is closed', async () => {
        const { json } = await lane.call('GET', '/v1/requests/logged')
        const [delivery] = json.deliveries as { state: string }[]
        return delivery?.state === 'closed'
      })
      const log = lane.stderr() + lane.stdout()
      expect(log).toContain('telegram_broken')
      const handle = data.split(':')[0] ?? ''
      const secrets = [
        handle,
        handle.toUpperCase(),
        TOKEN,
        TOKEN.split(':')[1] ?? '',
        'words that nobody logs',
      ]
      for (const secret of secrets) expect(log.includes(secret)).toBe(false)
      expect(log).not.toMatch(new RegExp(`\\b(?:${OWNER}|${STRANGER})\\b`))
    } finally {
      await lane.kill()
    }
  })
})
