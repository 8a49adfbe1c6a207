import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Config,
  checkConfig,
  loadConfig,
  outboxOpen,
  parseConfig,
  proofsFor,
} from '../../src/config/config.js'
import { settings } from '../../src/config/settings.js'
import { USUAL_POLICY } from '../../src/director/policy.js'
import { PROOFS, type Proof } from '../../src/request/channel.js'
import type { Request } from '../../src/request/request.js'
import { approval, question, review } from '../request/samples.js'

const SHIPPED = new URL('../../config/lane.yaml', import.meta.url)

function config(text: string): Config {
  const parsed = parseConfig(text, 'lane.yaml')
  if (!parsed.ok) throw new Error(parsed.problems.map(problem => problem.message).join('\n'))
  return parsed.config
}
function problems(text: string): string[] {
  const parsed = parseConfig(text, 'lane.yaml')
  return parsed.ok ? [] : parsed.problems.map(problem => problem.message)
}
function env(variables: Record<string, string>) {
  const read = settings(variables)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.settings
}
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's' }
const WEB_ONLY = 'recipients:\n  ann:\n    name: Ann\n    web: true\n'

const WEAK: readonly Proof[] = ['link_code', 'sms_from', 'passkey_by_operator']
const STRONG = PROOFS.filter(proof => !WEAK.includes(proof))

describe('the shipped file', () => {
  it('has one person on the web with no hourly limit, who may approve what callers and coding agents ask for, with any proof but the weak ones', async () => {
    const shipped = config(await readFile(SHIPPED, 'utf8'))
    expect(shipped).toEqual({
      recipients: {
        operator: { user_id: 'operator', name: 'Operator', addresses: { web: true }, channels: ['web'] },
      },
      groups: {},
      actions: Object.fromEntries(
        ['PUBLISH', 'PROMOTE', 'EXPORT', 'RUN_STEP', 'USE_TOOL'].map(name => [
          name,
          { approvers: ['operator'], proofs: STRONG },
        ]),
      ),
      questions: { proofs: STRONG },
      reviews: { proofs: STRONG },
      forms: { proofs: STRONG, approvers: ['operator'], take_defaults: false },
      outbox: 'auto',
      limits: {
        open_questions_per_run: 3,
        requests_per_recipient_per_hour: 0,
        reply_attempts_per_delivery: 10,
        open_requests_per_key: 10_000,
        waits_per_key: 1_000,
        streams_per_key: 50,
        content_mib_per_key: 1024,
      },
      callbacks: { allow: [] },
      checkpoints: { every_seconds: 60, publish: [] },
      aah: { route: [], escalate: {}, fetch: [] },
      oidc: { domains: [] },
      email: { banners: [] },
      director: USUAL_POLICY,
    })
    expect(checkConfig(shipped, env({}))).toEqual([])
    expect(outboxOpen(shipped, ['web'])).toBe(true)
  })

  it('shows, as comments, examples that hold once they are uncommented', async () => {
    const text = await readFile(SHIPPED, 'utf8')
    const uncommented = text
      .split('\n')
      .map(line => line.replace(/^( *)# ( *(?:[a-z-]+:( |$)|DEPLOY:).*)$/, '$1$2'))
      .join('\n')
    const full = config(uncommented)
    expect(full.recipients['release-owner']).toMatchObject({ channels: ['slack', 'email'] })
    expect(Object.keys(full.recipients['release-owner']?.addresses ?? {})).toHaveLength(5)
    expect(full.actions.DEPLOY?.approvers).toEqual(['release-owner'])
    expect(full.callbacks.allow).toEqual(['agents.internal', '10.1.0.0/16'])
    expect(full.email.banners).toHaveLength(1)
    expect(full.questions.proofs).toEqual(['slack_signed', 'telegram_id', 'dmarc', 'console'])
  })
})

describe('a file that does not hold is refused with its line', () => {
  const webOnlyWith = (lines: string) => `${WEB_ONLY}${lines}`
  it.each([
    [
      'an unknown section',
      webOnlyWith('recipient: {}\n'),
      5,
      'recipient: read an object with 0 fields; no such field',
    ],
    [
      'a misspelt limit',
      webOnlyWith('limits:\n  open_question_per_run: 3\n'),
      6,
      'limits.open_question_per_run: read 3',
    ],
    ['a limit in words', webOnlyWith('limits:\n  open_questions_per_run: three\n'), 6, '0 is no limit'],
    [
      'a negative limit',
      webOnlyWith('limits: { reply_attempts_per_delivery: -1 }\n'),
      5,
      'an integer from 0 to',
    ],
    ['a key twice', webOnlyWith('outbox: on\noutbox: off\n'), 6, 'map keys must be unique'],
    [
      'a callback host with a port',
      webOnlyWith('callbacks:\n  allow:\n    - agents.internal\n    - 127.0.0.1:3000\n'),
      8,
      'a host name in lower case, an IP address, or a network',
    ],
    ['callbacks allowed without a list', webOnlyWith('callbacks: { allow: localhost }\n'), 5, 'a list of'],
    [
      'a banner that could be an answer',
      webOnlyWith('email: { banners: ["YES"] }\n'),
      5,
      'one line of 8 to 500 characters',
    ],
    ['a YAML error', webOnlyWith('limits: [\n'), 6, 'flow sequence'],
    ['an alias', webOnlyWith('limits: &l {}\nquestions: *l\n'), 6, 'aliases are not allowed'],
    [
      'a reserved name',
      webOnlyWith('actions:\n  constructor: { approvers: [ann] }\n'),
      6,
      'the key constructor is not allowed',
    ],
    [
      '__proto__',
      'recipients:\n  __proto__: { name: A, web: true }\n',
      2,
      'the key __proto__ is not allowed',
    ],
    ['no people', 'recipients: {}\n', 1, 'one or more people'],
    ['an empty file', '', 1, 'the file: read null'],
    [
      'a person without a name',
      'recipients:\n  ann:\n    web: true\n',
      2,
      'recipients.ann.name: read nothing',
    ],
    ['a person without an address', 'recipients:\n  ann:\n    name: Ann\n', 2, 'at least one address'],
    ['a hidden character in a name', 'recipients:\n  ann: { name: "A\\u202enn", web: true }\n', 2, 'U+202E'],
    ['an id with a space', 'recipients:\n  "a b": { name: A, web: true }\n', 2, '1 to 128 of'],
    ['an unquoted phone number', 'recipients:\n  ann:\n    name: A\n    sms: +15551230000\n', 4, 'in quotes'],
    [
      'a Telegram group',
      'recipients:\n  ann:\n    name: A\n    telegram: -100\n',
      4,
      'a group vouches for nobody',
    ],
    [
      'a Slack name',
      'recipients:\n  ann:\n    name: A\n    slack: { team: T1, user: ann }\n',
      4,
      'such as U0456',
    ],
    [
      'an address list',
      'recipients:\n  ann:\n    name: A\n    email: "a@example.org, b@example.org"\n',
      4,
      'an address such as',
    ],
    ['web: false', 'recipients:\n  ann:\n    name: A\n    web: false\n', 4, 'leave the line out'],
    [
      'a preferred channel without an address',
      'recipients:\n  ann:\n    name: A\n    web: true\n    channels:\n      - web\n      - sms\n',
      7,
      'recipients.ann.channels.1: read "sms"; a channel this person has an address on: web',
    ],
    [
      'an unknown channel',
      webOnlyWith('').replace('web: true', 'web: true\n    channels: [web, fax]'),
      5,
      'slack, email',
    ],
    [
      'an unknown approver',
      webOnlyWith('actions:\n  PUBLISH:\n    approvers: [ann, bo]\n'),
      7,
      'one of the recipients ann',
    ],
    [
      'no approver',
      webOnlyWith('actions:\n  PUBLISH:\n    approvers: []\n'),
      7,
      'one or more different recipients',
    ],
    [
      'an unknown proof',
      webOnlyWith('actions:\n  P: { approvers: [ann], proofs: [trust_me] }\n'),
      6,
      'slack_signed',
    ],
    [
      'an account to be linked in a domain that is not listed',
      'recipients:\n  ann: { name: Ann, email: ann@example.org, oidc: link }\noidc: { domains: [example.com] }\n',
      2,
      'link needs an email of theirs in one of oidc.domains',
    ],
    [
      'an account to be linked without an address',
      'recipients:\n  ann: { name: Ann, web: true, oidc: link }\noidc: { domains: [example.org] }\n',
      2,
      'link needs an email of theirs',
    ],
    [
      'an account to be linked that nobody could confirm',
      'recipients:\n  ann: { name: Ann, email: ann@example.org, web: true, channels: [web], oidc: link }\noidc: { domains: [example.org] }\n',
      2,
      'link needs one of slack, telegram, email among their channels',
    ],
    [
      'a domain that stands for many',
      'recipients:\n  ann: { name: Ann, email: ann@example.org }\noidc: { domains: ["*.example.org"] }\n',
      3,
      'a domain in small letters',
    ],
    ['no proof', webOnlyWith('questions: { proofs: [] }\n'), 5, 'one or more different proofs'],
    [
      'silence that goes on',
      webOnlyWith('director:\n  decisions:\n    DENY: CONTINUE\n'),
      7,
      'director.decisions.DENY: read "CONTINUE"; SPLIT, HALT or { mood',
    ],
    [
      'a refused approval that goes on',
      webOnlyWith('director:\n  decisions: { approval_refused: CONTINUE }\n'),
      6,
      'nobody has said yes',
    ],
    [
      'a mood that is none',
      webOnlyWith('director: { decisions: { HALT: { mood: GLAD } } }\n'),
      5,
      'CALM, CURIOUS',
    ],
    ['a decision that is none', webOnlyWith('director: { decisions: { HALT: GO } }\n'), 5, 'SPLIT, HALT or'],
    [
      'an outcome that is none',
      webOnlyWith('director: { decisions: { PUBLISH: HALT } }\n'),
      5,
      'no such field',
    ],
    [
      'an approval that is never valid',
      webOnlyWith('director: { approval_valid_seconds: 0 }\n'),
      5,
      'from 1 to 86400',
    ],
    ['an outbox that is neither', webOnlyWith('outbox: yes\n'), 5, 'auto, on or off'],
    [
      'two people with one address',
      'recipients:\n  ann: { name: A, email: x@example.org }\n  bo: { name: B, email: X@example.org }\n',
      3,
      'ann has it',
    ],
  ])('%s', (_, text, line, words) => {
    const parsed = parseConfig(text, 'lane.yaml')
    expect(parsed.ok).toBe(false)
    if (parsed.ok) return
    expect(parsed.problems[0]?.line).toBe(line)
    expect(parsed.problems[0]?.message).toMatch(new RegExp(`^lane.yaml:${line}: `))
    expect(parsed.problems[0]?.message).toContain(words)
  })

  it('all problems are told at once, in the order of their lines', () => {
    expect(
      problems(webOnlyWith('outbox: maybe\nlimit: {}\nlimits: { x: 1 }\n')).map(text => text.split(':')[1]),
    ).toEqual(['5', '6', '7'])
  })

  it('a file that is not there is a problem, not a crash', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lane-config-'))
    const file = join(folder, 'lane.yaml')
    expect(await loadConfig(file)).toEqual({
      ok: false,
      problems: [{ line: 0, message: `${file}: cannot be read (ENOENT); LANE_CONFIG names another file` }],
    })
    await writeFile(file, WEB_ONLY)
    expect(await loadConfig(file)).toEqual({ ok: true, config: config(WEB_ONLY) })
    await rm(folder, { recursive: true })
  })
})

describe('what is left out', () => {
  it('limits have their defaults, each on its own', () => {
    expect(config(WEB_ONLY).limits).toEqual({
      open_questions_per_run: 3,
      requests_per_recipient_per_hour: 60,
      reply_attempts_per_delivery: 10,
      open_requests_per_key: 10_000,
      waits_per_key: 1_000,
      streams_per_key: 50,
      content_mib_per_key: 1024,
    })
    expect(config(`${WEB_ONLY}limits: { open_questions_per_run: 0 }\n`).limits).toMatchObject({
      open_questions_per_run: 0,
      requests_per_recipient_per_hour: 60,
    })
  })

  it('people without a preference are reached in the order in which their addresses are written', () => {
    const text = 'recipients:\n  ann: { sms: "+15551230000", name: A, web: true, email: a@example.org }\n'
    expect(config(text).recipients.ann?.channels).toEqual(['sms', 'web', 'email'])
  })

  it('a person or action that is not configured is undefined, whatever its name', () => {
    const { recipients, actions } = config(WEB_ONLY)
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(recipients[name]).toBeUndefined()
      expect(actions[name]).toBeUndefined()
    }
  })
})

describe('which proofs are enough', () => {
  const asRequest = (sample: object) => sample as Request
  const policy = (person: string, rest = '') =>
    config(
      `recipients:\n  ann: ${person}\n  bo: { name: B, web: true }\nactions:\n  PUBLISH: { approvers: [ann, bo]${rest} }\n`,
    )
  it.each([
    ['{ name: A, slack: { team: T1, user: U1 } }'],
    ['{ name: A, email: a@example.org }'],
    ['{ name: A, telegram: 5 }'],
    ['{ name: A, sms: "+15551230000" }'],
    ['{ name: A, web: true }'],
  ])('with an approver %s, a link and a caller id do not approve', person => {
    expect(proofsFor(policy(person), asRequest(approval))).toEqual(STRONG)
  })
  it.each(['link_code', 'sms_from'])('%s is enough where the action says so', proof => {
    const said = policy('{ name: A, sms: "+15551230000" }', `, proofs: [${proof}]`)
    expect(proofsFor(said, asRequest(approval))).toEqual([proof])
  })
  it('what the action says holds', () => {
    const said = policy('{ name: A, email: a@example.org }', ', proofs: [link_code]')
    expect(proofsFor(said, asRequest(approval))).toEqual(['link_code'])
  })
  it('an action that is no longer configured is answered by no proof', () => {
    expect(proofsFor(config(WEB_ONLY), asRequest(approval))).toEqual([])
  })
  it('a question is not answered by a forwarded link or a forged number either, unless the file says so', () => {
    const said = config(`${WEB_ONLY}reviews: { proofs: [console] }\n`)
    expect(proofsFor(said, asRequest(question))).toEqual(STRONG)
    expect(proofsFor(said, asRequest(review))).toEqual(['console'])
  })
})

describe('file and environment together', () => {
  const on = (channels: string, rest = '') =>
    config(
      `recipients:\n  ann: { name: A, web: true, slack: { team: T1, user: U1 }, email: a@example.org, channels: ${channels} }\n${rest}`,
    )

  it.each([
    [
      '[slack]',
      {},
      'slack, which is not configured: set SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET or SLACK_APP_TOKEN',
    ],
    [
      '[slack]',
      { SLACK_BOT_TOKEN: 'x' },
      'slack, which is not configured: set SLACK_SIGNING_SECRET or SLACK_APP_TOKEN',
    ],
    [
      '[email]',
      SLACK,
      'email, which is not configured: set SMTP_URL, EMAIL_FROM, IMAP_URL or EMAIL_WEBHOOK_SECRET',
    ],
  ])(
    'a recipient on %s with %j is a start error that names what is missing',
    (channels, variables, words) => {
      expect(checkConfig(on(channels), env(variables))).toEqual([`recipient ann is on ${words}`])
    },
  )
  it('a recipient on a configured channel is fine', () => {
    expect(checkConfig(on('[slack, web]'), env(SLACK))).toEqual([])
  })

  it('an outbox on auto closes as soon as a channel reaches people', () => {
    expect(outboxOpen({ outbox: 'auto' }, ['web'])).toBe(true)
    expect(outboxOpen({ outbox: 'auto' }, ['web', 'sms'])).toBe(false)
    expect(outboxOpen({ outbox: 'on' }, ['web', 'sms'])).toBe(true)
    expect(outboxOpen({ outbox: 'off' }, ['web'])).toBe(false)
  })
  it.each([
    ['outbox: off', {}],
    ['outbox: auto', SLACK],
  ])('a web-only recipient is a start error with %s and %j', (outbox, variables) => {
    expect(checkConfig(config(`${WEB_ONLY}${outbox}\n`), env(variables))).toEqual([
      expect.stringMatching(
        /^recipient ann is on web alone and nothing carries the link there: .*set outbox: on$/,
      ),
    ])
  })
  it('a web-only recipient beside a configured channel is fine with outbox: on', () => {
    expect(checkConfig(config(`${WEB_ONLY}outbox: on\n`), env(SLACK))).toEqual([])
  })
})
