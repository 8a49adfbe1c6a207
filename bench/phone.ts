// A person with a phone, and the provider between them and the lane: takes a message as the provider's API does, and posts
// the answer as the provider's signed webhook. Each question says itself which answer it wants.
import { createHmac, randomBytes } from 'node:crypto'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child.js'
import { ACCOUNT, wantedIn } from './question.js'

const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 512 })
/** Where webhooks go; set by the parent once the lane is up. */
let hook = ''

const messageId = (): string => `SM${randomBytes(16).toString('hex')}`

function webhook(parameters: Readonly<Record<string, string>>): void {
  const pairs = Object.keys(parameters)
    .sort()
    .map(name => name + parameters[name])
  const signature = createHmac('sha1', ACCOUNT.token)
    .update(hook + pairs.join(''))
    .digest('base64')
  const body = new URLSearchParams(parameters).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    'x-twilio-signature': signature,
  }
  const call = request(hook, { agent, method: 'POST', headers }, response => {
    if (response.statusCode !== 200)
      process.stderr.write(`the lane took a reply with ${response.statusCode}\n`)
    response.resume()
  })
  call.on('error', error => void process.stderr.write(`a reply was lost: ${error.message}\n`))
  call.end(body)
}

function take(form: URLSearchParams): void {
  const text = form.get('Body') ?? ''
  const code = /End with ([0-9A-Z]{4,8})/.exec(text)?.[1]
  const { letter } = wantedIn(text)
  if (code === undefined) return void process.stderr.write(`no code in: ${text}\n`)
  webhook({
    AccountSid: ACCOUNT.sid,
    MessageSid: messageId(),
    From: form.get('To') ?? '',
    To: ACCOUNT.from,
    Body: `${letter} ${code}`,
    NumMedia: '0',
  })
}

const server = createServer((call, response) => {
  let body = ''
  call
    .setEncoding('utf8')
    .on('data', chunk => {
      body += chunk
    })
    .on('end', () => {
      const answer = JSON.stringify({ sid: messageId(), status: 'queued' })
      response.writeHead(201, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      })
      response.end(answer)
      take(new URLSearchParams(body))
    })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  answerParent<string>({ url: `http://127.0.0.1:${port}`, pid: process.pid }, async url => {
    hook = url
  })
})
