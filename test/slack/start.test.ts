// What the channel needs before it starts, and what the doctor says of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkScopes, checkUrl } from '../../adapters/slack/check.js'
import { slackAdapter } from '../../adapters/slack/index.js'
import type { Finding } from '../../src/adapter/contract.js'
import { startLane } from '../lane-under-test.js'
import { freePort } from '../port.js'
import {
  APP_TOKEN,
  amended,
  BOT_TOKEN,
  openWorkspace,
  refuses,
  SIGNING_SECRET,
  says,
  type Workspace,
} from './workspace.js'

const CONFIG = 'recipients: { owner: { name: Owner, slack: { team: T1, user: U1 } } }'

describe('a lane whose people are on Slack', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['without any variable', {}, /SLACK_BOT_TOKEN.*SLACK_SIGNING_SECRET or SLACK_APP_TOKEN/],
    ['without the bot token', { SLACK_SIGNING_SECRET: SIGNING_SECRET }, /SLACK_BOT_TOKEN/],
    ['without a way in', { SLACK_BOT_TOKEN: BOT_TOKEN }, /SLACK_SIGNING_SECRET or SLACK_APP_TOKEN/],
    [
      'with a user token',
      { SLACK_BOT_TOKEN: 'xoxp-mistaken', SLACK_SIGNING_SECRET: SIGNING_SECRET },
      /SLACK_BOT_TOKEN must be the bot token, which begins with xoxb-/,
    ],
    [
      'with a short secret',
      { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: 'mistaken' },
      /SLACK_SIGNING_SECRET must be the signing secret/,
    ],
    [
      'with a bot token for an app token',
      { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: 'xoxb-mistaken' },
      /SLACK_APP_TOKEN must be the app-level token/,
    ],
    [
      'with an address that is none',
      { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_API_URL: 'mistaken' },
      /SLACK_API_URL must be an http or https address/,
    ],
    [
      'with credentials in an address',
      {
        SLACK_BOT_TOKEN: BOT_TOKEN,
        SLACK_SIGNING_SECRET: SIGNING_SECRET,
        SLACK_API_URL: 'https://u:mistaken@slack.example.org/api/',
      },
      /SLACK_API_URL must be an http or https address without credentials/,
    ],
  ])('%s does not start, says which is wrong, and repeats no value', async (_name, env, words) => {
    const error = await startLane({ config: CONFIG, env }).then(
      lane => lane.close(),
      (reason: Error) => reason.message,
    )
    expect(error).toMatch(words)
    expect(error).not.toContain('mistaken')
  })

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['the signing secret', { SLACK_SIGNING_SECRET: SIGNING_SECRET }, ['receive']],
    ['the app token', { SLACK_APP_TOKEN: APP_TOKEN }, ['listen']],
    ['both', { SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_APP_TOKEN: APP_TOKEN }, ['receive', 'listen']],
  ])('hears by what %s opens', (_name, variables, ways) => {
    const adapter = slackAdapter({
      variables: { SLACK_BOT_TOKEN: BOT_TOKEN, ...variables },
      publicUrl: () => 'https://lane.example.org',
      say: () => undefined,
    })
    expect(['receive', 'listen'].filter(way => way in adapter)).toEqual(ways)
  })

  test('starts though Slack cannot be reached: the lane depends on it for nothing else', async () => {
    const env = {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: `http://127.0.0.1:${await freePort()}/api/`,
    }
    const lane = await startLane({ config: CONFIG, env })
    expect((await lane.call('GET', '/healthz', { key: null })).status).toBe(200)
    await lane.close()
  })
})

describe('the doctor', () => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace()
  })
  afterAll(() => workspace.close())
  const SCOPES = 'chat:write,im:write,im:history,users:read,channels:history,groups:history'
  const examine = async (variables: Record<string, string>, publicUrl = 'https://lane.example.org') => {
    const adapter = slackAdapter({
      variables: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_API_URL: workspace.apiUrl, ...variables },
      publicUrl: () => publicUrl,
      say: () => undefined,
    })
    return (await adapter.check?.()) ?? []
  }
  const statuses = (findings: readonly Finding[]) => findings.map(({ status }) => status)

  test('finds a lane by webhooks well: token, scopes, and the address Slack is to be given', async () => {
    workspace.will(
      'auth.test',
      amended(() => undefined, { 'x-oauth-scopes': SCOPES }),
    )
    const findings = await examine({ SLACK_SIGNING_SECRET: SIGNING_SECRET })
    expect(statuses(findings)).toEqual(['ok', 'ok', 'ok'])
    expect(findings[0]?.message).toMatch(/people there have team: T000000001$/)
    expect(findings.at(-1)?.message).toContain('https://lane.example.org/hooks/slack')
  })

  test('finds a lane in Socket Mode well, without an address', async () => {
    workspace.will(
      'auth.test',
      amended(() => undefined, { 'x-oauth-scopes': SCOPES }),
    )
    workspace.will('apps.connections.open', says({ ok: true, url: 'ws://127.0.0.1:1/' }))
    const findings = await examine({ SLACK_APP_TOKEN: APP_TOKEN }, 'http://127.0.0.1:8787')
    expect(statuses(findings)).toEqual(['ok', 'ok', 'ok'])
  })

  test('names a token that Slack refuses, and what to do', async () => {
    workspace.will('auth.test', refuses('invalid_auth'))
    expect(await examine({ SLACK_SIGNING_SECRET: SIGNING_SECRET })).toEqual([
      expect.objectContaining({
        status: 'fail',
        message: 'the bot token could not be used: invalid_auth',
        remedy: expect.stringMatching(/SLACK_BOT_TOKEN/),
      }),
    ])
  })

  test('says of a Slack that cannot be reached what to see to', async () => {
    const SLACK_API_URL = `http://127.0.0.1:${await freePort()}/api/`
    expect(await examine({ SLACK_SIGNING_SECRET: SIGNING_SECRET, SLACK_API_URL })).toEqual([
      expect.objectContaining({
        status: 'fail',
        message: 'the bot token could not be used: unreachable',
        remedy: 'see that slack.com can be reached from this machine',
      }),
    ])
  })

  test('names an app token without its scope', async () => {
    workspace.will('apps.connections.open', refuses('missing_scope'))
    const findings = await examine({ SLACK_APP_TOKEN: APP_TOKEN })
    expect(findings.at(-1)).toMatchObject({
      status: 'fail',
      remedy: expect.stringMatching(/connections:write/),
    })
  })

  test('names each scope that is missing and what it is for', () => {
    expect(checkScopes(['chat:write', 'im:write', 'users:read'])).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/^the token lacks im:history to read replies in threads/),
    })
    expect(checkScopes(['chat:write', 'im:write', 'im:history', 'users:read'])).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/channels:history, groups:history/),
    })
    expect(checkScopes(null)).toMatchObject({ status: 'warn' })
  })

  test.each([
    ['http://lane.example.org', 'fail'],
    ['https://localhost:8787', 'fail'],
    ['https://lane.example.org/sub', 'ok'],
  ])('says whether Slack could deliver to %s', (url, status) =>
    expect(checkUrl(url)).toMatchObject({ status }),
  )
})
