// The settings from the environment: secrets and addresses. Pure: the variables come in as a record. A wrong value is
// named with what would be accepted and never repeated, because most of these values are secrets.
import { isIP } from 'node:net'
import { CHANNELS, type Channel } from '../request/channel.js'
import { readSecrets, SECRETS_WORDS } from '../waiter/signature.js'
import { ISSUER_WORDS, issuerOf, OIDC_VARIABLES, type OidcSettings } from './oidc.js'
import { mistakenPermissions, plainTextIn } from './plain-text.js'

/** Fewer characters could be guessed offline. */
export const MIN_SECRET_CHARS = 24

export const USUAL_CONFIG_FILE = 'config/lane.yaml'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** Kept as they are: each adapter knows the meaning of its own. */
export const CHANNEL_VARIABLES = [
  'SLACK_BOT_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_APP_TOKEN',
  'SLACK_API_URL',
  'SMTP_URL',
  'IMAP_URL',
  'EMAIL_FROM',
  'EMAIL_REPLY_TO',
  'EMAIL_AUTHSERV_ID',
  'EMAIL_WEBHOOK_SECRET',
  'TELEGRAM_BOT_TOKEN',
  'TELEGRAM_WEBHOOK_SECRET',
  'TELEGRAM_API_ROOT',
  'SMS_ACCOUNT_SID',
  'SMS_AUTH_TOKEN',
  'SMS_FROM',
  'SMS_API_URL',
] as const
type ChannelVariable = (typeof CHANNEL_VARIABLES)[number]

export type Settings = {
  readonly host: string
  /** 0 lets the system choose; `defaultUrl` then gives the address that was chosen. */
  readonly port: number
  readonly publicUrl: string
  /** False where `publicUrl` was derived from host and port. */
  readonly publicUrlGiven: boolean
  /** As Fastify reads it: nobody, everybody, so many hops, or these addresses. */
  readonly trustProxy: boolean | number | readonly string[]
  readonly logLevel: LogLevel
  readonly configFile: string
  readonly dataDir: string
  readonly secret: string | null
  readonly apiKey: string | null
  readonly laneUrl: string
  readonly profile: 'embedded' | 'cluster'
  readonly databaseUrl: string | null
  readonly redisUrl: string | null
  /** The secrets that callbacks are signed with, in any order; null where nobody is called. */
  readonly webhookSecrets: readonly Uint8Array[] | null
  /** The provider that people sign in with; null where there is none. */
  readonly oidc: OidcSettings | null
  readonly channelVariables: Readonly<Partial<Record<ChannelVariable, string>>>
  /** The variables whose addresses are spoken to in plain text, because the operator said that
   *  the network is theirs. */
  readonly plainText: readonly string[]
}

type SettingProblem = { readonly variable: string; readonly message: string }
type ReadSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] }
export type Environment = Readonly<Record<string, string | undefined>>

/** An address that only means "everywhere here" is of no use to people: they find us on this machine. */
export function defaultUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : isIP(host) === 6 ? `[${host}]` : host
  return `http://${name}:${port}`
}

const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
const hostOf = (text: string): string | null => (isIP(text) !== 0 || HOST_NAME.test(text) ? text : null)

function portOf(text: string): number | null {
  return /^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null
}

const URL_WORDS = 'an http or https address without a final slash, query or credentials; a sub-path is fine'
function httpUrl(text: string): string | null {
  if (!URL.canParse(text) || /[\s?#@]|\/$/.test(text)) return null
  return /^https?:\/\/[^/]/.test(text) ? text : null
}

const urlOf =
  (...schemes: readonly string[]) =>
  (text: string): string | null =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol) ? text : null

/** The path of the address is the number of a database: the driver takes anything else for none, or for all. */
const redisUrlOf = (text: string): string | null =>
  URL.canParse(text) && /^\/?[0-9]*$/.test(new URL(text).pathname) ? urlOf('redis:', 'rediss:')(text) : null

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']
/** A longer chain of proxies is a mistake; trusting it would let a caller choose its own address. */
const MAX_HOPS = 10

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const widest = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || rest.length > 0) return PROXY_NAMES.includes(text)
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= widest)
}

function proxiesOf(text: string): boolean | number | readonly string[] | null {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^[0-9]+$/.test(text)) return Number(text) >= 1 && Number(text) <= MAX_HOPS ? Number(text) : null
  const networks = text.split(',').map(part => part.trim())
  return networks.every(isNetwork) ? networks : null
}

const levelOf = (text: string): LogLevel | null => LOG_LEVELS.find(level => level === text) ?? null
const secretOf = (text: string): string | null => (text.length >= MIN_SECRET_CHARS ? text : null)
/** A key that an Authorization header can carry (RFC 6750, token68). */
const apiKeyOf = (text: string): string | null =>
  /^[A-Za-z0-9._~+/-]+=*$/.test(text) ? secretOf(text) : null

export function settings(env: Environment): ReadSettings {
  const problems: SettingProblem[] = []
  const given = (variable: string): string | null => env[variable]?.trim() || null
  function read<T, D>(
    variable: string,
    parse: (text: string) => T | null,
    otherwise: D,
    words: string,
  ): T | D {
    const text = given(variable)
    if (text === null) return otherwise
    const value = parse(text)
    if (value !== null) return value
    problems.push({ variable, message: `${variable} must be ${words}` })
    return otherwise
  }

  const host = read('HOST', hostOf, '127.0.0.1', 'an IP address or a host name')
  const port = read('PORT', portOf, 8787, 'an integer from 0 to 65535')
  const proxyWords = `true, false, a number of hops from 1 to ${MAX_HOPS}, or IP addresses and networks with commas`
  const databaseUrl = read('DATABASE_URL', urlOf('postgres:', 'postgresql:'), null, 'a postgres:// address')
  const redisWords = 'a redis:// or rediss:// address, with /N for database N or nothing behind it'
  const redisUrl = read('REDIS_URL', redisUrlOf, null, redisWords)
  const issuer = read('OIDC_ISSUER', issuerOf, null, ISSUER_WORDS)
  const [clientId, clientSecret] = [given('OIDC_CLIENT_ID'), given('OIDC_CLIENT_SECRET')]
  const secretWords = `at least ${MIN_SECRET_CHARS} characters`
  const value: Settings = {
    host,
    port,
    publicUrl: read('PUBLIC_URL', httpUrl, defaultUrl(host, port), URL_WORDS),
    publicUrlGiven: given('PUBLIC_URL') !== null,
    trustProxy: read('TRUST_PROXY', proxiesOf, false, proxyWords),
    logLevel: read('LOG_LEVEL', levelOf, 'info', `one of ${LOG_LEVELS.join(', ')}`),
    configFile: given('LANE_CONFIG') ?? USUAL_CONFIG_FILE,
    dataDir: given('LANE_DATA_DIR') ?? 'data',
    secret: read('LANE_SECRET', secretOf, null, secretWords),
    apiKey: read('LANE_API_KEY', apiKeyOf, null, `${secretWords} of A-Z a-z 0-9 . _ ~ + / -`),
    laneUrl: read('LANE_URL', httpUrl, defaultUrl(host, port), URL_WORDS),
    profile: databaseUrl === null ? 'embedded' : 'cluster',
    databaseUrl,
    redisUrl,
    webhookSecrets: read('LANE_WEBHOOK_SECRET', readSecrets, null, SECRETS_WORDS),
    oidc: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : null,
    channelVariables: keep(given),
    plainText: plainTextIn(given).map(({ variable }) => variable),
  }
  problems.push(...missingTogether(given), ...unencrypted(given))
  return problems.length === 0 ? { ok: true, settings: value } : { ok: false, problems }
}

function keep(given: (variable: string) => string | null): Settings['channelVariables'] {
  const pairs = CHANNEL_VARIABLES.map(variable => [variable, given(variable)] as const)
  return Object.fromEntries(pairs.filter(([, text]) => text !== null))
}

/** Half a cluster would run as an embedded lane beside it, and ask everybody twice; half a provider signs nobody in. */
function missingTogether(given: (variable: string) => string | null): SettingProblem[] {
  const cluster = ['DATABASE_URL', 'REDIS_URL']
  const absent = (needed: readonly string[], where: readonly string[]): SettingProblem[] => {
    const present = where.filter(variable => given(variable) !== null)
    if (present.length === 0) return []
    return needed
      .filter(variable => given(variable) === null)
      .map(variable => ({ variable, message: `${variable} must be set where ${present.join(' and ')} is` }))
  }
  return [...absent([...cluster, 'LANE_SECRET'], cluster), ...absent(OIDC_VARIABLES, OIDC_VARIABLES)]
}

const unencrypted = (given: (variable: string) => string | null): SettingProblem[] => [
  ...mistakenPermissions(given).map(variable => ({ variable, message: `${variable} must be 1, or not set` })),
  ...plainTextIn(given).flatMap(({ variable, message, permitted }) =>
    permitted ? [] : [{ variable, message }],
  ),
]

/** The variables a channel cannot start without; one of several alternatives is enough. */
const NEEDED: Readonly<Record<Channel, readonly (readonly ChannelVariable[])[]>> = {
  slack: [['SLACK_BOT_TOKEN'], ['SLACK_SIGNING_SECRET', 'SLACK_APP_TOKEN']],
  email: [['SMTP_URL'], ['EMAIL_FROM'], ['IMAP_URL', 'EMAIL_WEBHOOK_SECRET']],
  telegram: [['TELEGRAM_BOT_TOKEN']],
  sms: [['SMS_ACCOUNT_SID'], ['SMS_AUTH_TOKEN'], ['SMS_FROM']],
  web: [],
}

/** The variables a channel still lacks, alternatives written "A or B". */
export const missingVariables = (channel: Channel, { channelVariables }: Settings): string[] =>
  NEEDED[channel]
    .filter(alternatives => alternatives.every(variable => channelVariables[variable] === undefined))
    .map(alternatives => alternatives.join(' or '))

/** The beginnings of the names of a channel's variables, including those it can start without. */
const BEGINNINGS: Readonly<Record<Channel, readonly string[]>> = {
  slack: ['SLACK_'],
  email: ['SMTP_', 'IMAP_', 'EMAIL_'],
  telegram: ['TELEGRAM_'],
  sms: ['SMS_'],
  web: [],
}

/** A channel somebody meant to have: some of its variables are given, and it cannot start with them. */
export type HalfConfigured = {
  readonly channel: Channel
  readonly given: readonly ChannelVariable[]
  /** Alternatives written "A or B". */
  readonly missing: readonly string[]
}

export const halfConfigured = (of: Settings): HalfConfigured[] =>
  CHANNELS.map(channel => ({
    channel,
    given: givenVariables(channel, of),
    missing: missingVariables(channel, of),
  })).filter(({ given, missing }) => given.length > 0 && missing.length > 0)

const givenVariables = (channel: Channel, { channelVariables }: Settings): ChannelVariable[] =>
  CHANNEL_VARIABLES.filter(
    variable =>
      channelVariables[variable] !== undefined &&
      BEGINNINGS[channel].some(beginning => variable.startsWith(beginning)),
  )

/** The channels a lane with these settings starts. */
export const configuredChannels = (of: Settings): Channel[] =>
  CHANNELS.filter(channel => missingVariables(channel, of).length === 0)
