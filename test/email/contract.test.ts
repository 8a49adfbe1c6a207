// Email keeps the contract of every channel: a real SMTP server takes what goes out, a real Dovecot holds what comes in.
import { describe } from 'vitest'
import { adapterContract, type Driver, type Stranger } from '../contract/adapter.js'
import { AUTHSERV, DEPUTY, NOBODY, OWNER, replyTo } from './correspondent.js'
import { DOVECOT, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { type Letter, raisePostOffice } from './post-office.js'

const WHO: Readonly<Record<Stranger, string>> = { deputy: DEPUTY, nobody: NOBODY }

async function emailDriver(): Promise<Driver<Letter>> {
  const [office, dovecot] = await Promise.all([raisePostOffice(), raiseDovecot()])
  let last = ''
  const write = async (copy: Letter, from: string, text: string): Promise<void> => {
    last = replyTo(copy, from, text)
    dovecot.deliver(last)
  }
  return {
    channel: 'email',
    proof: 'dmarc',
    env: {
      SMTP_URL: office.url,
      IMAP_URL: dovecot.url,
      EMAIL_FROM: 'Lane <lane@lane.test>',
      EMAIL_AUTHSERV_ID: AUTHSERV,
    },
    addresses: { owner: OWNER, deputy: DEPUTY },
    strangers: { deputy: 'wrong_recipient', nobody: 'unknown_sender' },
    delivered: () => office.requests(),
    answer: (copy, text) => write(copy, OWNER, text),
    answerAs: (stranger, copy, text) => write(copy, WHO[stranger], text),
    repeat: async () => dovecot.deliver(last),
    told: async () => (await office.notices()).map(({ email }) => email.text ?? ''),
    edited: async () => null,
    async outage(on) {
      office.mood = on ? { kind: 'refuse', at: 'rcpt', code: 451 } : { kind: 'kind' }
    },
    async stop() {
      await Promise.all([office.close(), dovecot.remove()])
    },
  }
}

describe.skipIf(DOVECOT === null)(`with a mailbox${WITHOUT_DOVECOT}`, () => {
  adapterContract('email', emailDriver)
})
