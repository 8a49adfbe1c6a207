// Where a callback may go: the ways by which an inward address is dressed up as another, one a line.
import { describe, expect, test } from 'vitest'
import { allowanceOf, isAllowable, isCallable, isInward, mayConnect } from '../../src/waiter/address.js'

const NONE = allowanceOf([])

/** Refused before anything is resolved or connected to. */
const BYPASSES: readonly (readonly [how: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1/'],
  ['loopback further on', 'https://127.255.255.254/'],
  ['decimal loopback', 'https://2130706433/'],
  ['octal loopback', 'https://0177.0.0.1/'],
  ['one octal number', 'https://017700000001/'],
  ['hexadecimal loopback', 'https://0x7f000001/'],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/'],
  ['mixed parts', 'https://0x7f.1/'],
  ['parts left out', 'https://127.1/'],
  ['loopback with a final dot', 'https://127.0.0.1./'],
  ['full-width digits', 'https://１２７.０.０.１/'],
  ['circled digits', 'https://①②⑦.⓪.⓪.①/'],
  ['ideographic stops', 'https://127。0。0。1/'],
  ['escaped digits', 'https://%31%32%37.0.0.1/'],
  ['decimal that is public', 'https://134744072/'],
  ['this host', 'https://0.0.0.0/'],
  ['nothing but zero', 'https://0/'],
  ['private 10', 'https://10.0.0.1/'],
  ['private 172.16', 'https://172.16.0.1/'],
  ['private 172.31', 'https://172.31.255.255/'],
  ['private 192.168', 'https://192.168.1.1/'],
  ['carrier shared', 'https://100.64.0.1/'],
  ['link-local', 'https://169.254.1.1/'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['decimal metadata', 'https://2852039166/'],
  ['metadata in shared space', 'https://100.100.100.200/'],
  ['metadata among assignments', 'https://192.0.0.192/'],
  ['a cloud agent', 'https://168.63.129.16/'],
  ['benchmark', 'https://198.18.0.1/'],
  ['documentation', 'https://192.0.2.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['reserved', 'https://240.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['IPv6 loopback', 'https://[::1]/'],
  ['IPv6 loopback, spelt out', 'https://[0:0:0:0:0:0:0:1]/'],
  ['IPv6 unspecified', 'https://[::]/'],
  ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped in hex', 'https://[::ffff:7f00:1]/'],
  ['IPv4-mapped metadata', 'https://[::ffff:a9fe:a9fe]/'],
  ['IPv4-mapped public', 'https://[::ffff:808:808]/'],
  ['IPv4-compatible', 'https://[::7f00:1]/'],
  ['NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['local NAT64', 'https://[64:ff9b:1::7f00:1]/'],
  ['6to4', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:7f00:1::]/'],
  ['unique local', 'https://[fd00::1]/'],
  ['metadata over IPv6', 'https://[fd00:ec2::254]/'],
  ['link-local IPv6', 'https://[fe80::1]/'],
  ['link-local with a zone', 'https://[fe80::1%25eth0]/'],
  ['site-local', 'https://[fec0::1]/'],
  ['multicast IPv6', 'https://[ff02::1]/'],
  ['documentation IPv6', 'https://[2001:db8::1]/'],
  ['localhost', 'https://localhost/'],
  ['localhost with a final dot', 'https://localhost./'],
  ['LOCALHOST', 'https://LOCALHOST/'],
  ['under localhost', 'https://a.localhost/'],
  ['localhost in full-width letters', 'https://ｌｏｃａｌｈｏｓｔ/'],
  ['a name of the machine', 'https://ip6-loopback/'],
  ['the metadata name', 'https://metadata/'],
  ['the metadata name of a cloud', 'https://metadata.google.internal/'],
  ['a name on the local link', 'https://printer.local/'],
  ['a name of the house', 'https://ledger.svc/'],
  ['a name of the home', 'https://nas.home.arpa/'],
  ['an intranet name', 'https://wiki/'],
  ['http', 'http://example.org/'],
  ['another scheme', 'ftp://example.org/'],
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['a gopher', 'gopher://127.0.0.1:6379/_SET'],
  ['an upper-case scheme', 'HTTPS://example.org/'],
  ['no scheme', 'example.org/cb'],
  ['a relative scheme', '//example.org/cb'],
  ['one slash', 'https:/example.org/'],
  ['three slashes', 'https:///example.org/'],
  ['backslashes', 'https:\\\\example.org\\'],
  ['a backslash before another host', 'https://example.org\\@127.0.0.1/'],
  ['credentials', 'https://user:pass@example.org/'],
  ['a user', 'https://user@example.org/'],
  ['an empty user', 'https://@example.org/'],
  ['a host that looks like a user', 'https://example.org@127.0.0.1/'],
  ['a fragment', 'https://example.org/#x'],
  ['an empty fragment', 'https://example.org/cb#'],
  ['a tab in the host', 'https://exam\tple.org/'],
  ['a line end', 'https://example.org/\r\nX: y'],
  ['a blank before', ' https://example.org/'],
  ['a letter of another script', 'https://exаmple.org/'],
  ['a letter of another script in the path', 'https://example.org/ä'],
  ['an escaped dot in the host', 'https://example%2eorg/'],
  ['the port of SSH', 'https://example.org:22/'],
  ['the port of Redis', 'https://example.org:6379/'],
  ['http on the port of https', 'http://example.org:443/'],
  ['a port that is none', 'https://example.org:99999/'],
  ['nothing', ''],
  ['too much', `https://example.org/${'a'.repeat(2_029)}`],
]

describe('what is refused at the door', () => {
  test.each(BYPASSES)('%s', (_, url) => {
    expect(isCallable(url, NONE)).toBe(false)
  })

  test('is a corpus of sixty and more, each different', () => {
    expect(new Set(BYPASSES.map(([, url]) => url)).size).toBeGreaterThanOrEqual(60)
  })
})

describe('what is taken', () => {
  test.each([
    ['https://example.org'],
    ['https://example.org/cb?token=a%20b&x=1'],
    ['https://example.org:443/cb'],
    ['https://example.org:8443/cb'],
    ['https://Example.ORG/cb'],
    ['https://example.org./cb'],
    ['https://xn--bcher-kva.example.org/cb'],
    ['https://8.8.8.8/cb'],
    ['https://[2606:4700:4700::1111]/cb'],
    [`https://example.org/${'a'.repeat(2_028)}`],
  ])('%s', url => {
    expect(isCallable(url, NONE)).toBe(true)
  })
})

describe('an address, wherever it comes from', () => {
  test.each([
    ['127.0.0.1'],
    ['100.127.255.255'],
    ['172.31.0.1'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['::ffff:8.8.8.8'],
    ['64:ff9b::a00:1'],
    ['fe80::1%eth0'],
    ['2001:4860::8888%eth0'],
    ['example.org'],
    [''],
  ])('%s is inward', address => {
    expect(isInward(address)).toBe(true)
    expect(mayConnect('example.org', address, NONE)).toBe(false)
  })

  test.each([['8.8.8.8'], ['100.63.255.255'], ['100.128.0.0'], ['172.32.0.1'], ['2606:4700:4700::1111']])(
    '%s is outward',
    address => {
      expect(isInward(address)).toBe(false)
      expect(mayConnect('example.org', address, NONE)).toBe(true)
    },
  )
})

describe('what the operator allows', () => {
  const allow = allowanceOf(['agents.internal', '127.0.0.1', '10.1.0.0/16', 'fd12::/16'])

  test.each([
    ['http://agents.internal:3000/cb'],
    ['http://127.0.0.1:3000/cb'],
    ['https://10.1.2.3/cb'],
    ['http://[fd12::7]:80/cb'],
  ])('%s may be called', url => {
    expect(isCallable(url, allow)).toBe(true)
  })

  test.each([
    ['http://127.0.0.2:3000/cb'],
    ['https://10.2.0.1/cb'],
    ['http://other.internal/cb'],
    ['http://sub.agents.internal/cb'],
    ['http://example.org/cb'],
    ['http://2130706433:3000/cb'],
    ['http://user@127.0.0.1:3000/cb'],
    ['http://[fd13::7]/cb'],
  ])('%s may still not', url => {
    expect(isCallable(url, allow)).toBe(false)
  })

  test('a name that is listed is trusted with what it resolves to, another only with what is listed', () => {
    expect(mayConnect('agents.internal', '192.168.0.9', allow)).toBe(true)
    expect(mayConnect('example.org', '192.168.0.9', allow)).toBe(false)
    expect(mayConnect('example.org', '10.1.0.9', allow)).toBe(true)
    expect(mayConnect('agents.internal', 'not an address', allow)).toBe(false)
  })

  test.each([['agents.internal'], ['localhost'], ['10.0.0.0/8'], ['::1'], ['fd00::/8'], ['a_b.example.org']])(
    '%s can be listed',
    text => {
      expect(isAllowable(text)).toBe(true)
    },
  )
  test.each([
    [''],
    ['*'],
    ['*.internal'],
    ['Agents.internal'],
    ['agents.internal:80'],
    ['http://agents.internal'],
    ['10.0.0.0/33'],
    ['fd00::/129'],
    ['10.0.0.0/8/8'],
    ['agents.internal/8'],
    ['10.1'],
    ['127.1'],
  ])('%s cannot', text => {
    expect(isAllowable(text)).toBe(false)
  })
})
