// A certificate that signs itself, made when it is needed: a key kept in the repository would look like a leak.
import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const object = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const whole = (value: number): Buffer => der(0x02, Buffer.from([value]))
const TRUE = der(0x01, Buffer.from([255]))

const ECDSA_WITH_SHA256 = sequence(object('2a8648ce3d040302'))
const COMMON_NAME = object('550403')
const BASIC_CONSTRAINTS = object('551d13')
const ALTERNATIVE_NAMES = object('551d11')

const DAY_MS = 86_400_000
const day = (from: number): Buffer => {
  const digits = new Date(Date.now() + from * DAY_MS).toISOString().replace(/[-:T]|\..*/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2)}Z`))
}

/** For this host name, valid from yesterday until tomorrow, its own authority. */
export function certificate(host: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(host)))))
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
    sequence(ALTERNATIVE_NAMES, der(0x04, sequence(der(0x82, Buffer.from(host))))),
  )
  const signed = sequence(
    der(0xa0, whole(2)),
    whole(1),
    ECDSA_WITH_SHA256,
    name,
    sequence(day(-1), day(1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const lines =
    sequence(signed, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}
