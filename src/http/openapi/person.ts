// Where people answer: on the reply page, or through a provider who hands it over.
import { type Answer, HTML, ok, type Route } from './route.js'

const said = (status: number, words: string): Answer => ({ status, media: 'text/plain', words })
const hook = (path: string, more: readonly Answer[] = []): Route => ({
  method: 'post',
  path,
  summary: "A provider's webhook, verified by its signature; 404 where the channel takes none",
  answers: [said(200, 'taken'), said(401, 'not proven to come from the provider'), ...more],
})

export const PERSON: readonly Route[] = [
  {
    method: 'get',
    path: '/r/{handle}',
    summary: 'The reply page; drawing it decides nothing',
    answers: [{ status: 200, media: HTML, words: 'the page' }],
  },
  {
    method: 'post',
    path: '/r/{handle}',
    summary: 'Answer from the reply page',
    takes: { media: ['application/x-www-form-urlencoded', 'application/json'], body: 'ReplyForm' },
    answers: [
      { status: 200, media: HTML, words: 'recorded, as a page' },
      ok('Answered', 'recorded, where JSON is asked for'),
    ],
  },
  {
    method: 'get',
    path: '/r/{handle}/blobs/{hash}',
    summary: 'Stored content of this request, as escaped text',
    answers: [{ status: 200, media: HTML, words: 'a page' }],
  },
  hook('/hooks/slack', [
    { status: 200, media: 'application/json', words: 'what the form it came from shows' },
    said(400, 'signed, and not readable'),
    said(503, 'to be sent again'),
    { status: 503, media: 'application/problem+json', body: 'Problem', words: 'to be sent again' },
  ]),
  hook('/hooks/telegram', [said(400, 'verified, and no update')]),
  hook('/hooks/sms', [
    { status: 200, media: 'text/xml', words: 'taken; what the person is told, if anything' },
    said(400, 'signed, and no message'),
  ]),
  hook('/hooks/email/{provider}', [
    said(404, 'no such provider'),
    { status: 404, media: 'application/problem+json', body: 'Problem', words: 'the channel takes none' },
    said(406, 'it carries no raw message'),
    said(503, 'to be sent again'),
    { status: 503, media: 'application/problem+json', body: 'Problem', words: 'to be sent again' },
  ]),
]
