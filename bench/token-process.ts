// The baselines of requests and replies: a bare Fastify route that signs one EdDSA token with jose, and one that
// verifies one. Nothing is parsed beyond JSON, checked or kept: the least cost of a gateway with signed tokens.
import Fastify from 'fastify'
import { CompactSign, compactVerify, generateKeyPair } from 'jose'
import { answerParent } from './child.js'

const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const hash = `sha256:${'0'.repeat(64)}`
/** As many bytes as the claims of a reply token. */
const CLAIMS = {
  iss: 'interrupt-lane',
  aud: 'lane.reply',
  sub: 'operator',
  jti: 'A'.repeat(22),
  iat: 1_800_000_000,
  exp: 1_800_003_600,
  req: 'request-00000000',
  rqh: hash,
  rsh: hash,
  ch: 'web',
  dsh: hash,
}

const app = Fastify({ logger: false })
app.post('/sign', async () => {
  const token = await new CompactSign(Buffer.from(JSON.stringify(CLAIMS)))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'lane-reply+jwt', kid: 'A'.repeat(43) })
    .sign(privateKey)
  return { token }
})
app.post<{ Body: { token: string } }>('/verify', async request => {
  const { payload } = await compactVerify(request.body.token, publicKey, { algorithms: ['EdDSA'] })
  return { bytes: payload.length }
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })

answerParent<never>(
  url,
  async () => undefined,
  () => app.close(),
)
