// Every page in every state is HTML that holds together: read tag by tag, as a strict reader would.
import { describe } from 'vitest'
import { contentPage, page } from '../../adapters/web/render.js'
import { showing } from '../request/content/shown.js'
import {
  approval,
  bulky,
  ENDINGS,
  FORM,
  notHanded,
  open,
  type PlainKind,
  peopled,
  question,
  REASONED,
  refused,
  review,
  SCHEMAS,
  stored,
} from './samples.js'
import { holdsTogether } from './structure.js'

const { typed } = refused('')
const wrongCode = { typed, refused: { message: 'The code is another one.', read: '', accepted: '' } }

const fault = { reason: 'reply_not_in_schema', accepted: 'For when: a date.' } as const
const lines = [
  { decision_id: 'when', read: 'when tomorrow', ...fault },
  { decision_id: null, read: 'perhaps', ...fault },
]
const unread = refused('ship yes\nwhen tomorrow\nperhaps')
const faulty = { ...unread, refused: { ...unread.refused, lines } }

const STATES: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(SCHEMAS).flatMap(([kind, schema]) => [
    [`open, ${kind}`, page(open(question(schema)), 200).body],
    [`open, ${kind}, refused`, page(open(question(schema), refused('perhaps')), 422).body],
    [`open, ${kind}, as long as can be`, page(open(bulky(kind as PlainKind)), 200).body],
  ]),
  ['open, a form', page(open(question(FORM)), 200).body],
  ['open, a form, half answered', page({ ...open(question(FORM)), settled: ['ship', 'areas'] }, 200).body],
  ['open, a form, refused', page(open(question(FORM), faulty), 422).body],
  ['open, with a reason', page(open(question(REASONED), refused('NO')), 422).body],
  ['open, a review', page(open(review), 200).body],
  ['open, an approval', page(open(approval), 200).body],
  ['open, a wrong code', page(open(approval, wrongCode), 403).body],
  ['open, without handles', page(open({ ...approval, handles: [], work_item_id: null }), 200).body],
  [
    'open, with its contents',
    page(open(showing(approval, ['rm -rf build\n', '@@ -1 +1 @@\n-a\n+b\n'])), 200).body,
  ],
  ['open, with people around it', page(peopled(approval), 200).body],
  ['open, a form with people around it', page(peopled(question(FORM)), 200).body],
  ['open, not handed on', page(peopled(question(SCHEMAS.text), notHanded), 422).body],
  ['open, for reading', page({ ...open(approval), elsewhere: 'slack' }, 200).body],
  ['open, not all of it shown', page({ ...open(approval), csrf: null }, 200).body],
  ...Object.entries(ENDINGS).map(([name, state]) => [name, page(state, 200).body]),
  ['stored content', contentPage(stored('<h2 id="answer">\u202e'), 'release-agent').body],
])

describe.each(Object.entries(STATES))('the page: %s', (_name, body) => holdsTogether(() => body))
