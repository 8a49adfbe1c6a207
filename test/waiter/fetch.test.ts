// One fetch of a body that a caller names by its address: by no trick does it lead into the network the lane stands in.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allowanceOf } from '../../src/waiter/address.js'
import { fetchBytes, MAX_FETCHED_BYTES } from '../../src/waiter/fetch.js'
import type { Resolve, Road } from '../../src/waiter/post.js'
import { type Receiver, receive, reset, status } from './receiver.js'

let receiver: Receiver
beforeEach(async () => {
  receiver = await receive()
})
afterEach(() => receiver.close())

const LOOPBACK: Road = { allow: allowanceOf(['127.0.0.1']) }
const OUTWARD: Road = { allow: allowanceOf([]) }
const resolving =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('a body elsewhere', () => {
  test('is had whole, up to its limit', async () => {
    const whole = 'x'.repeat(MAX_FETCHED_BYTES)
    receiver.will(
      response => void response.writeHead(200).end(whole),
      response => void response.writeHead(200).end(`${whole}x`),
    )
    expect((await fetchBytes(receiver.url, LOOPBACK))?.length).toBe(MAX_FETCHED_BYTES)
    expect(await fetchBytes(receiver.url, LOOPBACK)).toBeNull()
  })

  test.each([301, 302, 303, 307, 308])('that moved (%i) is not followed', async code => {
    const inner = await receive()
    receiver.will(status(code, { location: `${inner.url}/admin` }), status(code, { location: '/else' }))
    expect(await fetchBytes(receiver.url, LOOPBACK)).toBeNull()
    expect(await fetchBytes(receiver.url, LOOPBACK)).toBeNull()
    expect([receiver.calls.length, inner.calls.length]).toEqual([2, 0])
    await inner.close()
  })

  test('that is cut off, or only begins, is none', async () => {
    receiver.will(reset, response => {
      response.writeHead(200, { 'content-length': '100' }).write('{}')
      setTimeout(() => response.destroy(), 20)
    })
    expect(await fetchBytes(receiver.url, LOOPBACK)).toBeNull()
    expect(await fetchBytes(receiver.url, LOOPBACK)).toBeNull()
  })
})

describe('an address is judged when it is connected to', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://127.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::]:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127.0.0.1%00.example.org:PORT/',
    'http://example.org@127.0.0.1:PORT/',
    'http://127.0.0.1\\@example.org:PORT/',
    'http:127.0.0.1:PORT/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1%25lo]/',
    'https://169.254.169.254/latest/meta-data/',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/hostname',
    'data:,x',
  ])('%s is not fetched', async text => {
    expect(await fetchBytes(text.replace('PORT', String(receiver.port)), OUTWARD)).toBeNull()
    expect(receiver.calls).toEqual([])
  })

  test.each(['127.1', '0x7f.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '127.0.0.1.', '[::1]'])(
    'another spelling of what is allowed, %s, is not',
    async host => {
      expect(await fetchBytes(`http://${host}:${receiver.port}/`, LOOPBACK)).toBeNull()
      expect(receiver.calls).toEqual([])
    },
  )

  test.each([
    ['loopback', ['127.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['IPv6 loopback', ['::1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['one inward among public ones', ['93.184.216.34', '127.0.0.1']],
  ])('a public name that resolves to %s is refused whole', async (_, addresses) => {
    const seen: string[] = []
    const resolve: Resolve = host => {
      seen.push(host)
      return resolving(...addresses)(host)
    }
    expect(await fetchBytes('https://bodies.example.org:8443/', { ...OUTWARD, resolve })).toBeNull()
    expect(seen).toEqual(['bodies.example.org'])
  })

  test('a name that resolves elsewhere the second time was asked for once', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.9']]
    const resolve: Resolve = host => resolving(...(answers.shift() ?? []))(host)
    receiver.will(response => void response.writeHead(200).end('{}'))
    const road = { allow: allowanceOf(['bodies.example.org']), resolve }
    expect(await fetchBytes(`http://bodies.example.org:${receiver.port}/`, road)).not.toBeNull()
    expect(answers).toHaveLength(1)
  })
})
