// Where people answer on a page. Declared apart from its handlers (../reply-page.ts), which draw as they answer.
import { type Described, HTML, JSON_MEDIA, ok } from '../route.js'

/** What a page, and whoever posts to it, may be told. */
const TURNED_AWAY = ['rate_limited', 'seal_broken'] as const

export const REPLY_PAGE: readonly Described[] = [
  {
    method: 'get',
    path: '/r/{handle}',
    operationId: 'drawReplyPage',
    summary: 'The reply page; drawing it decides nothing',
    answers: [{ status: 200, media: HTML, words: 'the page' }],
    refuses: TURNED_AWAY,
  },
  {
    method: 'post',
    path: '/r/{handle}',
    operationId: 'answerOnPage',
    summary: 'Answer from the reply page',
    takes: { media: ['application/x-www-form-urlencoded', JSON_MEDIA], body: 'ReplyForm' },
    answers: [
      { status: 200, media: HTML, words: 'recorded, as a page' },
      ok('Answered', 'recorded, where JSON is asked for'),
    ],
    refuses: [
      ...TURNED_AWAY,
      'malformed_form',
      'foreign_origin',
      'csrf_mismatch',
      'code_mismatch',
      'reply_rejected',
      'already_resolved',
      'deadline_passed',
      'reply_too_long',
      'reply_bad_charset',
      'reply_not_in_schema',
    ],
  },
  {
    method: 'get',
    path: '/r/{handle}/blobs/{hash}',
    operationId: 'drawContent',
    summary: 'Stored content of this request, as escaped text',
    answers: [{ status: 200, media: HTML, words: 'a page' }],
    refuses: TURNED_AWAY,
  },
]
