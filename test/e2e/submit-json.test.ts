// JSON with one meaning, and an envelope without a field too many.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { caller, errorsOf, type Json } from './caller.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.close())
const { submit, refused } = caller(() => lane)

describe('JSON has one meaning', () => {
  const raw = (body: string | Uint8Array, type = 'application/json'): Promise<Answer> =>
    lane.call('POST', '/v1/requests', { raw: body, headers: { 'content-type': type } })
  const whole = (id: string): string =>
    JSON.stringify({
      request: question(id),
      run: { run_id: 'run-json', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
    })
  const good = whole('bad-json')

  test.each<[string, string]>([
    ['nothing', ''],
    ['half', good.slice(0, -1)],
    ['two in a row', `${good}${good}`],
    ['a comma too many', good.replace(/\}$/, ',}')],
    ['single quotes', good.replaceAll('"', "'")],
    ['NaN', good.replace('600', 'NaN')],
    ['a number too large', good.replace('600', '1e999')],
    ['a comment', `/* hello */${good}`],
    [
      'the same key twice',
      good.replace('"default_action":"HALT"', '"default_action":"HALT","default_action":"DENY"'),
    ],
    [
      'the same key twice, once escaped',
      good.replace('"default_action":', '"default_actio\\u006e":"DENY","default_action":'),
    ],
    [
      'the same key twice in the envelope',
      good.replace('"recipients":', '"recipients":["second"],"recipients":'),
    ],
    ['a lone surrogate', good.replace('Ship', '\\ud800Ship')],
    ['a bare control character', good.replace('Ship', '\u0001Ship')],
    ['__proto__', good.replace('"type"', '"__proto__":{"x":1},"type"')],
    ['constructor', good.replace('"type"', '"constructor":{"x":1},"type"')],
    ['__proto__, escaped', good.replace('"type"', '"\\u005f_proto__":{"x":1},"type"')],
    ['arrays a thousand deep', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['objects a thousand deep', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
    ['sixty thousand brackets', '['.repeat(60_000)],
    ['eight thousand and one keys', `{${Array.from({ length: 8001 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['a byte order mark', `\ufeff${good}`],
  ])('%s is malformed_json', async (_, body) => {
    const answer = await refused(() => raw(body), 400, 'malformed_json')
    expect(answer.json.detail).not.toBe('')
  })

  test('bytes that are not UTF-8 are refused, not repaired', async () => {
    const bytes = Buffer.from(good.replace('Ship', 'S\u00ffhip'), 'latin1')
    const answer = await refused(() => raw(bytes), 400, 'malformed_json')
    expect(answer.json.detail).toContain('UTF-8')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'multipart/form-data',
  ])('a submission sent as %s is refused with the type that is taken', async type => {
    const answer = await refused(() => raw(good, type), 415, 'unsupported_media_type')
    expect(answer.json.detail).toContain('application/json')
  })

  test.each(['null', '[]', '"x"', '7', 'true', '{}'])('%s is JSON, and no submission', async body => {
    await refused(() => raw(body), 422, 'invalid_request')
  })

  test.each<[string, Json]>([
    ['/request', { request: 'ship it' }],
    ['/request', { request: null }],
    ['/run', { run: 'run-1' }],
    ['/run/run_id', { run: { mood: 'DEFERENTIAL' } }],
    ['/run/mood', { run: { run_id: 'r' } }],
    ['/run/agent', { run: { run_id: 'r', mood: 'DEFERENTIAL', agent: 'me' } }],
    ['/run/sub_mode', { run: { run_id: 'r', mood: 'DEFERENTIAL', sub_mode: 'review' } }],
    ['/recipients', { recipients: 'operator' }],
    ['/recipients', { recipients: [] }],
    ['/recipients', { recipients: ['operator', 'operator'] }],
    ['/recipients/0', { recipients: [7] }],
    ['/recipients/0/address', { recipients: [{ user_id: 'operator', address: 'x' }] }],
    ['/recipients/0/channels/0', { recipients: [{ user_id: 'operator', channels: ['fax'] }] }],
    ['/recipients/0/channels', { recipients: [{ user_id: 'operator', channels: [] }] }],
    ['/sender_identity', { sender_identity: { user_id: 'operator', proof: 'slack_signed' } }],
    ['/answer', { answer: { parsed_choice: 'YES' } }],
  ])('a wrong type or unknown field at %s is refused by that name: %j', async (field, envelope) => {
    const answer = await refused(() => submit(question('bad-envelope'), envelope), 422, 'invalid_request')
    expect(
      errorsOf(answer).map(one => one.field),
      answer.text,
    ).toContain(field)
  })

  test('many errors at once are told, but not without end', async () => {
    const junk = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`junk${index}`, 1]))
    const answer = await refused(() => submit({ ...question('bad-all'), ...junk }), 422, 'invalid_request')
    expect(errorsOf(answer).length).toBeLessThanOrEqual(50)
    expect(answer.text.length).toBeLessThan(20_000)
  })
})
