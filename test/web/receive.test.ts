import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readForm } from '../../adapters/web/index.js'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const posted = (text: string, type: string = FORM) => readForm(bytes(text), type)
const malformed = (code: string) => ({ kind: 'malformed', code })

/** A form without a reason, a comment or a wish for all approvals. */
const ALONE = { fields: {}, all: null }

describe('a posted form', () => {
  it('gives the reply, the code and the csrf as they were typed', () => {
    expect(posted('reply=YES&code=7k2M&csrf=abc')).toEqual({
      kind: 'form',
      ...ALONE,
      reply: 'YES',
      code: '7k2M',
      csrf: 'abc',
    })
  })

  it('joins repeated replies with commas, in the order they were sent', () => {
    expect(posted('reply=wait&reply=canary&code=7K2M&csrf=a')).toMatchObject({ reply: 'wait,canary' })
  })

  it('takes the one of two controls that was filled in, and both where both were', () => {
    expect(posted('reply=&reply=2026-03-01T09%3A30%3A00Z')).toMatchObject({ reply: '2026-03-01T09:30:00Z' })
    expect(posted('reply=2026-03-01&reply=')).toMatchObject({ reply: '2026-03-01' })
    expect(posted('reply=2026-03-01&reply=2026-03-02')).toMatchObject({ reply: '2026-03-01,2026-03-02' })
    expect(posted('reply=&reply=')).toMatchObject({ reply: '' })
  })

  it('with nothing ticked reads as an empty reply, so that the person is told what is accepted', () => {
    expect(posted('code=7K2M&csrf=a')).toEqual({ kind: 'form', ...ALONE, reply: '', code: '7K2M', csrf: 'a' })
    expect(posted('')).toEqual({ kind: 'form', ...ALONE, reply: '', code: '', csrf: '' })
  })

  it('loses the space around the code but nothing of the reply', () => {
    expect(posted('reply=+YES%0D%0A&code=+7K2M%09&csrf=a')).toMatchObject({ reply: ' YES\r\n', code: '7K2M' })
  })

  it('gives back any text a browser sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (reply, csrf) => {
        const body = new URLSearchParams({ reply, code: '7K2M', csrf }).toString()
        expect(posted(body)).toEqual({ kind: 'form', ...ALONE, reply, code: '7K2M', csrf })
      }),
    )
  })

  it.each([
    ['two codes', 'reply=YES&code=AAAA&code=BBBB&csrf=a', 'repeated_field'],
    ['two csrf values', 'reply=YES&code=AAAA&csrf=a&csrf=b', 'repeated_field'],
    ['a field nobody asked for', 'reply=YES&code=AAAA&csrf=a&proof=console', 'unknown_field'],
    ['a field named like an object’s own', 'reply=YES&__proto__=x', 'unknown_field'],
    ['a field in other case', 'Reply=YES', 'unknown_field'],
    ['a percent sign that encodes nothing', 'reply=%zz', 'bad_encoding'],
    ['a cut percent sign', 'reply=YES%', 'bad_encoding'],
    ['percent-encoded bytes that are not UTF-8', 'reply=%ff', 'bad_encoding'],
    ['an overlong spelling of a letter', 'reply=%C1%99ES', 'bad_encoding'],
    ['an encoded surrogate', 'reply=%ED%A0%80', 'bad_encoding'],
    ['a name without a value', 'reply', 'bad_encoding'],
    ['a value with two equals signs', 'reply=a=b', 'bad_encoding'],
    ['an empty piece', 'reply=YES&&code=AAAA', 'bad_encoding'],
    ['more fields than any form has', Array(1501).fill('reply=A').join('&'), 'too_many_fields'],
  ])('is refused for %s', (_, body, code) => {
    expect(posted(body)).toEqual(malformed(code))
  })

  it('that hands the request on is the reply that would be typed, and says that it is no answer', () => {
    expect(posted('delegate=night.shift-2&code=7K2M&csrf=a')).toEqual({
      kind: 'form',
      ...ALONE,
      reply: 'DELEGATE night.shift-2',
      hands: true,
      code: '7K2M',
      csrf: 'a',
    })
    expect(posted('reply=YES&delegate=&code=7K2M&csrf=a')).toMatchObject({ reply: 'YES' })
  })

  it.each([
    ['answers too', 'reply=YES&delegate=bo', 'answer_beside_delegate'],
    ['answers a decision too', 'd.ship=yes&delegate=bo', 'answer_beside_delegate'],
    ['gives a reason too', 'reason=because&delegate=bo', 'answer_beside_delegate'],
    ['chooses all too', 'all=yes&delegate=bo', 'answer_beside_delegate'],
    ['names two people', 'delegate=bo&delegate=cy', 'repeated_field'],
    ['names two people in one field', 'delegate=bo%0Acy', 'malformed_delegate'],
    ['hides words behind a name', 'delegate=bo+YES', 'malformed_delegate'],
  ])('that hands it on and %s is refused', (_, body, code) => {
    expect(posted(`${body}&code=7K2M&csrf=a`)).toEqual(malformed(code))
  })

  it('takes every option of the longest list ticked at once', () => {
    const ticks = Array.from({ length: 26 }, (_, at) => `reply=${String.fromCharCode(65 + at)}`).join('&')
    expect(posted(`${ticks}&code=7K2M&csrf=a`)).toMatchObject({
      kind: 'form',
      reply: [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].join(','),
    })
  })

  it('is refused for raw bytes that are not UTF-8', () => {
    expect(readForm(Uint8Array.of(0x72, 0x65, 0x70, 0x6c, 0x79, 0x3d, 0xff), FORM)).toEqual(
      malformed('bad_encoding'),
    )
  })

  it.each([
    undefined,
    '',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/jsonp',
  ])('is refused as %s', type => {
    expect(readForm(bytes('reply=YES'), type)).toEqual(malformed('unsupported_media_type'))
  })

  it('is read with its charset named', () => {
    expect(posted('reply=YES', 'Application/X-WWW-Form-URLEncoded; charset=UTF-8')).toMatchObject({
      reply: 'YES',
    })
  })
})

describe('a posted JSON body', () => {
  it('gives the same three strings as the form', () => {
    const body = ' {"reply":"A,B", "code" : " 7K2M ",\n"csrf":"\\u0061"} '
    expect(posted(body, JSON_TYPE)).toEqual({
      kind: 'form',
      ...ALONE,
      reply: 'A,B',
      code: '7K2M',
      csrf: 'a',
    })
    expect(posted('{}', 'application/json; charset=utf-8')).toMatchObject({ kind: 'form', reply: '' })
  })

  it('gives back any text JSON can carry', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 3 }), (reply, indent) => {
        const body = JSON.stringify({ reply, code: '7K2M', csrf: 'a' }, null, indent)
        expect(posted(body, JSON_TYPE)).toEqual({ kind: 'form', ...ALONE, reply, code: '7K2M', csrf: 'a' })
      }),
    )
  })

  it.each([
    ['a second reply hidden behind the first', '{"reply":"NO","reply":"YES"}', 'repeated_field'],
    ['a second reply in another spelling', '{"reply":"NO","\\u0072eply":"YES"}', 'repeated_field'],
    ['an unknown name', '{"reply":"YES","proof":"console"}', 'unknown_field'],
    ['a value that is no string', '{"reply":true}', 'malformed_json'],
    ['a list', '["YES"]', 'malformed_json'],
    ['a nested object', '{"reply":{"reply":"YES"}}', 'malformed_json'],
    ['a lone surrogate', '{"reply":"\\ud800"}', 'malformed_json'],
    ['an end that is missing', '{"reply":"YES"', 'malformed_json'],
    ['an end after a comma', '{"reply":"YES",', 'malformed_json'],
    ['a trailing comma', '{"reply":"YES",}', 'malformed_json'],
    ['something after its end', '{"reply":"YES"} {"reply":"NO"}', 'malformed_json'],
    ['a raw control character', '{"reply":"Y\nES"}', 'malformed_json'],
    ['a bad escape', '{"reply":"\\x41"}', 'malformed_json'],
    ['no body', '', 'malformed_json'],
  ])('is refused for %s', (_, body, code) => {
    expect(posted(body, JSON_TYPE)).toEqual(malformed(code))
  })

  it('is never read more kindly than JSON.parse reads it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '"', ':', ',', '\\', ' ', 'reply', 'u0041', '\u00a0') }),
        body => {
          if (posted(body, JSON_TYPE).kind === 'form') expect(() => JSON.parse(body)).not.toThrow()
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('the fields of a form', () => {
  it('become its lines, a decision with several ticks one line, in the order in which they stand', () => {
    const body = 'd.d1=YES&d.areas=api&d.areas=ui&d.note=&c.d1=well+done&code=7K2M&csrf=a'
    expect(posted(body)).toEqual({
      kind: 'form',
      reply: 'd1 YES\nareas api,ui',
      fields: { 'c.d1': 'well done' },
      all: null,
      code: '7K2M',
      csrf: 'a',
    })
  })

  it('may be lines already, from a program', () => {
    expect(posted('reply=d1+yes%0Ad2+no&code=7K2M')).toMatchObject({ reply: 'd1 yes\nd2 no' })
  })

  it.each([
    ['a line break that would answer another decision', 'd.d1=YES%0Ad2+YES', 'broken_line'],
    ['a bare carriage return', 'd.d1=YES%0Dd2', 'broken_line'],
    ['two comments on one decision', 'c.d1=a&c.d1=b', 'repeated_field'],
    ['a second wish', 'all=yes&all=no', 'repeated_field'],
    ['a wish that is none', 'all=perhaps', 'unknown_field'],
    ['a decision without an id', 'd.=YES', 'unknown_field'],
    ['an id that no decision can have', 'd.1=YES', 'unknown_field'],
  ])('refuses %s', (_, body, code) => {
    expect(posted(body)).toEqual({ kind: 'malformed', code })
  })
})
