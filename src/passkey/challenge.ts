// What a passkey signs when it confirms an answer: this request, this copy, what it showed, and the exact string that is
// compiled. An assertion made for any other of them has another challenge, and so has one that said NO.
import { canonical, digest } from '../canonical.js'
import { encode } from './base64url.js'

export type Confirmed = {
  /** 32 random bytes in base64url, which the lane gave to one session, for five minutes. */
  readonly nonce: string
  readonly request_id: string
  readonly request_hash: string
  readonly delivery_id: string
  readonly display_hash: string
  /** The answer in its one spelling (compiler/write.ts). */
  readonly reply: string
}

/** In base64url, as the browser signs it. */
export const challengeOf = ({
  nonce,
  request_id,
  request_hash,
  delivery_id,
  display_hash,
  reply,
}: Confirmed): string =>
  encode(
    digest(
      `lane/passkey/v1\n${canonical({ nonce, request_id, request_hash, delivery_id, display_hash, reply })}`,
    ),
  )
