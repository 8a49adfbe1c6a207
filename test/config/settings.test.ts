import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PERMISSIONS } from '../../src/config/plain-text.js'
import {
  CHANNEL_VARIABLES,
  configuredChannels,
  defaultUrl,
  halfConfigured,
  type Settings,
  settings,
} from '../../src/config/settings.js'

const EXAMPLE = new URL('../../.env.example', import.meta.url)
const KEY = 'k'.repeat(24)
const WEBHOOK = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

function read(env: Record<string, string | undefined>): Settings {
  const result = settings(env)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.settings
}
function problems(env: Record<string, string>) {
  const result = settings(env)
  return result.ok ? [] : result.problems
}

describe('an empty environment', () => {
  const defaults = {
    host: '127.0.0.1',
    port: 8787,
    publicUrl: 'http://127.0.0.1:8787',
    publicUrlGiven: false,
    trustProxy: false,
    logLevel: 'info',
    configFile: 'config/lane.yaml',
    dataDir: 'data',
    secret: null,
    apiKey: null,
    laneUrl: 'http://127.0.0.1:8787',
    profile: 'embedded',
    databaseUrl: null,
    redisUrl: null,
    webhookSecrets: null,
    oidc: null,
    channelVariables: {},
    plainText: [],
  }
  it('runs the whole product on this machine', () => {
    expect(read({})).toEqual(defaults)
    expect(configuredChannels(read({}))).toEqual(['web'])
  })
  it('is the same as one of empty values', () => {
    expect(
      read({ HOST: '', PORT: ' ', LANE_API_KEY: '', SLACK_BOT_TOKEN: '', DATABASE_URL: undefined }),
    ).toEqual(defaults)
  })
  it('is what .env.example is until something is uncommented', async () => {
    expect(parseEnv(await readFile(EXAMPLE, 'utf8'))).toEqual({})
  })
})

describe('.env.example', () => {
  it('names every variable once, and every example value in it is accepted', async () => {
    const text = await readFile(EXAMPLE, 'utf8')
    const uncommented = text.replace(/^#([A-Z_]+=)/gm, '$1')
    const names = [...uncommented.matchAll(/^([A-Z_]+)=/gm)].map(match => match[1])
    const general = ['HOST', 'PORT', 'PUBLIC_URL', 'TRUST_PROXY', 'LOG_LEVEL', 'LANE_CONFIG', 'LANE_DATA_DIR']
    const secret = [
      'LANE_SECRET',
      'LANE_API_KEY',
      'LANE_URL',
      'DATABASE_URL',
      'REDIS_URL',
      'LANE_WEBHOOK_SECRET',
      'OIDC_ISSUER',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
    ]
    // Of the composition, and of the command line.
    const composed = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'LANE_RUN_ID']
    const all = [...general, ...secret, ...composed, ...CHANNEL_VARIABLES, ...PERMISSIONS]
    expect([...names].sort()).toEqual(all.sort())
    expect(problems({ ...(parseEnv(uncommented) as Record<string, string>), LANE_SECRET: KEY })).toEqual([])
  })
})

describe('a wrong value is named with what would be accepted', () => {
  it.each([
    ['HOST', 'my host', 'an IP address or a host name'],
    ['HOST', 'http://x', 'an IP address or a host name'],
    ['PORT', '65536', 'an integer from 0 to 65535'],
    ['PORT', '80a', 'an integer from 0 to 65535'],
    ['PORT', '-1', 'an integer from 0 to 65535'],
    ['PUBLIC_URL', 'lane.example.org', 'an http or https address'],
    ['PUBLIC_URL', 'ftp://lane.example.org', 'an http or https address'],
    ['PUBLIC_URL', 'https://lane.example.org/', 'without a final slash'],
    ['PUBLIC_URL', 'https://lane.example.org/sub/', 'without a final slash'],
    ['PUBLIC_URL', 'https://lane.example.org?x=1', 'query'],
    ['PUBLIC_URL', 'https://lane.example.org/#x', 'query'],
    ['PUBLIC_URL', 'https://a:b@lane.example.org', 'credentials'],
    ['PUBLIC_URL', 'https:lane.example.org', 'an http or https address'],
    ['LANE_URL', 'http://127.0.0.1:8787/', 'without a final slash'],
    ['TRUST_PROXY', '0', 'a number of hops from 1 to 10'],
    ['TRUST_PROXY', '10.0.0.0/33', 'IP addresses and networks'],
    ['TRUST_PROXY', 'yes', 'true, false'],
    ['LOG_LEVEL', 'verbose', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['LANE_SECRET', 'short-secret', 'at least 24 characters'],
    ['LANE_API_KEY', 'k'.repeat(23), 'at least 24 characters'],
    ['LANE_API_KEY', `${KEY} ${KEY}`, 'at least 24 characters of A-Z'],
    ['LANE_WEBHOOK_SECRET', 'k'.repeat(40), 'whsec_'],
    ['LANE_WEBHOOK_SECRET', `whsec_${Buffer.alloc(23, 7).toString('base64')}`, '24 to 64 random bytes'],
    ['LANE_WEBHOOK_SECRET', `whsec_${Buffer.alloc(65, 7).toString('base64')}`, '24 to 64 random bytes'],
    ['LANE_WEBHOOK_SECRET', `whsec_${'not base64 at all, though long'}`, 'in base64'],
    ['LANE_WEBHOOK_SECRET', `${WEBHOOK} ${WEBHOOK} ${WEBHOOK}`, '2 of them'],
    ['LANE_WEBHOOK_SECRET', `${WEBHOOK} whsec_short`, '24 to 64 random bytes'],
  ])('%s=%s', (variable, value, words) => {
    const found = problems({ [variable]: value })
    expect(found).toEqual([{ variable, message: expect.stringContaining(`${variable} must be `) }])
    expect(found[0]?.message).toContain(words)
  })

  it('and never repeated: most of these are secrets', () => {
    for (const variable of [
      'LANE_SECRET',
      'LANE_API_KEY',
      'LANE_WEBHOOK_SECRET',
      'DATABASE_URL',
      'PUBLIC_URL',
    ]) {
      expect(JSON.stringify(problems({ [variable]: 'hunter2!' }))).not.toContain('hunter2')
    }
  })
})

describe('the provider that people sign in with', () => {
  const whole = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'lane', OIDC_CLIENT_SECRET: 's' }
  it('is whole, or none', () => {
    expect(read({}).oidc).toBeNull()
    expect(read(whole).oidc).toEqual({
      issuer: whole.OIDC_ISSUER,
      clientId: 'lane',
      clientSecret: 's',
    })
    expect(problems({ OIDC_ISSUER: whole.OIDC_ISSUER }).map(({ variable }) => variable)).toEqual([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
    ])
  })

  it.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/Organizations/v2.0',
    'https://login.microsoftonline.com/{tenantid}/v2.0',
    'https://*.example.org',
    'http://login.example.org',
    'https://user@login.example.org',
    'https://login.example.org?a=b',
    'login.example.org',
  ])('is no issuer of many tenants, nor one that is read on the way: %s', OIDC_ISSUER => {
    expect(problems({ ...whole, OIDC_ISSUER }).map(({ variable }) => variable)).toEqual(['OIDC_ISSUER'])
  })
})

describe('what signs callbacks', () => {
  it('is read as bytes, one secret or the two of a change', () => {
    const newer = `whsec_${Buffer.alloc(64, 9).toString('base64')}`
    expect(read({ LANE_WEBHOOK_SECRET: WEBHOOK }).webhookSecrets).toEqual([Buffer.alloc(24, 7)])
    expect(read({ LANE_WEBHOOK_SECRET: `${WEBHOOK} ${newer}` }).webhookSecrets).toEqual([
      Buffer.alloc(24, 7),
      Buffer.alloc(64, 9),
    ])
  })
})

describe('how people reach it', () => {
  it.each([
    ['0.0.0.0', 'http://localhost:80'],
    ['::', 'http://localhost:80'],
    ['::1', 'http://[::1]:80'],
    ['lane.example.org', 'http://lane.example.org:80'],
  ])('listening on %s it is %s unless told otherwise', (host, url) => {
    expect(defaultUrl(host, 80)).toBe(url)
    expect(read({ HOST: host, PORT: '80' }).publicUrl).toBe(url)
  })
  it('a sub-path is kept', () => {
    const given = read({ PUBLIC_URL: 'https://example.org/ops/lane' })
    expect(given).toMatchObject({ publicUrl: 'https://example.org/ops/lane', publicUrlGiven: true })
  })
  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['127.0.0.1, 10.0.0.0/8,loopback', ['127.0.0.1', '10.0.0.0/8', 'loopback']],
    ['fd00::/8', ['fd00::/8']],
  ])('TRUST_PROXY=%s', (text, value) => {
    expect(read({ TRUST_PROXY: text }).trustProxy).toEqual(value)
  })
})

describe('the cluster profile', () => {
  const whole = {
    DATABASE_URL: 'postgres://lane:pw@db/lane?sslmode=verify-full',
    REDIS_URL: 'rediss://redis:6379',
    LANE_SECRET: KEY,
  }
  it('is chosen by its database', () => {
    expect(read(whole)).toMatchObject({ profile: 'cluster', databaseUrl: whole.DATABASE_URL, secret: KEY })
  })
  it.each(['REDIS_URL', 'LANE_SECRET', 'DATABASE_URL'])('is not started by half: without %s', variable => {
    const half = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== variable))
    expect(problems(half).map(problem => problem.variable)).toEqual([variable])
  })
  it('takes postgres and redis addresses only', () => {
    expect(problems({ ...whole, DATABASE_URL: 'mysql://db/lane' })).toMatchObject([
      { variable: 'DATABASE_URL' },
    ])
    for (const REDIS_URL of ['http://redis', 'rediss://redis/abc', 'rediss://redis/1/2'])
      expect(problems({ ...whole, REDIS_URL })).toMatchObject([{ variable: 'REDIS_URL' }])
    expect(problems({ ...whole, REDIS_URL: 'rediss://redis:6379/2' })).toEqual([])
  })
})

describe('an address on another machine that is spoken to in plain text', () => {
  const cluster = { DATABASE_URL: 'postgres:///lane', REDIS_URL: 'redis://localhost', LANE_SECRET: KEY }

  it.each([
    ['DATABASE_URL', 'postgres://lane:pw@db.example.org/lane'],
    ['DATABASE_URL', 'postgres://lane@127.0.0.1/lane?host=db.example.org'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?sslmode=disable'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?sslmode=verify-full&sslmode=disable'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?sslmode=no-verify'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?sslmode=require&uselibpqcompat=true'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?ssl=0'],
    ['REDIS_URL', 'redis://redis.example.org:6379'],
    ['REDIS_URL', 'redis://[2001:db8::1]'],
    ['REDIS_URL', 'rediss://redis.example.org:6379?tls='],
    ['REDIS_URL', 'rediss://redis.example.org:6379?family=6&tls=false'],
    ['REDIS_URL', 'redis://localhost?sentinels=redis.example.org&name=a'],
    ['SLACK_API_URL', 'http://slack.example.org/api/'],
    ['TELEGRAM_API_ROOT', 'http://telegram.example.org'],
    ['TELEGRAM_API_ROOT', 'http://127.0.0.1.example.org'],
    ['SMS_API_URL', 'http://10.0.0.1/api'],
  ])('does not start a lane: %s=%s', (variable, address) => {
    const env = { ...cluster, [variable]: address }
    const said = expect.stringContaining(`or set ${variable}_INSECURE=1`)
    expect(problems(env)).toMatchObject([{ variable, message: said }])
    expect(problems({ ...env, [`${variable}_INSECURE`]: 'yes' })).toMatchObject([
      { variable: `${variable}_INSECURE` },
      { variable },
    ])
    expect(read({ ...env, [`${variable}_INSECURE`]: '1' }).plainText).toEqual([variable])
  })

  it('is not what PGHOST hides behind an address without a host', () => {
    expect(problems({ ...cluster, PGHOST: 'db.example.org' })).toMatchObject([{ variable: 'DATABASE_URL' }])
  })

  it('is permitted one by one: the word for one address says nothing of another', () => {
    const env = { ...cluster, REDIS_URL: 'redis://redis.example.org', DATABASE_URL_INSECURE: '1' }
    expect(problems(env)).toMatchObject([{ variable: 'REDIS_URL' }])
  })

  it.each([
    ['DATABASE_URL', 'postgres:///lane?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres://lane@%2Fvar%2Frun%2Fpostgresql/lane'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://db.example.org/lane?ssl=true'],
    ['DATABASE_URL', 'postgres://[::1]/lane'],
    ['REDIS_URL', 'rediss://redis.example.org:6379'],
    ['REDIS_URL', 'redis://127.0.0.2:6379'],
    ['SLACK_API_URL', 'https://slack.example.org/api/'],
    ['SLACK_API_URL', 'http://localhost:3000/api/'],
  ])('is not this: %s=%s', (variable, address) => {
    expect(read({ ...cluster, [variable]: address }).plainText).toEqual([])
  })
})

describe('a channel is configured when nothing it needs is missing', () => {
  it.each([
    ['slack', { SLACK_BOT_TOKEN: 'x', SLACK_SIGNING_SECRET: 'y' }],
    ['slack', { SLACK_BOT_TOKEN: 'x', SLACK_APP_TOKEN: 'y' }],
    ['email', { SMTP_URL: 'smtp://x', EMAIL_FROM: 'a@example.org', IMAP_URL: 'imaps://x' }],
    ['email', { SMTP_URL: 'smtp://x', EMAIL_FROM: 'a@example.org', EMAIL_WEBHOOK_SECRET: 'x' }],
    ['telegram', { TELEGRAM_BOT_TOKEN: 'x' }],
    ['sms', { SMS_ACCOUNT_SID: 'x', SMS_AUTH_TOKEN: 'y', SMS_FROM: '+1' }],
  ])('%s with %j', (channel, variables) => {
    expect(configuredChannels(read(variables))).toEqual([channel, 'web'])
    for (const lacking of Object.keys(variables)) {
      expect(configuredChannels(read({ ...variables, [lacking]: undefined }))).toEqual(['web'])
    }
  })
  it.each([
    ['slack', 'SLACK_BOT_TOKEN', ['SLACK_SIGNING_SECRET or SLACK_APP_TOKEN']],
    ['slack', 'SLACK_APP_TOKEN', ['SLACK_BOT_TOKEN']],
    ['slack', 'SLACK_SIGNING_SECRET', ['SLACK_BOT_TOKEN']],
    ['email', 'SMTP_URL', ['EMAIL_FROM', 'IMAP_URL or EMAIL_WEBHOOK_SECRET']],
    ['email', 'EMAIL_FROM', ['SMTP_URL', 'IMAP_URL or EMAIL_WEBHOOK_SECRET']],
    ['email', 'IMAP_URL', ['SMTP_URL', 'EMAIL_FROM']],
    ['telegram', 'TELEGRAM_WEBHOOK_SECRET', ['TELEGRAM_BOT_TOKEN']],
    ['sms', 'SMS_ACCOUNT_SID', ['SMS_AUTH_TOKEN', 'SMS_FROM']],
  ])('%s with %s alone is half configured, and lacks %j', (channel, variable, missing) => {
    expect(halfConfigured(read({ [variable]: 'x' }))).toEqual([{ channel, given: [variable], missing }])
  })
  it('every variable of a channel, given alone, starts it or makes it half configured', () => {
    for (const variable of CHANNEL_VARIABLES) {
      const given = read({ [variable]: 'x' })
      const noticed = configuredChannels(given).length - 1 + halfConfigured(given).length
      expect([variable, noticed]).toEqual([variable, 1])
    }
  })
  it('a channel without any of its variables is not half configured', () => {
    expect(halfConfigured(read({}))).toEqual([])
    expect(halfConfigured(read({ TELEGRAM_BOT_TOKEN: 'x', TELEGRAM_API_ROOT: 'y' }))).toEqual([])
  })
  it('its variables are kept as they are', () => {
    expect(read({ SLACK_BOT_TOKEN: 'xoxb-1', OTHER: 'x' }).channelVariables).toEqual({
      SLACK_BOT_TOKEN: 'xoxb-1',
    })
  })
})
