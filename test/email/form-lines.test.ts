// A form by mail through a real lane: what stands between, below and behind its lines, in which part, and whose it is. Each of
// these mails is signed by the addressee's own domain and answers the mail that asked; none of them approves.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, question } from '../lane-under-test.js'
import { until } from '../until.js'
import { DEPUTY, type Draft, OWNER, replyTo } from './correspondent.js'
import type { Letter, PostOffice } from './post-office.js'
import { hmac, raise, type Scene } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER}, delegates: [deputy] }
  deputy: { name: Deputy, email: ${DEPUTY} }
forms: { approvers: [owner, deputy] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`
const FORM = {
  kind: 'form',
  decisions: [
    {
      id: 'ship',
      type: 'approval',
      prompt: 'Ship?',
      required: true,
      reason: { when: 'on_no', max_chars: 80 },
    },
    { id: 'tell', type: 'approval', prompt: 'Tell everybody?', required: true },
    { id: 'note', type: 'text', prompt: 'A note', required: false },
  ],
}

let office: PostOffice
let lane: LaneUnderTest
let close: Scene['close']
beforeAll(async () => {
  ;({ office, lane, close } = await raise(CONFIG))
})
afterAll(() => close())

let count = 0
async function ask(): Promise<{ readonly id: string; readonly letter: Letter }> {
  const id = `lines-${++count}`
  expect((await lane.submit(question(id, { reply_schema: FORM }), { recipients: ['owner'] })).status).toBe(
    201,
  )
  const letter = await until(`the mail of ${id}`, async () =>
    (await office.requests()).find(one => one.email.subject?.endsWith(`[${id}]`)),
  )
  return { id, letter }
}
async function deliver(mail: string): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = hmac(`${timestamp}.${mail}`)
  const headers = {
    'x-lane-timestamp': timestamp,
    'x-lane-signature': signature,
    'content-type': 'message/rfc822',
  }
  expect((await lane.call('POST', '/hooks/email/raw', { key: null, raw: mail, headers })).status).toBe(200)
}
const bodies = async (id: string, type: string) =>
  (await lane.story(id)).filter(entry => entry.type === type).map(({ body }) => body)
const reasons = async (id: string) => (await bodies(id, 'INBOUND_REPLY_REJECTED')).map(({ reason }) => reason)

/** The words, and everything below them as given. */
const plain = (letter: Letter, text: string, more: Partial<Draft> = {}): string =>
  replyTo(letter, OWNER, text, more)
const both = (letter: Letter, text: string, html: string): string =>
  replyTo(letter, OWNER, '', {
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b'],
    text: `--b\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n--b\nContent-Type: text/html; charset=utf-8\n\n${html}\n\n--b--`,
  })
const YES = 'ship yes\ntell yes'
const DIVS = '<div>ship yes</div><div>tell yes</div>'

test('is approved by its two lines, in either part or both', async () => {
  for (const mail of [(letter: Letter) => plain(letter, YES), (letter: Letter) => both(letter, YES, DIVS)]) {
    const { id, letter } = await ask()
    await deliver(mail(letter))
    expect((await lane.outcome(id)).json).toMatchObject({ state: 'answered', answer: { proof: 'dmarc' } })
  }
})

describe('in plain text', () => {
  test.each<[string, string]>([
    ['a condition between the lines', 'ship yes\nbut only after legal has signed it off\ntell yes'],
    ['a condition below them', `${YES}\n\nOnly if Bob agrees.`],
    ['a condition far below', `${YES}${'\n'.repeat(60)}Only if Bob agrees.`],
    ['a condition behind a rule', `${YES}\n-----\nOnly if Bob agrees.`],
    ['a condition as the signature', `${YES}\n-- \nonly if Bob agrees`],
    ['a condition behind what a phone adds', `${YES}\nSent from my iPhone\nonly if Bob agrees`],
    ['a condition behind YES', 'ship yes: if the tests are green\ntell yes'],
    ['a reason behind YES', 'ship yes: the tests are green\ntell yes'],
    ['words behind YES', 'ship yes, if green\ntell yes'],
    ['words in front', 'Bob, can you confirm?\nship yes\ntell yes'],
    ['a reason that goes on in the next line', 'ship no: too dear\nand too early\ntell yes'],
    ['a NO that needs its reason', 'ship no\ntell yes'],
    ['one of the lines quoted', '> ship yes\ntell yes'],
    ['one of them below a quotation', 'ship yes\n> Tell everybody?\ntell yes'],
    ['both quoted', '> ship yes\n> tell yes'],
    [
      'both of somebody else’s, forwarded',
      '---------- Forwarded message ---------\nFrom: Bob <bob@people.test>\n\nship yes\ntell yes',
    ],
    ['a line and its contrary', 'ship yes\ntell yes\nship no: wait'],
    ['a line and its contrary in another case', 'ship yes\ntell yes\nSHIP NO: wait'],
    ['handing on among them', 'ship yes\nDELEGATE deputy\ntell yes'],
    ['handing on below them', `${YES}\nDELEGATE deputy`],
    ['a tab for the blank', 'ship\tyes\ntell yes'],
    ['an id with a look-alike', 'ѕhip yes\ntell yes'],
    ['a table of them', '| ship | yes |\n| tell | yes |'],
    ['bullets before them', '- ship yes\n- tell yes'],
  ])('%s', async (_, text) => {
    const { id, letter } = await ask()
    await deliver(plain(letter, text))
    expect([await bodies(id, 'HUMAN_REPLY_EVENT'), await bodies(id, 'REQUEST_DELEGATED')]).toEqual([[], []])
    expect(await reasons(id)).toHaveLength(1)
  })
})

describe('in text and HTML', () => {
  test.each<[string, string, string]>([
    ['that answer otherwise', YES, '<div>ship no: wait</div><div>tell yes</div>'],
    ['that answer otherwise in one line', YES, '<div>ship yes</div><div>tell no</div>'],
    ['of which the text has a line more', `${YES}\nnote wait`, DIVS],
    ['of which the HTML has a line more', YES, `${DIVS}<div>note wait</div>`],
    ['in another order', YES, '<div>tell yes</div><div>ship yes</div>'],
    ['with a condition in the HTML alone', YES, `${DIVS}<p>Only if Bob agrees.</p>`],
    ['with a condition in the text alone', `${YES}\nOnly if Bob agrees.`, DIVS],
    [
      'with a condition in what a program would quote',
      YES,
      `${DIVS}<div class="gmail_quote">Only if Bob agrees.</div>`,
    ],
    [
      'with a condition in a table beside',
      YES,
      '<table><tr><td>ship yes</td><td>only if Bob agrees</td></tr><tr><td>tell yes</td><td></td></tr></table>',
    ],
    ['with a line struck out', YES, '<div><s>ship yes</s></div><div>tell yes</div>'],
    [
      'with a line struck out by style',
      YES,
      '<div style="text-decoration: line-through">ship yes</div><div>tell yes</div>',
    ],
    ['with a line that is not shown', YES, '<div style="display:none">ship yes</div><div>tell yes</div>'],
    ['with a line in white', 'tell yes', '<div style="color:#fff">ship yes</div><div>tell yes</div>'],
    ['with lines in a comment', 'tell yes', '<!-- ship yes --><div>tell yes</div><div>ship no: wait</div>'],
    [
      'with a line quoted in the HTML',
      YES,
      '<blockquote type="cite">ship yes</blockquote><div>tell yes</div>',
    ],
    ['with a picture among them', YES, '<div>ship yes</div><img src="cid:1" alt="not"><div>tell yes</div>'],
  ])('%s', async (_, text, html) => {
    const { id, letter } = await ask()
    await deliver(both(letter, text, html))
    const approved = (await bodies(id, 'HUMAN_REPLY_EVENT')).flatMap(({ parsed_payload }) =>
      JSON.stringify(parsed_payload),
    )
    expect(approved).toEqual([])
  })
})

describe('a form of another', () => {
  test('is not answered by lines under its marker in a mail that answers this one', async () => {
    const first = await ask()
    const second = await ask()
    await deliver(plain(first.letter, YES, { inReplyTo: second.letter.header('message-id') ?? '' }))
    expect([
      await bodies(first.id, 'HUMAN_REPLY_EVENT'),
      await bodies(second.id, 'HUMAN_REPLY_EVENT'),
    ]).toEqual([[], []])
  })
  test('is not answered by the other person, nor by one who says that they are away', async () => {
    const { id, letter } = await ask()
    await deliver(replyTo(letter, DEPUTY, YES))
    await deliver(replyTo(letter, OWNER, YES, { dmarc: 'fail' }))
    await deliver(
      plain(letter, YES, {
        headers: [
          'Auto-Submitted: auto-replied',
          'MIME-Version: 1.0',
          'Content-Type: text/plain; charset=utf-8',
        ],
      }),
    )
    await deliver(
      plain(letter, YES, {
        subject: 'Automatic reply: Question',
        headers: [
          'X-Auto-Response-Suppress: All',
          'Precedence: auto_reply',
          'MIME-Version: 1.0',
          'Content-Type: text/plain',
        ],
      }),
    )
    expect(await reasons(id)).toEqual([
      'wrong_recipient',
      'sender_unauthenticated',
      'automated_message',
      'automated_message',
    ])
    expect(await bodies(id, 'HUMAN_REPLY_EVENT')).toEqual([])
  })
})
