// The steps of a person with a link, for the tests of the reply page.
import { expect } from 'vitest'
import { type Answer, type Entry, type LaneUnderTest, question, type Reply } from '../lane-under-test.js'

export const FORM = 'application/x-www-form-urlencoded'
export const HTML = { accept: 'text/html' }

export const csrfOf = (page: Answer): string => /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
export const wrongCode = ({ code }: Reply): string =>
  code[0] === '0' ? `1${code.slice(1)}` : `0${code.slice(1)}`

/** The lane is named when it is there: tests start it before the first of these is called. */
export function visitor(at: () => LaneUnderTest) {
  return {
    /** Puts a question and gives the link that was sent for it. */
    async asked(id: string, more: Record<string, unknown> = {}): Promise<Reply> {
      const opened = await at().submit(question(id, more))
      expect(opened.status).toBe(201)
      return at().link(id)
    },
    stateOf: async (id: string): Promise<unknown> =>
      (await at().call('GET', `/v1/requests/${id}`)).json.state,
    open: (reply: Reply, headers: Record<string, string> = {}): Promise<Answer> =>
      at().call('GET', reply.link, { key: null, headers }),
    post: (reply: Reply, raw: string, headers: Record<string, string> = {}): Promise<Answer> =>
      at().call('POST', reply.link, {
        key: null,
        raw,
        headers: { 'content-type': FORM, accept: 'application/json', ...headers },
      }),
    rejectionsOf: async (id: string): Promise<Entry[]> =>
      (await at().story(id)).filter(({ type }) => type === 'INBOUND_REPLY_REJECTED'),
  }
}
