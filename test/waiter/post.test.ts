// One call to a server that may be anything.
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allowanceOf } from '../../src/waiter/address.js'
import { post, type Resolve, type Road } from '../../src/waiter/post.js'
import { certificate } from './certificate.js'
import { hang, type Receiver, receive, reset, status } from './receiver.js'

let receiver: Receiver
beforeEach(async () => {
  receiver = await receive()
})
afterEach(() => receiver.close())

const LOOPBACK: Road = { allow: allowanceOf(['127.0.0.1', 'localhost']) }
const OUTWARD: Road = { allow: allowanceOf([]) }
const BODY = '{"text":"Möwe"}'
const send = (url: string, road: Road = LOOPBACK) =>
  post({ url, headers: { 'x-name': 'value' }, body: BODY }, road)
const failure = (code: string, of: number | null = null, retryAfter: string | null = null) => ({
  ok: false,
  status: of,
  code,
  retryAfter,
})
const resolving =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('an answer', () => {
  test('of 2xx takes the message, which has arrived whole', async () => {
    for (const code of [200, 204, 299]) {
      receiver.will(status(code))
      expect(await send(`${receiver.url}/cb?x=1`)).toEqual({ ok: true, status: code })
    }
    expect(receiver.calls[0]).toMatchObject({ method: 'POST', path: '/cb?x=1', body: BODY })
    expect(receiver.calls[0]?.headers).toMatchObject({
      'x-name': 'value',
      host: `127.0.0.1:${receiver.port}`,
    })
  })

  test.each([
    [301, 'redirected'],
    [307, 'redirected'],
    [400, 'refused'],
    [410, 'gone'],
    [429, 'throttled'],
    [500, 'refused'],
    [502, 'throttled'],
    [503, 'refused'],
    [504, 'throttled'],
  ])('of %i is %s', async (code, why) => {
    receiver.will((_, { socket }) => void socket.end(`HTTP/1.1 ${code} X\r\ncontent-length: 0\r\n\r\n`))
    expect(await send(receiver.url)).toEqual(failure(why, code))
  })

  test('may ask for a pause', async () => {
    receiver.will(status(429, { 'retry-after': '120' }))
    expect(await send(receiver.url)).toEqual(failure('throttled', 429, '120'))
  })

  test('that redirects inward is not followed', async () => {
    const inner = await receive()
    receiver.will(status(302, { location: `${inner.url}/admin` }), status(307, { location: inner.url }))
    expect(await send(receiver.url)).toEqual(failure('redirected', 302))
    expect(await send(receiver.url)).toEqual(failure('redirected', 307))
    expect(inner.calls).toEqual([])
    await inner.close()
  })

  test('without an end is not read to its end, and its connection is not kept', async () => {
    const closed = new Promise<void>(resolve => {
      receiver.will((response, { socket }) => {
        socket.once('close', () => resolve())
        response.writeHead(200)
        const drip = (): void => void (response.destroyed || response.write('x'.repeat(65_536), drip))
        drip()
      })
    })
    expect(await send(receiver.url)).toEqual({ ok: true, status: 200 })
    await closed
  })
})

describe('no answer', () => {
  test('within the patience is timed_out', async () => {
    receiver.will(hang)
    expect(await send(receiver.url, { ...LOOPBACK, patienceMs: 100 })).toEqual(failure('timed_out'))
  })

  test('because the connection is reset, or nobody is there, is connection_failed', async () => {
    receiver.will(reset)
    expect(await send(receiver.url)).toEqual(failure('connection_failed'))
    const gone = await receive()
    await gone.close()
    expect(await send(gone.url)).toEqual(failure('connection_failed'))
  })

  test('because the name does not resolve is name_not_resolved', async () => {
    const resolve: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
    expect(await send('https://hooks.example.org/', { ...OUTWARD, resolve })).toEqual(
      failure('name_not_resolved'),
    )
  })

  test('because a name takes for ever to resolve is timed_out', async () => {
    const resolve: Resolve = () => new Promise(() => undefined)
    const verdict = await send('https://hooks.example.org/', { ...OUTWARD, resolve, patienceMs: 100 })
    expect(verdict).toEqual(failure('timed_out'))
  })

  test('because the certificate is nobody’s is tls_failed', async () => {
    const secure = await receive(certificate('localhost'))
    expect(await send(`https://localhost:${secure.port}/`)).toEqual(failure('tls_failed'))
    expect(secure.calls).toEqual([])
    await secure.close()
  })

  test('because TLS is not spoken is tls_failed', async () => {
    expect(await send(`https://127.0.0.1:${receiver.port}/`)).toEqual(failure('tls_failed'))
  })
})

describe('a server that does not speak HTTP', () => {
  let server: Server
  let greet: (socket: Socket) => void
  let url: string
  beforeEach(async () => {
    server = createServer(socket => {
      socket.on('error', () => undefined).resume()
      greet(socket)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
  })
  afterEach(() => new Promise(resolve => server.close(resolve)))

  test('is connection_failed', async () => {
    greet = socket => void socket.end('220 mail.example.org ESMTP\r\n')
    expect(await send(url)).toEqual(failure('connection_failed'))
  })

  test('and drips a header byte by byte is timed_out', async () => {
    greet = socket => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const drip = setInterval(() => socket.write('y'), 10)
      socket.once('close', () => clearInterval(drip))
    }
    expect(await send(url, { ...LOOPBACK, patienceMs: 200 })).toEqual(failure('timed_out'))
  })

  test('and upgrades instead of answering is connection_failed', async () => {
    greet = socket => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
    expect(await send(url)).toEqual(failure('connection_failed'))
  })
})

describe('an address is judged when it is connected to', () => {
  const refused = failure('address_refused')

  test('an inward one that is written out is not connected to', async () => {
    for (const url of [receiver.url, 'https://127.0.0.1:8443/', 'https://[::1]/', 'http://localhost/'])
      expect(await send(url, OUTWARD)).toEqual(refused)
    expect(receiver.calls).toEqual([])
  })

  test.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.0.0.8']],
    ['metadata', ['169.254.169.254']],
    ['IPv6 loopback', ['::1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['unique local', ['fd00::1']],
    ['one inward among public ones', ['93.184.216.34', '2606:4700:4700::1111', '127.0.0.1']],
    ['nothing at all', []],
    ['something that is no address', ['localhost']],
  ])('a public name that resolves to %s is refused whole', async (_, addresses) => {
    const road = { ...OUTWARD, resolve: resolving(...addresses) }
    expect(await send('https://hooks.example.org/', road)).toEqual(refused)
    expect(await send('https://hooks.example.org:8443/', road)).toEqual(refused)
  })

  test('a name is resolved once, and the connection goes where that led: a second answer changes nothing', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.9']]
    const asked: string[] = []
    const resolve: Resolve = host => {
      asked.push(host)
      return resolving(...(answers.shift() ?? []))(host)
    }
    const road: Road = { allow: allowanceOf(['hooks.example.org']), resolve }
    expect(await send(`http://hooks.example.org:${receiver.port}/`, road)).toEqual({ ok: true, status: 204 })
    expect(asked).toEqual(['hooks.example.org'])
    expect(receiver.calls[0]?.headers.host).toBe(`hooks.example.org:${receiver.port}`)
  })

  test('a name with a final dot is the same name', async () => {
    const road: Road = { allow: allowanceOf(['hooks.example.org']), resolve: resolving('127.0.0.1') }
    expect(await send(`http://hooks.example.org.:${receiver.port}/`, road)).toMatchObject({ ok: true })
  })

  test('a public name may lead into a network that is allowed, and into no other', async () => {
    const allow = allowanceOf(['127.0.0.0/31'])
    // Nothing listens on these ports: that a connection was tried is all that is seen.
    const to = (address: string) =>
      send('https://hooks.example.org:8443/', { allow, resolve: resolving(address) })
    expect(await to('127.0.0.1')).not.toEqual(refused)
    expect(await to('127.0.0.2')).toEqual(refused)
  })
})
