// A whole lane with the email channel: its mails go to the post office of these tests, answers come in by webhook.
import { createHmac } from 'node:crypto'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { AUTHSERV } from './correspondent.js'
import { type PostOffice, raisePostOffice } from './post-office.js'

export const SECRET = 'the secret of the webhook, long enough'

export const hmac = (text: string | Buffer, secret = SECRET): string =>
  createHmac('sha256', secret).update(text).digest('hex')

export type Scene = { readonly office: PostOffice; readonly lane: LaneUnderTest; close(): Promise<void> }

export async function raise(config: string): Promise<Scene> {
  const office = await raisePostOffice()
  const lane = await startLane({
    config,
    env: {
      SMTP_URL: office.url,
      EMAIL_FROM: 'Lane <lane@lane.test>',
      EMAIL_AUTHSERV_ID: AUTHSERV,
      EMAIL_WEBHOOK_SECRET: SECRET,
    },
  })
  return {
    office,
    lane,
    async close() {
      await lane.close()
      await office.close()
    },
  }
}
