// A message with a file in a card's thread: whoever sent it believes to have answered, so it is neither taken nor ignored.
import { afterEach, expect, test } from 'vitest'
import { until } from '../until.js'
import { raise, type Scene, type SceneOptions } from './scene.js'

let scene: Scene
const begin = async (options?: SceneOptions): Promise<void> => {
  scene = await raise(options)
}
afterEach(() => scene.end())

const FILES = [{ id: 'F1', name: 'not-yet.png' }]
const owner = (): string => scene.workspace.people.owner

test.each<[string, Record<string, unknown>]>([
  ['as Slack calls it', { subtype: 'file_share', files: FILES }],
  ['without its name', { files: FILES }],
  ['whose file was taken away', { subtype: 'file_share' }],
  ['shown in the conversation too', { subtype: 'thread_broadcast', files: FILES }],
])(
  'a file with the answer written beside it, %s, is no answer, and the person is told',
  async (_name, more) => {
    await begin()
    const copy = await scene.asked('file-1')
    expect(await scene.person.write(owner(), copy, 'YES', more)).toEqual({ status: 200, body: '' })
    const [told] = await until(
      'a word in the thread',
      () => scene.workspace.replies(copy.channel, copy.message.ts),
      words => words.length === 1,
    )
    expect(told?.text).toBe('A message with a file answers nothing. Reply YES or NO.')
    expect([await scene.state('file-1'), await scene.reasons('file-1')]).toEqual([
      'pending',
      ['reply_not_in_schema'],
    ])
    await scene.person.write(owner(), copy, 'NO')
    expect(await scene.settled('file-1')).toMatchObject({ answer: { parsed_choice: 'NO' } })
  },
)

test('a file is no answer where any words are one', async () => {
  await begin()
  const copy = await scene.asked('file-2', { reply_schema: { kind: 'text', max_chars: 80 } })
  await scene.person.write(owner(), copy, 'Ship it on Monday', { subtype: 'file_share', files: FILES })
  expect([await scene.state('file-2'), await scene.reasons('file-2')]).toEqual([
    'pending',
    ['reply_not_in_schema'],
  ])
})

test('[LANE-047] a file from somebody who was not asked is on record as theirs, and told to them alone', async () => {
  await begin({ inChannel: true })
  const copy = await scene.asked('file-3')
  await scene.person.write(scene.workspace.people.deputy, copy, 'YES', {
    subtype: 'file_share',
    files: FILES,
  })
  const [notice] = await scene.called('chat.postEphemeral')
  expect(notice?.body).toMatchObject({ text: expect.stringMatching(/put to somebody else/) })
  expect(await scene.reasons('file-3')).toEqual(['wrong_recipient'])
  expect(await scene.workspace.replies(copy.channel, copy.message.ts)).toEqual([])
})

test('a file after the outcome is told what holds', async () => {
  await begin()
  const copy = await scene.asked('file-4')
  await scene.person.press(owner(), copy, 'YES')
  await scene.settled('file-4')
  await scene.person.write(owner(), copy, '', { subtype: 'file_share', files: FILES })
  const [told] = await until(
    'a word in the thread',
    () => scene.workspace.replies(copy.channel, copy.message.ts),
    words => words.length === 1,
  )
  expect(told?.text).toMatch(/^Too late: this is settled. owner answered YES/)
  expect(await scene.reasons('file-4')).toEqual(['already_resolved'])
})

test('a file beside the thread is told where an answer belongs', async () => {
  await begin()
  const copy = await scene.asked('file-5')
  await scene.person.write(owner(), copy, 'YES', {
    thread_ts: undefined,
    subtype: 'file_share',
    files: FILES,
  })
  const [notice] = await scene.called('chat.postEphemeral')
  expect(notice?.body).toMatchObject({ text: expect.stringMatching(/^Nothing was recorded/) })
  expect(await scene.state('file-5')).toBe('pending')
})
