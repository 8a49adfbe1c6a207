import { describe, expect, test } from 'vitest'
import { card, outcomeLines } from '../../src/cli/card.js'
import { paintFor, plain, sayInstant, table, visible } from '../../src/cli/print.js'
import { progressLine, progressOn } from '../../src/cli/progress.js'
import { pendingLines } from '../../src/cli/requests.js'
import { shownCase } from './samples.js'
import { NOW, terminal } from './terminal.js'

const ANSWER = {
  parsed_choice: 'YES',
  parsed_payload: null,
  answered_by: 'operator',
  channel: 'web',
  proof: 'console',
  at: '2026-02-17T11:59:00.000Z',
}
const answered = shownCase({ state: 'answered', answer: ANSWER, resolved_at: ANSWER.at })

describe('a card', () => {
  test('shows an open request: question, who was asked where, default, hash and receipt', () => {
    expect(card(shownCase(), NOW, plain)).toEqual([
      'ask-1  pending',
      '  Question  Ship the release today?',
      '  Impact    Decides whether the pipeline goes on',
      '  Context   doc:notes',
      '  Answers   Reply YES or NO.',
      '  Run       run-1',
      '  Opened    2026-02-17 11:58:00Z (2m ago)',
      '  Deadline  2026-02-17 12:08:00Z (in 8m)',
      '  Default   HALT',
      '  Asked     operator  web  sent  1 attempt  2026-02-17 11:58:01Z (1m 59s ago)',
      '  Hash      sha256:abababababababab…',
      '  Receipt   entry 7, sha256:abababababababab…',
    ])
  })

  test('shows an answer with who, where and by what proof', () => {
    const lines = card(answered, NOW, plain)
    expect(lines[0]).toBe('ask-1  answered')
    expect(lines).toContain('  Answer    YES')
    expect(lines).toContain('  By        operator over web, proof console')
  })

  test('shows what the run does next and by whom, and never the right itself', () => {
    const decision = {
      decision: 'CHANGE_MOOD',
      mood: 'PARANOID',
      reason: 'nobody answered in time',
      by: 'lane',
    }
    const lines = card({ ...answered, decision }, NOW, plain)
    expect(lines).toContain('  Decision  CHANGE_MOOD to PARANOID, by lane: nobody answered in time')
    expect(card(answered, NOW, plain)).toContain('  Decision  not yet')
    expect(card(shownCase(), NOW, plain).join()).not.toContain('Decision')
    const right = { policy_token: 'eyJ.eyJ.x', policy_token_expires_at: '2026-02-17T12:15:00.000Z' }
    const text = card({ ...answered, decision: { ...decision, ...right } }, NOW, plain).join('\n')
    expect(text).toContain('a policy token until 2026-02-17T12:15:00.000Z')
    expect(text).not.toContain('eyJ')
  })

  test('shows a default that was applied, and each delivery that failed', () => {
    const failed = {
      user_id: 'operator',
      channel: 'email',
      state: 'failed',
      attempts: 4,
      at: '2026-02-17T12:00:00.000Z',
    }
    const subject = shownCase({ state: 'undelivered', default_applied: true, deliveries: [failed] })
    const text = card(subject, NOW, plain).join('\n')
    expect(text).toContain('Default   HALT, applied')
    expect(text).toContain('operator  email  failed  4 attempts')
  })

  test('a reply with escape sequences cannot repaint the terminal', () => {
    const subject = { ...answered, answer: { ...ANSWER, raw_text: '\u001b[2Jyes\u202e\n' } }
    const text = card(subject, NOW, plain).join('\n')
    expect(text).toContain('Said      "<U+001B>[2Jyes<U+202E><U+000A>"')
    expect(text).not.toContain('\u001b')
  })
})

describe('the end of a wait', () => {
  test.each([
    [answered, 'YES'],
    [shownCase({ state: 'defaulted', default_applied: true }), 'HALT'],
    [shownCase({ state: 'withdrawn' }), 'no answer'],
  ])('says what holds in its first line', (subject, first) => {
    expect(outcomeLines(subject, NOW, plain)[0]).toBe(first)
  })

  test.each([
    [{ selected: ['eu', 'us'] }, 'eu, us'],
    [{ text: 'after lunch' }, 'after lunch'],
    [{ number: 50, unit: 'chips' }, '50 chips'],
    [{ number: 0 }, '0'],
    [{ date: '2026-02-17' }, '2026-02-17'],
  ])('spells the payload %j', (parsed_payload, first) => {
    const subject = { ...answered, answer: { ...ANSWER, parsed_choice: null, parsed_payload } }
    expect(outcomeLines(subject, NOW, plain)[0]).toBe(first)
  })
})

describe('colour', () => {
  const { stdout } = terminal({}, { isTTY: true })
  test('is for a terminal only', () => {
    expect(paintFor(stdout, {})('red', 'x')).toBe('\u001b[31mx\u001b[39m')
    expect(paintFor(terminal().stdout, {})('red', 'x')).toBe('x')
  })
  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('is off with %j', env => {
    expect(paintFor(stdout, env)('red', 'x')).toBe('x')
  })
  test('an empty NO_COLOR says nothing', () => {
    expect(paintFor(stdout, { NO_COLOR: '' })('red', 'x')).not.toBe('x')
  })
})

describe('lines', () => {
  test('a table has its columns under each other, and nothing trailing', () => {
    expect(
      table([
        ['A', 'BB', ''],
        ['AAA', 'b', 'c'],
      ]),
    ).toEqual(['A    BB', 'AAA  b   c'])
  })
  test('a list of nothing says so', () => {
    expect(pendingLines([], NOW)).toEqual(['nothing is pending'])
  })
  test('a list has id, deadline, default and question', () => {
    expect(pendingLines([shownCase()], NOW)[1]).toBe(
      'ask-1    2026-02-17 12:08:00Z (in 8m)  HALT     Question: Ship the release today?',
    )
  })
  test('what is no instant is shown as it is, without its controls', () => {
    expect(sayInstant('soon\u0007', NOW)).toBe('soon<U+0007>')
  })
  test.each(['\u200b', '\u2028', '\ud800', '\u{e0041}'])(
    'U+%# hidden characters are spelt out',
    character => {
      expect(visible(`a${character}b`)).toMatch(/^a<U\+[0-9A-F]{4,5}>b$/)
    },
  )
})

describe('progress', () => {
  test('a known total gives a bar, a share and a rate', () => {
    expect(progressLine(50, 200, 500, 'entries')).toBe(
      `${'█'.repeat(6)}${'░'.repeat(18)} 25 %  50 of 200 entries, 100/s`,
    )
  })
  test('an unknown total gives a count and a rate', () => {
    expect(progressLine(50, null, 500, 'entries')).toBe('50 entries, 100/s')
  })
  test('more than the total, while a lane goes on writing, is a full bar', () => {
    expect(progressLine(9, 8, 1000, 'entries')).toContain(`${'█'.repeat(24)} 100 %`)
  })
  test('nothing is drawn where no terminal is', async () => {
    const shell = terminal()
    const progress = progressOn(shell.stderr, shell.clock, 'entries')
    await shell.sleep(1000)
    progress.at(5, 10)
    progress.end()
    expect(shell.err()).toBe('')
  })
  test('on a terminal it is drawn over itself and wiped at the end', async () => {
    const shell = terminal({}, { isTTY: true })
    const progress = progressOn(shell.stderr, shell.clock, 'entries')
    progress.at(1, 10)
    await shell.sleep(1000)
    progress.at(5, 10)
    progress.end()
    expect(shell.err().match(/5 of 10/g)).toHaveLength(1)
    expect(shell.err()).not.toContain('1 of 10')
    expect(shell.err()).toMatch(/\r\u001b\[K$/)
  })
})
