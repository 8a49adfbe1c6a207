// A key of somebody who is not the lane, and the notes it signs: by the rules of signed-note, written out from the page.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export const ORIGIN = 'lane.example.org/gate/9f86d081884c7d65/1'
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

export type Signer = { readonly vkey: string; readonly line: (text: string) => string }
/** A key by the rules of signed-note, written out here: the page's, not the lane's. */
export function signer(name = ORIGIN): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = Buffer.concat([Buffer.from([1]), rawOf(publicKey)])
  const id = createHash('sha256').update(`${name}\n`).update(key).digest().subarray(0, 4)
  return {
    vkey: `${name}+${id.toString('hex')}+${base64(key)}`,
    line: text => `— ${name} ${base64(Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]))}\n`,
  }
}
const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
