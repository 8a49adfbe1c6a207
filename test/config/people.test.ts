// What the configuration says of people beside their addresses: groups, hours, and who stands in for whom.
import { describe, expect, test } from 'vitest'
import { type Config, parseConfig } from '../../src/config/config.js'

const PEOPLE = `recipients:
  ann: { name: Ann, web: true }
  bo: { name: Bo, web: true }
  cy: { name: Cy, web: true }
`
function config(text: string): Config {
  const parsed = parseConfig(text, 'lane.yaml')
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  return parsed.config
}
function problems(text: string): readonly string[] {
  const parsed = parseConfig(text, 'lane.yaml')
  return parsed.ok ? [] : parsed.problems.map(({ message }) => message)
}

test('a group stands wherever a person can be named, and everybody counts once', () => {
  const { groups, actions, recipients } = config(`${PEOPLE}  di:
    name: Di
    web: true
    delegates: [ann, "group:managers"]
groups:
  managers: [ann, bo, di]
actions:
  PUBLISH: { approvers: [bo, "group:managers"] }
`)
  expect(groups.managers).toEqual(['ann', 'bo', 'di'])
  expect(actions.PUBLISH?.approvers).toEqual(['bo', 'ann', 'di'])
  expect(recipients.di?.delegates).toEqual(['ann', 'bo'])
})

test('hours are read with the zone they are hours of', () => {
  const { recipients } = config(`recipients:
  ann:
    name: Ann
    web: true
    time_zone: Europe/Berlin
    quiet_hours: { from: "22:00", to: "07:00", days: [mon, tue] }
`)
  expect(recipients.ann).toMatchObject({
    time_zone: 'Europe/Berlin',
    quiet_hours: { from: '22:00', to: '07:00', days: ['mon', 'tue'] },
  })
})

test('two people may stand in for each other: a circle is closed where a request would go round it', () => {
  const { recipients } = config(`recipients:
  ann: { name: Ann, web: true, delegates: [bo] }
  bo: { name: Bo, web: true, delegates: [ann] }
`)
  expect(recipients.ann?.delegates).toEqual(['bo'])
  expect(recipients.bo?.delegates).toEqual(['ann'])
})

const ann = (rest: string): string => `recipients:\n  ann:\n    name: Ann\n    web: true\n${rest}`

describe('refused by name and line', () => {
  test.each([
    [
      'a group without people',
      `${PEOPLE}groups:\n  none: []\n`,
      6,
      'groups.none',
      '1 to 10 different recipients',
    ],
    ['a group that names a stranger', `${PEOPLE}groups:\n  g: [ann, zoe]\n`, 6, 'groups.g.1', 'ann, bo, cy'],
    ['a group of groups', `${PEOPLE}groups:\n  g: ["group:g"]\n`, 6, 'groups.g.0', '1 to 128 of'],
    [
      'a group that is not there',
      `${PEOPLE}groups:\n  g: [ann]\nactions:\n  P: { approvers: ["group:h"] }\n`,
      8,
      'actions.P.approvers.0',
      'one of the groups group:g',
    ],
    [
      'a group where there are none',
      `${PEOPLE}actions:\n  P: { approvers: ["group:h"] }\n`,
      6,
      'actions.P.approvers.0',
      'a group of this file, which has none',
    ],
    ['an unknown zone', ann('    time_zone: Europe/Berlinn\n'), 5, 'recipients.ann.time_zone', 'IANA'],
    ['an offset for a zone', ann('    time_zone: "+01:00"\n'), 5, 'recipients.ann.time_zone', 'IANA'],
    [
      'quiet hours nowhere',
      ann('    quiet_hours: { from: "22:00", to: "07:00" }\n'),
      5,
      'recipients.ann.quiet_hours',
      'a time_zone beside it',
    ],
    [
      'quiet hours that begin when they end',
      ann('    time_zone: UTC\n    quiet_hours: { from: "07:00", to: "07:00" }\n'),
      6,
      'recipients.ann.quiet_hours.to',
      'another hour than from',
    ],
    [
      'an hour that is none',
      ann('    time_zone: UTC\n    quiet_hours: { from: "24:00", to: "07:00" }\n'),
      6,
      'recipients.ann.quiet_hours.from',
      'an hour such as "22:00"',
    ],
    [
      'a day that is none',
      ann('    time_zone: UTC\n    quiet_hours: { from: "22:00", to: "07:00", days: [friday] }\n'),
      6,
      'recipients.ann.quiet_hours.days.0',
      'mon, tue, wed',
    ],
    ['a deputy of oneself', ann('    delegates: [ann]\n'), 5, 'recipients.ann.delegates.0', 'somebody else'],
    [
      'a stranger as deputy',
      ann('    delegates: [zoe]\n'),
      5,
      'recipients.ann.delegates.0',
      'recipients ann',
    ],
  ])('%s', (_, text, line, place, accepted) => {
    const [first = ''] = problems(text)
    expect(first).toContain(`lane.yaml:${line}: ${place}: read `)
    expect(first).toContain(accepted)
  })
})

describe('a ladder of the operator’s', () => {
  const action = (ladder: string): string =>
    `${PEOPLE}groups:\n  g: [bo, cy]\nactions:\n  P:\n    approvers: [ann, bo]\n    ladder: ${ladder}\n`

  test('adds people who may approve, a group among them', () => {
    const { actions } = config(
      action('[{ after_seconds: 60, do: remind }, { after_seconds: 90, do: add, recipients: [bo] }]'),
    )
    expect(actions.P?.ladder).toEqual([
      { after_seconds: 60, do: 'remind' },
      { after_seconds: 90, do: 'add', recipients: [{ user_id: 'bo' }] },
    ])
  })

  test.each([
    [
      'adds somebody who may not approve',
      '[{ after_seconds: 60, do: add, recipients: [cy] }]',
      'people who may approve P: ann, bo',
    ],
    [
      'adds a group that holds one',
      '[{ after_seconds: 60, do: add, recipients: ["group:g"] }]',
      'people who may approve P: ann, bo',
    ],
    [
      'adds a stranger',
      '[{ after_seconds: 60, do: add, recipients: [zoe] }]',
      'one of the recipients ann, bo, cy',
    ],
    [
      'names an unknown group',
      '[{ after_seconds: 60, do: add, recipients: ["group:h"] }]',
      'one of the groups group:g',
    ],
    [
      'does not grow',
      '[{ after_seconds: 60, do: remind }, { after_seconds: 60, do: remind }]',
      'above that of the step before',
    ],
    [
      'names a channel on which somebody it adds is not reached',
      '[{ after_seconds: 60, do: add, recipients: [{ user_id: bo, channels: [web, sms] }] }]',
      'ladder.0.recipients.0.channels.1: read "sms"; a channel of bo',
    ],
    ['does what no step does', '[{ after_seconds: 60, do: shout }]', 'remind, add or next_channel'],
  ])('stops the start where it %s', (_, ladder, accepted) => {
    expect(problems(action(ladder)).join(' ')).toContain(accepted)
  })
})

test('a ladder of the operator’s has at most 20 people, those of groups among them', () => {
  const ids = Array.from({ length: 21 }, (_, at) => `p${at}`)
  const people = ids.map(one => `  ${one}: { name: ${one}, web: true }\n`).join('')
  const groups = [ids.slice(0, 10), ids.slice(10, 20)]
    .map((group, at) => `  g${at}: [${group.join(', ')}]\n`)
    .join('')
  const asking = (named: string): string =>
    `recipients:\n${people}groups:\n${groups}questions: { ladder: [{ after_seconds: 60, do: add, recipients: [${named}] }] }\n`
  expect(problems(asking('"group:g0", "group:g1", p3'))).toEqual([])
  expect(problems(asking('"group:g0", "group:g1", p20')).join(' ')).toContain(
    'questions.ladder: read a list of 1; at most 20 people, those of groups among them',
  )
})

test('a quorum that those who may approve could not reach stops the start', () => {
  const action = (need: number): string =>
    `${PEOPLE}groups: { g: [ann, bo] }\nactions: { P: { approvers: ["group:g", bo], quorum: { need: ${need} } } }\n`
  expect(problems(action(2))).toEqual([])
  expect(problems(action(3)).join(' ')).toContain(
    'actions.P.quorum.need: read 3; at most as many as may approve P, which are 2',
  )
})
