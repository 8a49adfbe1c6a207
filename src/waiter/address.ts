// The addresses a callback may go to. A caller names the URL, and the lane stands inside a network the caller may not
// reach: so nothing inward is called unless the operator's `callbacks.allow` names it.
//
// WA1  The text is judged when the request is opened and again at each attempt: scheme, port, host, and an address
//      that is written out.
// WA2  Each address a name resolves to is judged again when it is connected to; only a
//      judged address is connected to.
// WA3  An address not known to be outward is inward: for IPv6 only global unicast counts as outward.
// WA4  One spelling: `0x7f.1`, `2130706433` and `[::ffff:1.2.3.4]` are refused, inward or not.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** The longest URL that common servers and proxies still take; a longer one carries a payload. */
export const MAX_URL_CHARS = 2_048
/** The ports of public webhook receivers; other ports belong to protocols that HTTP could be smuggled into. */
const PORTS = ['', '443', '8443']

export const URL_WORDS =
  `an https address of at most ${MAX_URL_CHARS} visible ASCII characters, on port 443 or 8443, without credentials ` +
  'and fragment, whose host is public and written in its usual form; other ones only where callbacks.allow names the host'

/** IANA's special-purpose addresses, and those by which clouds tell their machines secrets. */
const INWARD_V4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (CGNAT); one cloud's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's own agent endpoint, the one that is not in a special range
  ['169.254.0.0', 16], // link-local; most clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; one cloud's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]
/** Outside global unicast everything is inward: loopback, ULA, link-local, IPv4-mapped, NAT64 (64:ff9b::), multicast. */
const GLOBAL_V6 = ['2000::', 3] as const
/** Networks inside it that lead elsewhere: a tunnel's address hides an IPv4 address. */
const INWARD_V6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments, Teredo, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

const inwardV4 = new BlockList()
for (const [network, bits] of INWARD_V4) inwardV4.addSubnet(network, bits, 'ipv4')
const globalV6 = new BlockList()
globalV6.addSubnet(...GLOBAL_V6, 'ipv6')
const inwardV6 = new BlockList()
for (const [network, bits] of INWARD_V6) inwardV6.addSubnet(network, bits, 'ipv6')

/** WA3. A text that is no IP address at all is inward too. */
export function isInward(address: string): boolean {
  if (isIP(address) === 4) return inwardV4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return true
  return !globalV6.check(address, 'ipv6') || inwardV6.check(address, 'ipv6')
}

/** Names that only mean something inside: reserved ones, usual ones, and any without a dot. */
const INWARD_NAME =
  /^[^.]*$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|svc|home\.arpa)$/

export type Allowance = { readonly names: ReadonlySet<string>; readonly networks: BlockList }

const NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/
export const ALLOWED_WORDS = 'a host name in lower case, an IP address, or a network such as 10.1.0.0/16'

export function isAllowable(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  if (isIP(address) === 0) return bits === undefined && NAME.test(text) && !/(?:^|\.)[0-9]+$/.test(text)
  const widest = isIPv6(address) ? 128 : 32
  return rest.length === 0 && (bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= widest))
}

/** Reads `callbacks.allow`, each of which isAllowable. */
export function allowanceOf(entries: readonly string[]): Allowance {
  const names = new Set<string>()
  const networks = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (isIP(address) === 0) names.add(entry)
    else if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return { names, networks }
}

/** WA2: whether this address may be connected to for this host. */
export function mayConnect(host: string, address: string, { names, networks }: Allowance): boolean {
  if (isIP(address) === 0) return false
  return names.has(host) || networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') || !isInward(address)
}

/** The host as rules and resolvers know it: without the brackets of an IPv6 address and without a final dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$|\.$/g, '')

/** WA1 and WA4: whether a callback may be asked for at this URL. */
export function isCallable(text: string, allow: Allowance): boolean {
  const authority = /^https?:\/\/([^/?#\\@]+)(?:[/?]|$)/.exec(text)?.[1]
  if (authority === undefined || text.length > MAX_URL_CHARS || !/^[\x21-\x7e]+$/.test(text)) return false
  if (!URL.canParse(text) || text.includes('#') || text.includes('\\')) return false
  const url = new URL(text)
  if (!isUsualForm(authority.toLowerCase(), url)) return false
  const host = hostOf(url)
  if (isAllowed(host, allow)) return true
  if (url.protocol !== 'https:' || !PORTS.includes(url.port)) return false
  return isIP(host) === 0 ? !INWARD_NAME.test(host) : !isInward(host)
}

/** The parser gives back the text as written: it has read no number, escape or letter as something else. */
const isUsualForm = (authority: string, { host, port, protocol }: URL): boolean =>
  authority === host || (port === '' && authority === `${host}:${protocol === 'https:' ? 443 : 80}`)

function isAllowed(host: string, { names, networks }: Allowance): boolean {
  if (names.has(host)) return true
  return isIP(host) !== 0 && networks.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}
