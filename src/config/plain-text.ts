// Addresses that would be spoken to in plain text over a network. Anybody on the way can read tokens and answers
// there, and change them: such an address is taken only if the operator says that the network is theirs. Mail needs
// no such permission, because it is never handed over unencrypted elsewhere.
import { isLoopback } from './loopback.js'

/** The value of a variable as the operator has written it, trimmed; null if it is absent. */
type Given = (variable: string) => string | null
/** The address is read as its driver reads it; one that cannot be read is refused elsewhere. */
type Judge = (url: URL, given: Given) => boolean

const last = (url: URL, name: string): string | null => url.searchParams.getAll(name).at(-1) ?? null

/** As the pg driver reads it: the last of doubled options counts, and a host that is a path is a socket. */
const isPlainDatabase: Judge = (url, given) => {
  if (!/^postgres(?:ql)?:$/.test(url.protocol)) return false
  const host = last(url, 'host') || decodeURIComponent(url.hostname) || given('PGHOST') || 'localhost'
  return !host.startsWith('/') && !isLoopback(host) && !isVerified(url)
}

/** Encrypted, and with the intended server: a client that takes any certificate talks to anybody. */
function isVerified(url: URL): boolean {
  const mode = last(url, 'sslmode')
  if (mode === null) return ['true', '1'].includes(last(url, 'ssl') ?? '')
  if (mode === 'verify-full' || mode === 'verify-ca') return true
  return (mode === 'require' || mode === 'prefer') && last(url, 'uselibpqcompat') !== 'true'
}

/** The driver reads options of its own behind the address: one turns encryption off (`rediss://host?tls=`), one names
 *  other machines. */
const isPlainRedis: Judge = url => {
  if (!/^rediss?:$/.test(url.protocol)) return false
  const isTls = url.protocol === 'rediss:' && !url.searchParams.has('tls')
  const isElsewhere = !isLoopback(url.hostname || last(url, 'host') || 'localhost')
  return (isElsewhere && !isTls) || url.searchParams.has('sentinels')
}

const isPlainHttp: Judge = url => url.protocol === 'http:' && !isLoopback(url.hostname)

const ADDRESSES: Readonly<Record<string, readonly [isPlain: Judge, remedy: string]>> = {
  DATABASE_URL: [isPlainDatabase, 'add ?sslmode=verify-full'],
  REDIS_URL: [isPlainRedis, 'use rediss:// without tls or sentinels behind it'],
  SLACK_API_URL: [isPlainHttp, 'use https://'],
  TELEGRAM_API_ROOT: [isPlainHttp, 'use https://'],
  SMS_API_URL: [isPlainHttp, 'use https://'],
}

const permissionFor = (variable: string): string => `${variable}_INSECURE`
export const PERMISSIONS = Object.keys(ADDRESSES).map(permissionFor)

type PlainText = {
  readonly variable: string
  /** Whether the operator has said that this network is theirs. */
  readonly permitted: boolean
  readonly message: string
}

export function plainTextIn(given: Given): readonly PlainText[] {
  return Object.entries(ADDRESSES).flatMap(([variable, [isPlain, remedy]]) => {
    const text = given(variable)
    if (text === null || !URL.canParse(text) || !isPlain(new URL(text), given)) return []
    const permission = permissionFor(variable)
    const seen = `${variable} leads to another machine, and what is said there is not encrypted for it alone`
    const message = `${seen}: ${remedy}, or set ${permission}=1 where the network between is yours`
    return [{ variable, permitted: given(permission) === '1', message }]
  })
}

/** A value that is not understood must neither pass for a permission nor be ignored. */
export const mistakenPermissions = (given: Given): readonly string[] =>
  PERMISSIONS.filter(permission => (given(permission) ?? '1') !== '1')
