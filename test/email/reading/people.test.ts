// What is no person's answer to us: reports, robots, lists, copies, letters passed on. And what a letter is about.
import { describe, expect, test } from 'vitest'
import { findMarker, findMessageIds, markerLine, writeMessageId } from '../../../adapters/email/marker.js'
import {
  type Fields,
  HANDLE,
  letter,
  MARKER,
  MESSAGE_ID,
  OTHER_HANDLE,
  REPLY_TO,
  read,
  signed,
} from './letter.js'

const HANDLED = { kind: 'handle', handle: HANDLE }
const REFERRED = { kind: 'ref', ref: MESSAGE_ID }

describe('what a letter is about', () => {
  const cases: readonly [string, Fields, unknown][] = [
    ['the handle it was written to', {}, HANDLED],
    ['in capitals, as some servers write it', { To: REPLY_TO.toUpperCase() }, HANDLED],
    ['beside other recipients', { To: `Ben <ben@people.example>, ${REPLY_TO}` }, HANDLED],
    ['within a group', { To: `Lanes: ${REPLY_TO};` }, HANDLED],
    ['our Message-ID, where a program ignored Reply-To', { To: 'lane@lane.example' }, REFERRED],
    [
      'the last of ours among the references',
      {
        To: 'lane@lane.example',
        'In-Reply-To': null,
        References: `${writeMessageId('d-0', 'lane.example')} ${MESSAGE_ID}`,
      },
      REFERRED,
    ],
  ]
  test.each(cases)('%s', async (_name, fields, binding) => {
    expect(await read(letter(fields, 'YES'))).toMatchObject({ kind: 'reply', binding, text: 'YES' })
  })

  const ignored: readonly [string, Fields, string][] = [
    ['nothing of ours', { To: 'lane@lane.example', 'In-Reply-To': null }, 'names_no_request'],
    [
      'a handle behind another delimiter',
      { To: REPLY_TO.replace('+', '-'), 'In-Reply-To': null },
      'names_no_request',
    ],
    [
      'a handle at another domain',
      { To: `lane+${HANDLE}@strangers.example`, 'In-Reply-To': null },
      'names_no_request',
    ],
    [
      'a stranger’s Message-ID',
      { To: 'lane@lane.example', 'In-Reply-To': '<a@b.example>' },
      'names_no_request',
    ],
    [
      'a Message-ID like ours at another domain',
      { To: 'lane@lane.example', 'In-Reply-To': writeMessageId('d-1', 'strangers.example') },
      'names_no_request',
    ],
    ['two handles at once', { To: `${REPLY_TO}, lane+${OTHER_HANDLE}@lane.example` }, 'names_two_requests'],
    [
      'one handle in the letter and another on the envelope',
      { 'Delivered-To': `lane+${OTHER_HANDLE}@lane.example` },
      'names_two_requests',
    ],
    [
      'a copy of a letter to somebody else',
      { To: 'ben@people.example', Cc: REPLY_TO },
      'not_addressed_to_us',
    ],
    [
      'a letter to somebody else that was passed on to us',
      { To: 'ben@people.example', 'Delivered-To': REPLY_TO },
      'not_addressed_to_us',
    ],
    ['a letter re-sent', { 'Resent-From': 'eve@strangers.example' }, 'resent'],
    ['a letter through a list', { 'List-Id': '<people.lists.example>' }, 'mailing_list'],
    ['a letter through an older list', { Precedence: 'list' }, 'mailing_list'],
  ]
  test.each(ignored)('is nothing: %s', async (_name, fields, why) => {
    expect(await read(await signed(letter(fields, 'YES')))).toEqual({ kind: 'ignored', why })
  })
})

describe('the marker', () => {
  test('is found behind quotation marks, and reveals neither handle nor Message-ID', () => {
    expect(findMarker(`> > ${MARKER}`)).toEqual(findMarker(MARKER))
    expect(findMarker(`*| ${MARKER.toLowerCase()}`)).toEqual(findMarker(MARKER))
    expect(findMarker('LANE-12345678')).toBeNull()
    expect(MARKER).not.toContain(HANDLE.slice(0, 6))
    expect(MARKER.length).toBeLessThanOrEqual(68)
  })
  test('differs by handle and by Message-ID', () => {
    expect(markerLine(OTHER_HANDLE, MESSAGE_ID)).not.toBe(MARKER)
    expect(markerLine(HANDLE, writeMessageId('d-2', 'lane.example'))).not.toBe(MARKER)
    expect(markerLine(HANDLE.toUpperCase(), MESSAGE_ID)).toBe(MARKER)
  })
  test('a Message-ID is the same at every attempt, and names no delivery', () => {
    expect(writeMessageId('d-1', 'Lane.Example')).toBe(MESSAGE_ID)
    expect(findMessageIds(`<x@y> ${MESSAGE_ID}`, 'lane.example')).toEqual([MESSAGE_ID])
    expect(MESSAGE_ID).not.toContain('d-1')
  })
})

describe('a delivery report', () => {
  const report = (fields: Fields, status: string, original: string | null): string =>
    letter(
      {
        From: 'Mail Delivery System <MAILER-DAEMON@mx.people.example>',
        'Return-Path': '<>',
        'Auto-Submitted': 'auto-replied',
        'In-Reply-To': null,
        'Content-Type': 'multipart/report; report-type=delivery-status; boundary="b"',
        ...fields,
      },
      [
        '--b\nContent-Type: text/plain\n\nYES, this could not be delivered.',
        `--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.people.example\n\n${status}`,
        original === null
          ? ''
          : `--b\nContent-Type: message/rfc822\n\nMessage-ID: ${original}\nTo: a@b\n\nYES`,
        '--b--\n',
      ].join('\n'),
    )
  const FAILED = 'Final-Recipient: rfc822; ana@people.example\nAction: failed\nStatus: 5.1.1 (no such user)\n'
  const bounced = (about: unknown, status: string) => ({ kind: 'bounce', about, status })

  test('by the address it came back to', async () => {
    expect(await read(report({}, FAILED, null))).toEqual(bounced(HANDLED, '5.1.1'))
    const byEnvelope = { To: 'undisclosed-recipients:;', 'X-Original-To': REPLY_TO }
    expect(await read(report(byEnvelope, FAILED, null))).toEqual(bounced(HANDLED, '5.1.1'))
  })
  test('that came back to two addresses of ours is about neither', async () => {
    const two = { To: REPLY_TO, 'X-Original-To': `lane+${OTHER_HANDLE}@lane.example` }
    expect(await read(report(two, FAILED, null))).toEqual({ kind: 'ignored', why: 'names_no_request' })
  })
  test('by the Message-ID of the mail that came back', async () => {
    expect(await read(report({ To: 'lane@lane.example' }, FAILED, MESSAGE_ID))).toEqual(
      bounced(REFERRED, '5.1.1'),
    )
  })
  test('is none where the mail is only late, or has arrived', async () => {
    const delayed = 'Action: delayed\nStatus: 4.4.1\n'
    expect(await read(report({}, delayed, null))).toEqual({ kind: 'ignored', why: 'no_failure' })
    const givenUp = 'Action: failed\nStatus: 4.4.7\n'
    expect(await read(report({}, givenUp, null))).toEqual(bounced(HANDLED, '4.4.7'))
    expect(await read(report({}, 'Action: failed\n', null))).toEqual(bounced(HANDLED, '5.0.0'))
    expect(await read(report({}, 'Action: delivered\nStatus: 2.0.0\n', null))).toEqual({
      kind: 'ignored',
      why: 'no_failure',
    })
  })
  test('of the old kind, known by the header Exim writes', async () => {
    const fields = { From: 'MAILER-DAEMON@mx.example', 'X-Failed-Recipients': 'ana@people.example' }
    expect(await read(letter(fields, 'could not be delivered'))).toEqual(bounced(HANDLED, '5.0.0'))
  })
  test('that names none of ours is nobody’s business', async () => {
    const about = { To: 'lane@lane.example' }
    for (const original of [null, '<a@b.example>'])
      expect(await read(report(about, FAILED, original))).toEqual({
        kind: 'ignored',
        why: 'names_no_request',
      })
  })
})

describe('a robot', () => {
  const robots: readonly [string, Fields][] = [
    ['says so', { 'Auto-Submitted': 'auto-replied' }],
    ['says so with a remark', { 'Auto-Submitted': 'auto-generated; by=rule' }],
    ['answers for somebody', { 'X-Autorespond': 'away' }],
    ['is loud', { Precedence: 'bulk' }],
    ['takes no bounces', { 'Return-Path': '<>' }],
    ['is the server itself', { From: 'postmaster@people.example' }],
    ['is away in French', { Subject: 'Réponse automatique : Publish?' }],
    ['is away in encoded words', { Subject: '=?utf-8?Q?R=C3=A9ponse_automatique?=' }],
    ['runs in circles', { 'X-Loop': 'ana@people.example' }],
  ]
  test.each(robots)('that %s is recorded and never compiled', async (_name, fields) => {
    expect(await read(letter(fields, 'YES'))).toMatchObject({
      kind: 'reply',
      automated: true,
      binding: HANDLED,
    })
  })

  const people: readonly [string, Fields][] = [
    ['says no robot sent it', { 'Auto-Submitted': 'no' }],
    ['passed an Exchange server', { 'X-Auto-Response-Suppress': 'DR, OOF, AutoReply' }],
    ['writes about absences', { Subject: 'Re: Your automatic reply' }],
  ]
  test.each(people)('is not who %s', async (_name, fields) => {
    expect(await read(letter(fields, 'YES'))).toMatchObject({ kind: 'reply', automated: false })
  })
})
