// A raw message in, a value out. Read the stages aloud: cut to size, take apart, is it a bounce, whose is it, what is it
// about, did they say so themselves, what did they say.
import type { Facts, Mail } from './mail.js'

export type { Facts, Mail, Resolver, Session } from './mail.js'

export async function readMail(_bytes: Uint8Array, _facts: Facts): Promise<Mail> {
  return { kind: 'ignored', why: 'names_no_request' }
}
