// Prose that only resembles what programs write is the author's own, and so is no answer what it stands beside.
import { describe, expect, test } from 'vitest'
import { readBanners } from '../../../adapters/email/reading/literals.js'
import { letter, MARKER, said } from './letter.js'

describe('a line that begins as a phone signs', () => {
  test.each([
    'Sent from my iPhone, but wait for Bob',
    'Sent from my iPhone and do not ship',
    'Sent from my Samsung Galaxy S21 so hold it until Friday',
    'Inviato da LG. not before 2027',
    'Von meinem iPhone bitte noch nicht gesendet',
  ])('and goes on in the author’s words is not passed over: %s', async line => {
    expect(await said(letter({}, `YES\n${line}\n`))).toBe(`YES\n${line}`)
  })

  test.each([
    'Sent from my iPhone',
    'Sent from my iPhone 15 Pro Max.',
    'Sent from my Samsung Galaxy S21 Ultra 5G',
    'Sent from my Verizon, Samsung Galaxy smartphone',
    'Sent from my T-Mobile 4G LTE Device',
    'Sent from my Samsung SM-G991B',
    'Von meinem iPhone gesendet',
    'Gesendet von meinem Huawei P30 lite',
    'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
  ])('and names the device is: %s', async line => {
    expect(await said(letter({}, `YES\n${line}\n`))).toBe('YES')
  })
})

describe('a line above the quotation that resembles its introduction', () => {
  test.each([
    'On 2 conditions that Bob wrote',
    'On condition 4 as Bob wrote:',
    'Do not do it before 17:00 as I wrote:',
    'So not before 17:00 as I wrote:',
    '2 things first (ask bob@people.example):',
    'To be done after 2027 as he wrote',
    'On 16 Nov 2026 Bob said no, as I wrote',
    'On 16 Nov 2026 Bob said no, as I wrote:',
    'On 2 conditions that Bob wrote:',
    'On condition that it is after 17:00 as Bob wrote:',
    'On Friday 17:00 not before legal wrote:',
    'So 17:00 as I wrote:',
    'Am besten erst um 17:00, wie Bob schrieb erst:',
    'but only after 10:00 as Bob <bob@people.example> wrote:',
    'but not before Bob <bob@people.example> wrote:',
    'do it after 17:00 and tell lane@lane.example about:',
    '17.11.2026 first ask Bob <bob@people.example>:',
    'but only after legal agreed, as Lane <lane@lane.example> wrote:',
    'but only under what Lane <lane@lane.example> wrote:',
    'aber erst ab 17:00 <lane@lane.example> schrieb:',
    'но только после 17:00 <lane@lane.example> написал:',
    'On Friday 20 Nov, after legal agrees, ask again <lane@lane.example>:',
    '2026-11-20 or later, once legal agrees, tell <lane@lane.example>:',
    'NOT BEFORE Legal <legal@people.example> wrote:',
    'Only After Legal Agreed <legal@people.example> wrote:',
    'NO, AS Bob <bob@people.example> wrote:',
    'On 20 Nov 2026, Only After Legal wrote:',
    '"not before legal agrees" <bob@people.example> wrote:',
    'On Mon 16 Nov "no, do not do it" wrote:',
    '2026-11-20 之前不行，法务写道：',
  ])('is not passed over: %s', async line => {
    expect(await said(letter({}, `YES\n${line}\n> ${MARKER}\n`))).toContain(`YES\n${line}`)
  })

  test.each([
    'On Mon, 16 Nov 2026 08:14:43 -0200 Lane <lane@lane.example> wrote',
    '---- On Mon, 16 Nov 2026 08:14:43 -0200 lane@lane.example wrote ----',
    'Mo., 16. Nov. 2026 um 10:00 Uhr schrieb Lane <lane@lane.example>:',
    'lun. 16 nov. 2026 à 10:00, Lane <lane@lane.example> a écrit :',
    'Mon Nov 16 10:00:00 2026 Lane wrote:',
    '2026-11-16 10:00 GMT+01:00 Lane <lane@lane.example>:',
    'Lane <lane@lane.example> wrote:',
    'Release Desk <desk@people.example> wrote:',
    'On Wed, Dec 9, Lane <lane@lane.example> wrote:',
    'On Apr 3, 2026, at 4:19 PM, lane wrote:',
    'Lane <lane@lane.example> schrieb am Mo., 16. Nov. 2026 um 10:00 Uhr:',
    'Lane <lane@lane.example>, 16 Kas 2026 Pzt, 10:00 tarihinde şunu yazdı:',
    'pon., 16 lis 2026 o 10:00 Lane <desk@people.example> napisał(a):',
    'Vào Th 2, 16 thg 11, 2026 vào lúc 10:00 Lane <desk@people.example> đã viết:',
    'Στις Δευ 16 Νοε 2026 στις 10:00 π.μ., ο χρήστης Lane <desk@people.example> έγραψε:',
    'понедельник, 16 ноября 2026 г. пользователь lane написал:',
    'Il giorno lun 16 nov 2026 alle ore 10:00 Lane <lane@lane.example> ha scritto:',
    'Op ma 16 nov 2026 om 10:00 schreef Lane <lane@lane.example>:',
    'בתאריך יום ב׳, 16 בנוב׳ 2026 ב-10:00 מאת Lane <lane@lane.example>:',
  ])('is, where it is one: %s', async line => {
    expect(await said(letter({}, `YES\n\n${line}\n> ${MARKER}\n`))).toBe('YES')
  })
})

describe('lines that a gateway of the operator’s adds', () => {
  const long = `This mail came from outside: ${'be careful, '.repeat(60)}`
  const banners = readBanners(['Came from  Outside', long])
  test('are passed over, above the answer and below it, and nothing like them is', async () => {
    for (const line of ['came from outside', ' Came from Outside <https://gateway.example/why>', long])
      expect(await said(letter({}, `${line}\nYES\n${line}\n`), { banners })).toBe('YES')
    for (const line of ['came from outside, so no', `${long} no`])
      expect(await said(letter({}, `${line}\nYES\n`), { banners })).toContain('\n')
  })

  test('are compared while they are few: a hundred thousand would stop the lane for seconds', async () => {
    const lines = (count: number): string => 'Came from outside\n'.repeat(count)
    expect(await said(letter({}, `YES\n${lines(400)}`), { banners })).toBe('YES')
    expect(await said(letter({}, `YES\n${lines(600)}`), { banners })).toContain('\n')
    expect(await said(letter({}, `YES\n> ${MARKER}\n${lines(400)}`), { banners })).toBe('YES')
    expect(await said(letter({}, `YES\n> ${MARKER}\n${lines(600)}`), { banners })).toContain('\n')
  })
})

describe('a line above the quotation that resembles a header of the mail below', () => {
  test.each([
    ['without a From', 'To: staging only\nDate: not before the 5th\nSubject: the deploy'],
    ['in too few lines', 'From: Friday on\nTo: staging only'],
    ['that says no time', 'From: Friday on\nTo: staging only\nDate: not before the 5th'],
    ['whose time is a sentence', 'From: Friday on\nSent: never before 17:00\nTo: Bob\nSubject: the deploy'],
  ])('is not passed over: %s', async (_name, lines) => {
    expect(await said(letter({}, `YES\n${lines}\n> ${MARKER}\n`))).toContain(lines)
  })
})

describe('what is no part of the letter’s words does not speak, and what is does not hide', () => {
  const mixed = (body: string): Promise<string> =>
    said(letter({ 'Content-Type': 'multipart/mixed; boundary=b' }, `--b\n\n${body}\n--b--\n`))
  test('a line that begins as a boundary does and goes on ends no part', async () => {
    expect(await mixed('YES\n--but not before Friday')).toBe('YES\n--but not before Friday')
  })
  test('a file shown below the letter is a file', async () => {
    const file = 'Content-Type: text/plain\nContent-Disposition: inline; filename=a.txt'
    expect(await mixed(`YES\n--b\n${file}\n\nNO`)).toBe('YES')
    expect(await said(letter({ 'Content-Disposition': 'inline; filename=a.txt' }, 'YES\n'))).toBe('')
  })
  test.each([
    'Content-Type: text',
    'Content-Type: plain',
    'Content-Type: text/plain (as it is)',
    'Content-Type: text/enriched',
    'Content-Type: text/x-amp-html',
    'Content-Type: application/xhtml+xml',
  ])('a part that some program shows is not passed over for its type: %s', async type => {
    expect(await mixed(`YES\n--b\n${type}\n\nbut not before Friday`)).not.toBe('YES')
  })
  test('one of several spellings of a letter is no file, whatever it is called', async () => {
    const either = (head: string): Promise<string> =>
      said(
        letter(
          { 'Content-Type': 'multipart/alternative; boundary=b' },
          `--b\n\nYES\n--b\nContent-Type: text/html\n${head}\n\nbut not before Friday\n--b--\n`,
        ),
      )
    for (const head of ['inline; filename=a.html', 'attachment'])
      expect(await either(`Content-Disposition: ${head}`)).not.toBe('YES')
  })
  test('a condition below a line drawn by hand is no signature', async () => {
    for (const line of ['--', '-- ', '__'])
      for (const condition of ['but not before Friday', 'Only if legal agrees', 'not today'])
        for (const above of ['', `> ${MARKER}\n`])
          expect(await said(letter({}, `YES\n${above}${line}\n${condition}\n`))).toContain('\n')
    expect(await said(letter({}, 'YES\n-- \nAna\nnot before ten, please\n'))).toBe('YES')
  })
  test('a signature of a page is a letter', async () => {
    const signature = (lines: number): string => `YES\n-- \n${'Ana of the release team\n'.repeat(lines)}`
    expect(await said(letter({}, signature(39)))).toBe('YES')
    expect(await said(letter({}, signature(40)))).toContain('\n')
  })
})

describe('what programs may show differently is no answer', () => {
  test('a line that the author began with a ">", which format=flowed tells from a quotation', async () => {
    const flowed = { 'Content-Type': 'text/plain; charset=utf-8; format=flowed' }
    expect(await said(letter(flowed, 'YES\n >but not before Friday\n'))).toBe('YES\n>but not before Friday')
    expect(await said(letter(flowed, `YES\n>but not before Friday\n> ${MARKER}\n`))).toBe('YES')
    expect(await said(letter(flowed, 'YES \n but not before Friday\n'))).toBe('YES but not before Friday')
    expect(await said(letter(flowed, 'YES\n-- \nAna\n'))).toBe('YES')
  })

  test('a body in base64 with something between or behind it', async () => {
    const encoded = (body: string): Promise<string> =>
      said(letter({ 'Content-Transfer-Encoding': 'base64' }, body))
    for (const body of ['WUVT\n', 'WU\r\n VT', 'WUVTCg==\n', 'WUVTCg'])
      expect(await encoded(body)).toBe('YES')
    for (const body of ['WUVT\n--\nfooter', 'WUVT?', 'WUVTCg==WUVTCg==', 'WU=VT', 'WUVT====', 'WUVT\u00a0'])
      expect(await encoded(body)).not.toBe('YES')
  })

  test('a body that is quoted-printable, whose lines grew blanks on the way', async () => {
    const encoded = (body: string): Promise<string> =>
      said(letter({ 'Content-Transfer-Encoding': 'quoted-printable' }, body))
    for (const body of ['YES', '=59ES\n', 'YE= \t\nS', 'YES \t \n=\n'])
      expect(await encoded(body)).toBe('YES')
    expect(await encoded('YES=20but')).toBe('YES but')
    expect(await encoded('YES=\nbut')).toBe('YESbut')
    for (const body of ['YES=', 'Y=ES', 'YES=3', 'YES=ZZ'])
      expect(await encoded(body)).toBe(body === 'YES=' ? 'YES' : body)
  })

  test('a body in a character set that nobody knows is read as the letters it has', async () => {
    const called = (charset: string, body = 'YES'): Promise<string> =>
      said(letter({ 'Content-Type': `text/plain; charset="${charset}"` }, body))
    for (const charset of ['nobodys-own', '', 'US-ASCII', 'cp1252', 'x-user-defined'])
      expect(await called(charset)).toBe('YES')
    expect(await called('utf-16le')).not.toBe('YES')
  })

  test('a body in an encoding of the sender’s own', async () => {
    const encoded = (name: string): Promise<string> =>
      said(letter({ 'Content-Transfer-Encoding': name }, 'WUVT\n'))
    expect(await encoded('Base64')).toBe('YES')
    for (const name of ['x-base64', 'base64 (really)', 'uuencode', ''])
      expect(await encoded(name)).not.toBe('YES')
  })
})
