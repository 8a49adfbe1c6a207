// Who may speak: the attacks on the sender, each by the letter an attacker would send.
import { describe, expect, test } from 'vitest'
import { markerLine, writeMessageId, writeNoticeId } from '../../../adapters/email/marker.js'
import type { Binding } from '../../../src/adapter/contract.js'
import {
  AUTHOR,
  type Fields,
  facts,
  HANDLE,
  letter,
  MARKER,
  MESSAGE_ID,
  NOTICE_ID,
  OTHER_HANDLE,
  OTHER_ID,
  REPLY_TO,
  read,
  type Signing,
  signed,
  signedFor,
  ZONE,
  zone,
} from './letter.js'

const YES = `YES\n\n> ${MARKER}\n> Publish?\n`
const isAuthenticated = async (raw: string, given: Parameters<typeof read>[1] = {}): Promise<boolean> => {
  const mail = await read(raw, given)
  if (mail.kind !== 'reply') throw new Error(`no reply but ${JSON.stringify(mail)}`)
  return mail.authenticated
}

describe('a signature of the author’s domain', () => {
  test('vouches for the reply', async () => {
    expect(await read(await signed(letter({}, YES)))).toEqual({
      kind: 'reply',
      binding: { kind: 'handle', handle: HANDLE },
      sender: AUTHOR,
      authenticated: true,
      proof: 'dmarc',
      text: 'YES',
      message_id: 'reply-1@people.example',
      automated: false,
      absent: false,
      loosely: false,
      noticeId: NOTICE_ID,
    })
  })

  test('vouches for a letter that a mailbox kept with bare line feeds', async () => {
    expect(await isAuthenticated((await signed(letter({}, YES))).replaceAll('\r\n', '\n'))).toBe(true)
  })

  const FORGED: readonly [string, () => Promise<string>, Parameters<typeof read>[1]?][] = [
    ['no signature at all', async () => letter({}, YES)],
    ['a stranger’s own signature', () => signed(letter({}, YES), { domain: 'strangers.example' })],
    [
      'a body changed after signing',
      async () => (await signed(letter({}, YES))).replace('\r\n\r\nYES', '\r\n\r\nNO'),
    ],
    [
      'a From changed after signing',
      async () => (await signed(letter({}, YES))).replace('Ana <ana@', 'Bob <bob@'),
    ],
    ['a signature that rests on SHA-1', () => signed(letter({}, YES), { algorithm: 'rsa-sha1' })],
    ['a signature that leaves the end of the body open', () => signed(letter({}, YES), { length: 3 })],
    [
      'a signature that has run out',
      async () => (await signed(letter({}, YES))).replace('s=s1;', 's=s1; x=1700000000;'),
    ],
    ['a signature that does not cover From', () => signed(letter({}, YES), { headers: 'To:Subject:Date' })],
    [
      'a domain that has no DMARC record',
      () => signed(letter({}, YES)),
      { resolver: zone({ 's1._domainkey.people.example': ZONE['s1._domainkey.people.example'] ?? '' }) },
    ],
    [
      'a domain whose key is gone',
      () => signed(letter({}, YES)),
      { resolver: zone({ '_dmarc.people.example': 'v=DMARC1; p=reject' }) },
    ],
    [
      'a related domain where the author’s asks for its own name',
      () => signed(letter({}, YES), { domain: 'news.people.example' }),
      {
        resolver: zone({
          's1._domainkey.news.people.example': ZONE['s1._domainkey.people.example'] ?? '',
          '_dmarc.people.example': 'v=DMARC1; p=reject; adkim=s',
        }),
      },
    ],
  ]
  test.each(FORGED)('is missing: %s', async (_name, raw, given) => {
    expect(await isAuthenticated(await raw(), given)).toBe(false)
  })

  const KEY = ZONE['s1._domainkey.people.example'] ?? ''
  const publishing = (record: string) => ({
    resolver: zone({ ...ZONE, 's1._domainkey.people.example': record }),
  })
  const below = (domain: string): Promise<string> => signedFor(domain, letter({}, YES))

  test.each([
    ['for another service than mail', `${KEY}; s=tlsrpt`],
    ['for services of which none is mail', `${KEY}; s=chat:other`],
    ['for SHA-1 alone', `${KEY}; h=sha1`],
    ['whose version is not its first word', `k=rsa; ${KEY.replace('k=rsa; ', '')}`],
    ['that says a second time what it is for', `${KEY}; s=tlsrpt; s=email`],
    ['of a domain that is only testing', `${KEY}; t=y`],
    ['of another kind than the signature', KEY.replace('k=rsa', 'k=ed25519')],
  ])('does not vouch by a key record %s', async (_name, record) => {
    expect(await isAuthenticated(await signed(letter({}, YES)), publishing(record))).toBe(false)
  })

  test('does not vouch for an agent below the domain by a key record that says t=s', async () => {
    const raw = await below('desk.people.example')
    expect(await isAuthenticated(raw)).toBe(true)
    expect(await isAuthenticated(raw, publishing(`${KEY}; t=s`))).toBe(false)
    expect(await isAuthenticated(raw, publishing(`${KEY}; t=x:s`))).toBe(false)
    expect(await isAuthenticated(await below('people.example'), publishing(`${KEY}; t=s`))).toBe(true)
  })

  test('does not vouch for an agent of another domain', async () => {
    expect(await isAuthenticated(await below('strangers.example'))).toBe(false)
    expect(await isAuthenticated(await below('notpeople.example'))).toBe(false)
  })

  test.each([
    ['for mail among other services', `${KEY}; s=email:chat`],
    ['for everything', `${KEY}; s=*; h=sha1:sha256; n=a note; t=s`],
    ['without a version', KEY.replace('v=DKIM1; ', '')],
    ['without a kind', KEY.replace('k=rsa; ', '')],
    ['with a semicolon at its end', `${KEY};`],
  ])('vouches by a key record %s', async (_name, record) => {
    expect(await isAuthenticated(await signed(letter({}, YES)), publishing(record))).toBe(true)
  })

  test('of a related domain is enough where the author’s domain does not ask for more', async () => {
    const resolver = zone({
      's1._domainkey.news.people.example': ZONE['s1._domainkey.people.example'] ?? '',
      '_dmarc.people.example': 'v=DMARC1; p=none',
    })
    expect(
      await isAuthenticated(await signed(letter({}, YES), { domain: 'news.people.example' }), { resolver }),
    ).toBe(true)
  })
})

test('a stranger’s signature at the end of the header does not hide the author’s at its beginning', async () => {
  const [first = '', rest = ''] = (await signed(letter({}, YES))).split(/\r\n\r\n(.*)/s)
  const forged = 'DKIM-Signature: v=1; a=rsa-sha256; d=strangers.example; s=s1; h=from; bh=AAAA; b=AAAA'
  expect(await isAuthenticated(`${first}\r\n${forged}\r\n\r\n${rest}`)).toBe(true)
})

test('a letter that nobody signed costs no question to a name server', async () => {
  const resolver = zone()
  expect(await isAuthenticated(letter({}, YES), { resolver })).toBe(false)
  expect(resolver.asked).toEqual([])
})

describe('name servers that hold up nobody: not asked are those of', () => {
  test('a stranger, or who names nothing that was asked', async () => {
    const resolver = zone()
    const looked: unknown[][] = []
    const known = {
      delivery_id: 'd-1',
      isKnown: false,
      messageId: MESSAGE_ID,
      noticeId: NOTICE_ID,
      reminderIds: [],
      decisions: null,
    }
    for (const found of [null, known]) {
      const asked = async (...about: unknown[]) => {
        looked.push(about)
        return found
      }
      expect(await isAuthenticated(await signed(letter({}, YES)), { resolver, asked })).toBe(false)
    }
    expect(looked).toEqual(Array(2).fill([{ kind: 'handle', handle: HANDLE }, AUTHOR]))
    expect(resolver.asked).toEqual([])
  })
  test('signatures of others beside the author’s', async () => {
    const resolver = zone()
    const raw = await signed(await signed(letter({}, YES)), { domain: 'strangers.example' })
    expect(await isAuthenticated(raw, { resolver })).toBe(true)
    expect(resolver.asked.filter(name => name.includes('strangers'))).toEqual([])
  })
})

describe('a name server that is silent', () => {
  const silent = async (): Promise<never> => {
    throw Object.assign(new Error('timed out'), { code: 'ETIMEOUT' })
  }
  test('puts the letter off', async () => {
    expect(await read(await signed(letter({}, YES)), { resolver: silent })).toEqual({ kind: 'later' })
  })
  test('and at the last try counts as a no', async () => {
    expect(await isAuthenticated(await signed(letter({}, YES)), { resolver: silent, last: true })).toBe(false)
  })
  test('is not asked on and on for one letter', async () => {
    const resolver = zone()
    const many = Array.from(
      { length: 10 },
      (_, index) => ({ domain: `d${index}.people.example` }) satisfies Signing,
    )
    let raw = letter({}, YES)
    for (const signing of many) raw = await signed(raw, signing)
    expect(await isAuthenticated(raw, { resolver })).toBe(false)
    expect(resolver.asked.length).toBeLessThanOrEqual(20)
    expect(await read(await signed(raw))).toEqual({ kind: 'refused', why: 'too_many_headers' })
  })
})

describe('the own server’s word', () => {
  const told = (...values: string[]) => letter({ 'Authentication-Results': values }, YES)
  const own = { authservId: 'mx.lane.example' }
  const PASS = 'mx.lane.example; spf=none; dmarc=pass (p=reject; dis=none) header.from=people.example'
  const FAIL = 'mx.lane.example; dmarc=fail (p=reject) header.from=people.example'

  test('is enough', async () => {
    expect(await isAuthenticated(told(PASS), own)).toBe(true)
    expect(await isAuthenticated(told(PASS.replace('mx.lane.example;', 'MX.Lane.Example 1;')), own)).toBe(
      true,
    )
    expect(await isAuthenticated(told(PASS.replaceAll('=', ' = ')), own)).toBe(true)
  })
  test('may be spread over two fields, as OpenDKIM and OpenDMARC write them', async () => {
    expect(await isAuthenticated(told('mx.lane.example; dkim=pass header.d=people.example', PASS), own)).toBe(
      true,
    )
  })
  test.each([
    ['nobody asked for it', PASS, null],
    ['another server says it', PASS.replace('mx.lane', 'mx.strangers'), own],
    [
      'a server says it whose name begins like ours',
      PASS.replace('mx.lane.example', 'mx.lane.example.org'),
      own,
    ],
    ['it speaks of another domain', PASS.replace('header.from=people', 'header.from=strangers'), own],
    ['it names no domain', 'mx.lane.example; dmarc=pass', own],
    ['it says so in a comment', 'mx.lane.example; spf=none (; dmarc=pass header.from=people.example)', own],
    [
      'it says so in a quoted value',
      'mx.lane.example; spf=none reason="; dmarc=pass header.from=people.example"',
      own,
    ],
    ['it says both', `${FAIL}; dmarc=pass header.from=people.example`, own],
    ['it says both, the better first', `${PASS}; dmarc=fail header.from=people.example`, own],
    [
      'it says so behind an escaped mark in a quoted value',
      'mx.lane.example; spf=none reason="a\\"; dmarc=pass header.from=people.example',
      own,
    ],
    ['it says bestguesspass', PASS.replace('dmarc=pass', 'dmarc=bestguesspass'), own],
    ['only SPF and DKIM passed', 'mx.lane.example; spf=pass; dkim=pass header.d=people.example', own],
    ['it says nothing', 'mx.lane.example; none', own],
    ['it names a second domain', `${PASS} header.from=strangers.example`, own],
    [
      'it names a second domain first',
      PASS.replace('header.from=', 'header.from=strangers.example header.from='),
      own,
    ],
    [
      'it names the domain as a value of something else',
      PASS.replace('header.from=', 'policy.x=header.from='),
      own,
    ],
    ['it names the domain in quotation marks', PASS.replace(/header.from=(.*)/, 'header.from="$1"'), own],
    [
      'it names the domain in a quoted reason alone',
      'mx.lane.example; dmarc=pass reason="x header.from=people.example" header.from=strangers.example',
      own,
    ],
    [
      'it names the domain in a quoted reason, and no other',
      'mx.lane.example; dmarc=pass reason="x header.from=people.example"',
      own,
    ],
    ['it names the domain as the beginning of another', `${PASS}"x"`, own],
    [
      'it says of another version of the method that it failed',
      `mx.lane.example; dmarc/1=fail; ${PASS.slice(17)}`,
      own,
    ],
  ])('is not believed where %s', async (_name, value, given) => {
    expect(await isAuthenticated(told(value), given ?? {})).toBe(false)
  })
  test('below it a stranger’s word under the same name does not count', async () => {
    expect(await isAuthenticated(told(FAIL, PASS), own)).toBe(false)
  })
})

describe('exactly one author', () => {
  test.each([
    ['two From fields', { From: [`Ana <${AUTHOR}>`, 'Eve <eve@strangers.example>'] }, 'doubled_header'],
    ['two addresses in one', { From: `${AUTHOR}, eve@strangers.example` }, 'no_single_author'],
    ['a group', { From: `people: ${AUTHOR};` }, 'no_single_author'],
    ['none', { From: null }, 'no_single_author'],
    ['an empty one', { From: '<>' }, 'no_single_author'],
    ['a name that looks like an address', { From: `"${AUTHOR}"` }, 'no_single_author'],
    ['a name of three thousand characters', { From: `${'a'.repeat(3_000)} <${AUTHOR}>` }, 'no_single_author'],
    ['an address with blanks in it', { From: '<ana @people.example>' }, 'no_single_author'],
    ['a letter that folds onto another', { From: 'Ana <an\u212a@people.example>' }, 'no_single_author'],
    ['a From spelt so that others overlook it', { 'From ': 'eve@strangers.example' }, 'malformed'],
  ])('%s answers nothing', async (_name, fields, why) => {
    expect(await read(await signed(letter(fields, YES)))).toEqual({ kind: 'refused', why })
  })

  test('a display name that is somebody’s address is not the author', async () => {
    const mail = await read(
      await signed(letter({ From: `"${AUTHOR}" <eve@strangers.example>` }, YES), {
        domain: 'strangers.example',
      }),
    )
    expect(mail).toMatchObject({ kind: 'reply', sender: 'eve@strangers.example', authenticated: true })
  })

  test('a letter that a deputy sent in the author’s name is not from the author', async () => {
    for (const Sender of ['Bob <bob@people.example>', `Bob <bob@people.example>, ${AUTHOR}`, 'Ana', ''])
      expect(await isAuthenticated(await signed(letter({ Sender }, YES)))).toBe(false)
    for (const Sender of [AUTHOR, `Ana <${AUTHOR.toUpperCase()}>`])
      expect(await isAuthenticated(await signed(letter({ Sender }, YES)))).toBe(true)
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    const deputys = stamp + letter({ Sender: 'Bob <bob@people.example>' }, YES)
    expect(await isAuthenticated(deputys, { authservId: 'mx.lane.example' })).toBe(false)
  })

  test('a second From above a signed letter answers nothing', async () => {
    const raw = `From: Eve <eve@strangers.example>\r\n${await signed(letter({}, YES))}`
    expect(await read(raw)).toEqual({ kind: 'refused', why: 'doubled_header' })
  })
})

describe('a signed letter sent on to another request', () => {
  const ALONE = 'YES\n'
  test('does not answer it where To is signed', async () => {
    const raw = (await signed(letter({}, ALONE))).replace(HANDLE, OTHER_HANDLE)
    expect(await isAuthenticated(raw)).toBe(false)
  })

  // Some large providers sign neither To nor In-Reply-To.
  const PARTIAL: Signing = { headers: 'From:Date:Subject:Message-ID:MIME-Version:Content-Type' }
  test('does not answer it where To is not signed and nothing quoted says what was answered', async () => {
    const raw = await signed(letter({}, ALONE), PARTIAL)
    expect(await isAuthenticated(raw)).toBe(false)
    expect(await isAuthenticated(raw.replace(HANDLE, OTHER_HANDLE))).toBe(false)
  })
  test('does not answer it where the signed body quotes the first one', async () => {
    const raw = await signed(letter({}, YES), PARTIAL)
    expect(await read(raw)).toMatchObject({ authenticated: true, text: 'YES' })
    expect(await read(raw.replace(HANDLE, OTHER_HANDLE))).toMatchObject({
      binding: { kind: 'handle', handle: OTHER_HANDLE },
      authenticated: false,
      text: '',
    })
  })
  test('does not answer it by Message-ID either', async () => {
    const byRef = { To: 'lane@lane.example' }
    const other = MESSAGE_ID.replace(/[0-9a-f]{32}/, '0'.repeat(32))
    expect(await read(await signed(letter(byRef, YES), PARTIAL))).toMatchObject({
      binding: { kind: 'ref', ref: MESSAGE_ID },
      authenticated: true,
    })
    expect(await read((await signed(letter(byRef, YES), PARTIAL)).replace(MESSAGE_ID, other))).toMatchObject({
      binding: { kind: 'ref', ref: other },
      authenticated: false,
      text: '',
    })
  })
  test('does not answer it by an In-Reply-To put above the signed References', async () => {
    const byReferences = { To: 'lane@lane.example', 'In-Reply-To': null, References: MESSAGE_ID }
    const raw = await signed(letter(byReferences, ALONE), { headers: 'From:To:Date:Message-ID:References' })
    const other = MESSAGE_ID.replace(/[0-9a-f]{32}/, '0'.repeat(32))
    expect(await read(raw)).toMatchObject({ binding: { ref: MESSAGE_ID }, authenticated: true })
    expect(await read(`In-Reply-To: ${other}\r\n${raw}`)).toMatchObject({
      binding: { kind: 'ref', ref: other },
      authenticated: false,
    })
  })
  test('by the own server’s word counts only as far as every signature of the author’s reaches', async () => {
    const own = { authservId: 'mx.lane.example' }
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    expect(await isAuthenticated(stamp + (await signed(letter({}, ALONE))), own)).toBe(true)
    expect(await isAuthenticated(stamp + (await signed(letter({}, ALONE), PARTIAL)), own)).toBe(false)
  })
  test('does not answer it where a forged signature claims to cover To beside one that does not', async () => {
    const forged =
      'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=people.example; s=s1; h=from:to; bh=AAAA; b=AAAA\r\n'
    const raw = forged + (await signed(letter({}, ALONE), PARTIAL))
    expect(await isAuthenticated(raw)).toBe(false)
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    expect(await isAuthenticated(stamp + raw, { authservId: 'mx.lane.example' })).toBe(false)
  })
  test('by the own server’s word counts no further than a relay’s signature, where there is no other', async () => {
    const own = { authservId: 'mx.lane.example' }
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    const relayed = (signing: Signing) =>
      signed(letter({}, ALONE), { ...signing, domain: 'strangers.example' })
    expect(await isAuthenticated(stamp + (await relayed(PARTIAL)), own)).toBe(false)
    expect(await isAuthenticated(stamp + (await relayed({})), own)).toBe(true)
  })
  test('does not answer it where only the HTML quotes the first one', async () => {
    const html = { 'Content-Type': 'text/html; charset=utf-8' }
    const quoting = (marker: string) =>
      letter(html, `<p>YES</p><blockquote type="cite">${marker}</blockquote>`)
    expect(await read(await signed(quoting(MARKER)))).toMatchObject({ authenticated: true, text: 'YES' })
    expect(await read(await signed(quoting(markerLine(OTHER_HANDLE, MESSAGE_ID))))).toMatchObject({
      authenticated: false,
      text: '',
    })
  })
  test('by the own server’s word does not count where a signature left the body open: it may have been that one', async () => {
    const own = { authservId: 'mx.lane.example' }
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    const open = await signed(letter({}, ALONE), { headers: 'From:Date', length: 0 })
    expect(await isAuthenticated(stamp + open.replace(HANDLE, OTHER_HANDLE), own)).toBe(false)
    const forged = 'DKIM-Signature: v=1; a=rsa-sha256; d=people.example; s=s1; h=from:to; bh=AAAA; b=AAAA\r\n'
    expect(await isAuthenticated(stamp + forged + open, own)).toBe(false)
    expect(await isAuthenticated(stamp + (await signed(open)), own)).toBe(true)
  })
  test('by the own server’s word counts also when the signature has run out since', async () => {
    const own = { authservId: 'mx.lane.example' }
    const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
    const raw = (await signed(letter({}, ALONE))).replace('s=s1;', 's=s1; x=1700000000;')
    expect(await isAuthenticated(stamp + raw, own)).toBe(true)
  })
  test('a second To beside the signed one is refused', async () => {
    const raw = `To: lane+${OTHER_HANDLE}@lane.example\r\n${await signed(letter({}, YES))}`
    expect(await read(raw)).toEqual({ kind: 'refused', why: 'doubled_header' })
  })
  test('the quoted marker of another request is never read as this one’s', async () => {
    const body = `YES\n\n> ${markerLine(OTHER_HANDLE, MESSAGE_ID)}\n`
    expect(await read(await signed(letter({}, body)))).toMatchObject({ authenticated: false, text: '' })
    expect(REPLY_TO).toContain(HANDLE)
  })
})

describe('an answer to somebody else’s mail, which came here because that mail’s Reply-To said so', () => {
  const LUNCH = 'YES\n\nOn Mon, 16 Nov 2026 at 10:00, Eve <eve@strangers.example> wrote:\n> Lunch?\n'
  const theirs = '<lunch@strangers.example>'
  const NAMING_ANOTHER: readonly [string, Fields][] = [
    ['In-Reply-To', { 'In-Reply-To': theirs }],
    ['References', { 'In-Reply-To': null, References: theirs }],
    ['both', { 'In-Reply-To': theirs, References: `<before@people.example> ${theirs}` }],
    [
      'an In-Reply-To below a thread of ours',
      { 'In-Reply-To': theirs, References: `${MESSAGE_ID} ${theirs}` },
    ],
    ['the last of References', { 'In-Reply-To': null, References: `${MESSAGE_ID} ${theirs}` }],
    ['an id that is none', { 'In-Reply-To': 'your mail of Monday' }],
    ['an id like ours that the lane never wrote', { 'In-Reply-To': writeMessageId('x', 'lane.example') }],
    ['a notice that the lane never wrote', { 'In-Reply-To': writeNoticeId('x', 'lane.example') }],
    ['the mail of another request', { 'In-Reply-To': OTHER_ID }],
  ]
  const refused = { authenticated: false, text: '' }

  test.each(NAMING_ANOTHER)('answers nothing, though the handle is right: by %s', async (_name, fields) => {
    expect(await read(await signed(letter(fields, LUNCH)))).toMatchObject(refused)
  })

  test.each(NAMING_ANOTHER)(
    'answers nothing, though our marker was its small print: by %s',
    async (_name, fields) => {
      expect(await read(await signed(letter(fields, `${LUNCH}> ${MARKER}\n`)))).toMatchObject(refused)
      const own = { authservId: 'mx.lane.example' }
      const stamp = 'Authentication-Results: mx.lane.example; dmarc=pass header.from=people.example\r\n'
      expect(await read(stamp + letter(fields, `${LUNCH}> ${MARKER}\n`), own)).toMatchObject(refused)
    },
  )

  test('whose In-Reply-To was taken away quotes us at best: it is bound loosely, and by the marker alone', async () => {
    const bare = { 'In-Reply-To': null }
    expect(await read(await signed(letter(bare, 'YES\n')))).toMatchObject({ ...refused, loosely: true })
    expect(await read(await signed(letter(bare, YES)))).toMatchObject({
      authenticated: true,
      text: 'YES',
      loosely: true,
    })
    const other = markerLine(OTHER_HANDLE, OTHER_ID)
    expect(await read(await signed(letter(bare, `YES\n\n> ${other}\n`)))).toMatchObject(refused)
  })

  test.each([
    ['it names the mail that asked', { 'In-Reply-To': MESSAGE_ID }],
    [
      'it says of whom that mail was',
      { 'In-Reply-To': `${MESSAGE_ID} (Lane's message of "Mon, 16 Nov 2026")` },
    ],
    ['a server wrote the id in capitals', { 'In-Reply-To': MESSAGE_ID.toUpperCase() }],
    ['it answers our notice', { 'In-Reply-To': NOTICE_ID }],
    [
      'the mail that asked is the last of References',
      { 'In-Reply-To': null, References: `${theirs} ${MESSAGE_ID}` },
    ],
  ])('is not one where %s', async (_name, fields) => {
    for (const body of [YES, 'YES\n'])
      expect(await read(await signed(letter(fields, body)))).toMatchObject({
        authenticated: true,
        text: 'YES',
        loosely: false,
      })
  })

  test('is not one where it names the id that our server says it gave the mail that asked', async () => {
    const renamed = '<DB9.Renamed@EURPRD.prod.example>'
    const { asked } = facts()
    const given = {
      asked: (binding: Binding, author: string) =>
        asked(
          binding.kind === 'ref' && binding.ref === renamed ? { kind: 'handle', handle: HANDLE } : binding,
          author,
        ),
    }
    const raw = await signed(letter({ 'In-Reply-To': renamed }, 'YES\n'))
    expect(await read(raw, given)).toMatchObject({ authenticated: true, text: 'YES', loosely: false })
    expect(await read(raw)).toMatchObject(refused)
  })
})
