// What a message is, before anybody asks whether it is an answer: words and a code, or a word for the carrier.
import { describe, expect, test } from 'vitest'
import { keywordOf } from '../../adapters/sms/keyword.js'
import { readReply } from '../../adapters/sms/receive.js'

describe('a reply', () => {
  test.each([
    ['Y 7K3F', 'Y', '7K3F'],
    ['y 7k3f', 'y', '7k3f'],
    ['YES  \t 7K3F \n', 'YES', '7K3F'],
    ['Y\r\n7K3F', 'Y', '7K3F'],
    ['Y 7K3F.', 'Y', '7K3F'],
    ['A, B 7K3F!', 'A, B', '7K3F'],
    ['max spend 50 chips 7K3F', 'max spend 50 chips', '7K3F'],
    ['Ship it on Monday. 7K3F', 'Ship it on Monday.', '7K3F'],
    [' Y 7K3F', ' Y', '7K3F'],
  ])('%j is the words and the code at their end', (body, text, code) =>
    expect(readReply(body)).toEqual({ text, code }),
  )

  test.each([
    'Y',
    '',
    '7K3F',
    'Y7K3F',
    'Y 7K3',
    'Y 7K3F9',
    'Y 7K3F..',
    'Y 7K3F?',
    'Y (7K3F)',
    'Y\u00a07K3F',
    'Y 7К3F', // a Cyrillic letter
  ])('%j has no code, and is kept whole', body => expect(readReply(body)).toEqual({ text: body, code: '' }))

  test.each(['STOP', 'cancel', 'End', 'QUIT.', 'START', 'HELP', 'OPT OUT', 'Stop all'])(
    '%s before a code is no answer either',
    word => expect(readReply(`${word} 7K3F`)).toEqual({ text: `${word} 7K3F`, code: '' }),
  )

  test('YES before a code is one: only alone is it a word for the carrier', () =>
    expect(readReply('YES 7K3F')).toEqual({ text: 'YES', code: '7K3F' }))
})

describe('a word for the carrier', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop ',
    'STOPALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'stop.',
  ])('%j opts out', word => expect(keywordOf(word)).toBe('opt_out'))
  test.each(['START', 'UNSTOP', 'HELP', 'INFO', 'info'])('%j is for others', word =>
    expect(keywordOf(word)).toBe('other'),
  )
  test.each(['Y 7K3F', 'YES', 'N', 'stopped', 'the end', 'STOP it', '', 'help me'])('%j is none', word =>
    expect(keywordOf(word)).toBeNull(),
  )
  test('is what the provider says it is, in whatever language it was said', () => {
    expect(keywordOf('BASTA', 'STOP')).toBe('opt_out')
    expect(keywordOf('AIUTO', 'HELP')).toBe('other')
    expect(keywordOf('stop', 'STOP')).toBe('opt_out')
  })
})
