import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { checkChannels } from '../../src/cli/check/channels.js'
import { checkPlaces } from '../../src/cli/check/checkpoint.js'
import { checkConfiguration, checkEnvFile, checkVariables } from '../../src/cli/check/configuration.js'
import { fail, ok, warn } from '../../src/cli/check/finding.js'
import { checkDirectory, checkNode, judgeRoom, obstacleTo } from '../../src/cli/check/machine.js'
import { checkEnrolled } from '../../src/cli/check/passkeys.js'
import { hintsOf, judgeClock, judgeReady } from '../../src/cli/check/reach.js'
import { checkPasskeys, checkSigningIn } from '../../src/cli/check/signing-in.js'
import { checkStore, judgeLast } from '../../src/cli/check/store.js'
import { findingLine } from '../../src/cli/doctor.js'
import { plain } from '../../src/cli/print.js'
import { machineClock } from '../../src/clock.js'
import { type Environment, type Settings, settings } from '../../src/config/settings.js'
import { openSecret } from '../../src/keys/secret.js'
import { unlock } from '../../src/keys/unlocking.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { note } from '../contract/ledger/stage.js'
import { started } from '../ledger/craft.js'
import { registered } from '../passkey/registered.js'
import { unlocked } from '../unlocked.js'
import { freshDirectory } from './gateway.js'
import { NOW } from './terminal.js'

const MIB = 1024 * 1024
const statuses = (findings: readonly { check: string; status: string }[]): string[] =>
  findings.map(({ check, status }) => `${check} ${status}`)

function settingsOf(env: Environment): Settings {
  const read = settings(env)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.settings
}

describe('a finding', () => {
  test('is one line: a mark, what was looked at, what was seen, what to do', () => {
    expect(findingLine(ok('node', 'Node 20'), plain)).toBe('✓ node            Node 20')
    expect(findingLine(warn('disk', 'little room', 'make room'), plain)).toBe(
      '! disk            little room → make room',
    )
    expect(findingLine(fail('clock', 'wrong', 'set it'), plain)).toBe('✗ clock           wrong → set it')
  })
})

describe('the machine', () => {
  test.each([
    ['20.18.3', 'fail'],
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['24.18.1', 'ok'],
    ['24.19.0', 'warn'],
    ['25.0.0', 'ok'],
    ['9.0.0', 'fail'],
  ])('Node %s: %s', (version, status) => {
    expect(checkNode(version).status).toBe(status)
  })

  test.each([
    [99 * MIB, 'fail'],
    [100 * MIB, 'warn'],
    [1023 * MIB, 'warn'],
    [1024 * MIB, 'ok'],
  ])('%i bytes of room: %s', (bytes, status) => {
    expect(judgeRoom(bytes, '/data').status).toBe(status)
  })

  test('a data directory others can look into, and a key they can read, fail with the command that helps', () => {
    const dataDir = join(freshDirectory(), 'data')
    mkdirSync(dataDir, { mode: 0o755 })
    for (const [name, mode] of [
      ['secret', 0o600],
      ['operator.key', 0o644],
    ] as const) {
      writeFileSync(join(dataDir, name), 'x')
      chmodSync(join(dataDir, name), mode)
    }
    const findings = checkDirectory(dataDir)
    expect(statuses(findings)).toEqual(['data directory fail', 'secrets ok', 'secrets fail'])
    expect(findings.map(finding => finding.remedy)).toEqual([
      `chmod 700 ${dataDir}`,
      null,
      `chmod 600 ${join(dataDir, 'operator.key')}`,
    ])
  })

  test('an outbox that is no file fails, with what becomes of it', () => {
    const dataDir = freshDirectory()
    mkdirSync(join(dataDir, 'outbox.ndjson'))
    expect(checkDirectory(dataDir)[0]).toEqual(
      fail(
        'outbox',
        `${join(dataDir, 'outbox.ndjson')} is not a file: no link can be printed`,
        'move it away',
      ),
    )
  })

  test('a data directory that does not exist yet is no failure', () => {
    expect(statuses(checkDirectory(join(freshDirectory(), 'data')))).toEqual(['data directory warn'])
  })

  test('a data directory that cannot be made fails with what stands in its way, and no ledger is promised', async () => {
    const file = join(freshDirectory(), 'file')
    writeFileSync(file, '')
    const remedy = 'set LANE_DATA_DIR to a directory, or to where one can be made'
    const below = join(file, 'a', 'data')
    expect(checkDirectory(below)).toEqual([
      fail('data directory', `${below} cannot be made: ${file} is not a directory`, remedy),
    ])
    expect(checkDirectory(file)).toEqual([fail('data directory', `${file} is not a directory`, remedy)])
    expect([...(await checkStore(below, null, NOW)), ...(await checkStore(file, null, NOW))]).toEqual([])
  })

  test('a data directory under one that may not be written fails, and names that one', () => {
    const parent = freshDirectory()
    const dataDir = join(parent, 'a', 'data')
    expect(obstacleTo(dataDir, at => at !== parent)).toEqual([
      `${dataDir} cannot be made: this user may not write to ${parent}`,
      'make it and give it to the user that runs the lane, or set LANE_DATA_DIR',
    ])
    // One that exists need not be made.
    expect(obstacleTo(parent, () => false)).toBeNull()
  })
})

describe('the configuration', () => {
  test('each variable that is wrong is named, its value is not', () => {
    const { findings } = checkVariables({ PORT: 'eighty', LANE_SECRET: 'tooshort' })
    expect(findings.map(finding => finding.remedy)).toEqual(['correct PORT', 'correct LANE_SECRET'])
    expect(JSON.stringify(findings)).not.toContain('tooshort')
  })

  test('an address in plain text that was permitted is warned of, one that was not fails', () => {
    const env = { SMS_API_URL: 'http://sms.example.org' }
    expect(statuses(checkVariables(env).findings)).toEqual(['variables fail'])
    const permitted = checkVariables({ ...env, SMS_API_URL_INSECURE: '1' })
    expect(statuses(permitted.findings)).toEqual(['variables ok', 'variables warn'])
    expect(permitted.findings[1]?.message).toContain('SMS_API_URL_INSECURE')
  })

  test('.env: others should not read it, and a misspelt name is told the one that was meant', () => {
    const file = join(freshDirectory(), '.env')
    writeFileSync(file, 'SLACK_BOT_TOKN=x\nEDITOR_HOME=y\nPORT=1\n')
    chmodSync(file, 0o640)
    const findings = checkEnvFile(file)
    expect(statuses(findings)).toEqual(['.env warn', '.env warn'])
    expect(findings[1]?.remedy).toBe('did you mean SLACK_BOT_TOKEN?')
  })

  test('a misspelt key fails with its line', async () => {
    const file = join(freshDirectory(), 'lane.yaml')
    writeFileSync(file, 'recipients:\n  operator: { name: Operator, web: true }\noutbocks: auto\n')
    const [finding, ...rest] = await checkConfiguration(settingsOf({ LANE_CONFIG: file }))
    expect(finding).toMatchObject({ check: 'configuration', status: 'fail' })
    expect(finding?.message).toContain(`${file}:3:`)
    expect(rest).toEqual([])
  })

  test('a person on a channel that is not configured fails with what is missing', async () => {
    const file = join(freshDirectory(), 'lane.yaml')
    writeFileSync(file, 'recipients:\n  a: { name: A, telegram: 12 }\n')
    const findings = await checkConfiguration(settingsOf({ LANE_CONFIG: file }))
    expect(statuses(findings)).toEqual(['configuration ok', 'people fail'])
    expect(findings[1]?.message).toContain('TELEGRAM_BOT_TOKEN')
  })

  test.each([
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'slack', 'set SLACK_SIGNING_SECRET or SLACK_APP_TOKEN'],
    [{ TELEGRAM_WEBHOOK_SECRET: 'x' }, 'telegram', 'set TELEGRAM_BOT_TOKEN'],
  ])('a channel with %j alone is a warning that says what is missing', async (env, channel, remedy) => {
    const [variable] = Object.keys(env)
    expect(await checkChannels(settingsOf(env))).toEqual([
      warn(channel, `is not configured, though ${variable} is set`, remedy),
    ])
  })

  describe('of actions', () => {
    const SMS = {
      SMS_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      SMS_AUTH_TOKEN: 'x'.repeat(32),
      SMS_FROM: '+15551230000',
    }
    const policy = async (text: string, env: Environment = SMS) => {
      const file = join(freshDirectory(), 'lane.yaml')
      writeFileSync(file, text)
      const findings = await checkConfiguration(settingsOf({ LANE_CONFIG: file, ...env }))
      return findings.filter(({ check }) => check === 'policy').map(({ message }) => message)
    }
    const CHAT = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'x'.repeat(32),
      TELEGRAM_BOT_TOKEN: '1:x',
    }
    const PEOPLE = `recipients:
  ada: { name: Ada, sms: "+15551230001" }
  bo: { name: Bo, sms: "+15551230002" }
`

    const asking = `questions: { proofs: [sms_from] }
reviews: { proofs: [sms_from] }
`
    const about = (messages: readonly string[], name: string): string[] =>
      messages.filter(message => message.startsWith(`${name}: `))

    test('one that nobody can approve in a way that is enough is told', async () => {
      const publish = async (proofs: string) =>
        about(
          await policy(
            `${PEOPLE}${asking}actions: { PUBLISH: { approvers: [ada, bo], proofs: [${proofs}] } }`,
          ),
          'PUBLISH',
        )
      expect(await publish('slack_signed, dmarc')).toEqual([
        'PUBLISH: nobody who is asked can give any of its proofs (slack_signed, dmarc)',
      ])
      expect(await publish('console')).toHaveLength(1)
    })

    test('a weak proof that is listed is warned of, with what it means', async () => {
      const text = `${PEOPLE}${asking}actions: { PUBLISH: { approvers: [ada, bo], proofs: [slack_signed, sms_from, link_code] } }`
      const findings = await policy(text)
      const sms = 'whoever can send in the name of a number can answer, given the code of a message'
      expect(findings.filter(found => !found.startsWith('forms: '))).toEqual([
        `PUBLISH: sms_from is enough, so ${sms}`,
        'PUBLISH: link_code is enough, so whoever a message with its link and code is forwarded to can answer',
        `questions: sms_from is enough, so ${sms}`,
        `reviews: sms_from is enough, so ${sms}`,
      ])
    })

    test('a card leads to its page where that is enough', async () => {
      const chat = `recipients: { ada: { name: Ada, slack: { team: T0123, user: U0456 } }, bo: { name: Bo, telegram: 123456 } }
actions: { PUBLISH: { approvers: [ada, bo], proofs: [link_code] } }`
      expect(await policy(chat, CHAT)).toEqual([expect.stringContaining('PUBLISH: link_code is enough')])
    })

    test('a session is a proof of those who can sign in, where it is enough by itself', async () => {
      const chat = `recipients: { ada: { name: Ada, slack: { team: T0123, user: U0456 }, oidc: ada-sub }, bo: { name: Bo, telegram: 123456 } }
actions: { PUBLISH: { approvers: [ada, bo], proofs: [web_session] } }`
      const provider = {
        OIDC_ISSUER: 'https://id.example',
        OIDC_CLIENT_ID: 'lane',
        OIDC_CLIENT_SECRET: 'x'.repeat(32),
      }
      const at = async (PUBLIC_URL: string) =>
        about(await policy(chat, { ...CHAT, ...provider, PUBLIC_URL }), 'PUBLISH')
      expect(await at('https://lane.example')).toEqual([
        'PUBLISH: bo cannot give any of its proofs (web_session)',
      ])
      expect(await at('https://example.org/lane')).toEqual([
        'PUBLISH: nobody who is asked can give any of its proofs (web_session)',
      ])
    })

    test('a permission prompt that may be too long for a card is told of, though its approvers have a channel that proves enough', async () => {
      const chat = (action: string, proofs: string): string =>
        `recipients: { ada: { name: Ada, slack: { team: T0123, user: U0456 } } }
actions: { ${action}: { approvers: [ada], proofs: [${proofs}] } }`
      expect(await policy(chat('USE_TOOL', 'slack_signed'), CHAT)).toEqual([
        'USE_TOOL: what has no room in a copy is shown on the page alone, and there nobody who is asked can give any of its proofs (slack_signed)',
      ])
      expect(await policy(chat('PUBLISH', 'slack_signed'), CHAT)).toEqual([])
      expect(await policy(chat('USE_TOOL', 'slack_signed, link_code'), CHAT)).toEqual([
        expect.stringContaining('USE_TOOL: link_code is enough'),
      ])
    })

    test('one that somebody among its approvers cannot is told with their name', async () => {
      const text = `${PEOPLE.replace('}', ', web: true }')}${asking}outbox: on
actions: { EXPORT: { approvers: [ada, bo], proofs: [console] } }`
      expect(about(await policy(text), 'EXPORT')).toEqual([
        'EXPORT: bo cannot give any of its proofs (console)',
      ])
    })

    test('by text message alone nothing is approved or answered unless it is said so', async () => {
      const usual = 'slack_signed, telegram_id, dmarc, passkey, web_session, console'
      expect(await policy(`${PEOPLE}actions: { PUBLISH: { approvers: [ada] } }`)).toEqual([
        `PUBLISH: nobody who is asked can give any of its proofs (${usual})`,
        `questions: nobody who is asked can give any of its proofs (${usual})`,
        `reviews: nobody who is asked can give any of its proofs (${usual})`,
        `forms: nobody who is asked can give any of its proofs (${usual})`,
      ])
    })
  })

  test('who is asked for a proof that only a passkey gives, and has none, is named with the way to one', async () => {
    const dataDir = freshDirectory()
    const file = join(dataDir, 'lane.yaml')
    writeFileSync(
      file,
      `recipients:
  ada: { name: Ada, slack: { team: T0123, user: U0456 } }
  bo: { name: Bo, slack: { team: T0123, user: U0789 } }
actions: { PUBLISH: { approvers: [ada, bo], proofs: [passkey] }, EXPORT: { approvers: [ada], proofs: [passkey_by_operator] } }
forms: { approvers: [ada], proofs: [slack_signed] }
`,
    )
    const env = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'x'.repeat(32),
      LANE_CONFIG: file,
      LANE_DATA_DIR: dataDir,
      PUBLIC_URL: 'https://lane.example.org',
    }
    const found = async () =>
      (await checkEnrolled(settingsOf(env))).map(({ check, message, remedy }) => [check, message, remedy])
    const mend = 'they make one at /console/passkeys, or by an invitation: lane recipients passkey'
    const wanting = [
      'passkeys',
      'EXPORT: only with a passkey (passkey_by_operator) could anybody who is asked answer, and nobody has one',
      `${mend} ada`,
    ]
    expect(await found()).toEqual([
      [
        'passkeys',
        'PUBLISH: only with a passkey (passkey) could anybody who is asked answer, and nobody has one',
        `${mend} ada`,
      ],
      wanting,
    ])
    const store = unlocked(openSqlite(dataDir, machineClock))
    await registered(store, 'ada')
    // Of one that was taken back the row may stand there again.
    const { credential_hash } = await registered(store, 'bo')
    const body = { user_id: 'bo', credential_hash, by: 'person' } as const
    await note(store.ledger, [{ type: 'PASSKEY_REVOKED', body }])
    await store.ledger.close()
    expect(await found()).toEqual([
      [
        'passkeys',
        'PUBLISH: only with a passkey (passkey) could these answer, and they have none: bo',
        `${mend} bo`,
      ],
      wanting,
    ])
    // Where there can be none, the policy itself is told.
    const here = { ...env, PUBLIC_URL: 'http://127.0.0.1:8787' }
    expect(await checkEnrolled(settingsOf(here))).toEqual([])
    expect((await checkConfiguration(settingsOf(here))).map(({ message }) => message)).toContain(
      'PUBLISH: nobody who is asked can give any of its proofs (passkey)',
    )
  })

  test('the shipped file is found from anywhere, and well', async () => {
    expect(statuses(await checkConfiguration(settingsOf({})))).toEqual(['configuration ok', 'people ok'])
  })
})

describe('the places of checkpoints', () => {
  const found = async (publish: string) => {
    const dataDir = freshDirectory()
    const file = join(dataDir, 'lane.yaml')
    writeFileSync(
      file,
      `recipients: { operator: { name: Operator, web: true } }\ncheckpoints: { publish: [${publish}] }\n`,
    )
    return checkPlaces(settingsOf({ LANE_CONFIG: file, LANE_DATA_DIR: dataDir }))
  }

  test('one on the device that the ledger is on is warned of, and none at all', async () => {
    const beside = freshDirectory()
    for (const kind of ['directory', 'git'])
      expect(await found(`{ ${kind}: ${beside} }`)).toMatchObject([
        {
          status: 'warn',
          message: `${beside} is on the device that the ledger is on: what takes one takes both`,
        },
      ])
    expect(await found('')).toMatchObject([
      { status: 'warn', message: expect.stringContaining('published nowhere') },
    ])
  })

  test('one that is not there fails: the lane does not start without it', async () => {
    const absent = join(freshDirectory(), 'not mounted')
    expect(await found(`{ directory: ${absent} }`)).toMatchObject([
      { status: 'fail', message: `${absent} is not there` },
    ])
  })

  const deviceOf = (place: string): number => statSync(place).dev
  const [device = ''] = ['/dev/shm', '/tmp', '/var/tmp'].filter(
    place => existsSync(place) && deviceOf(place) !== deviceOf(tmpdir()),
  )
  test.skipIf(device === '')(
    `one on another device is well, and so is another machine${device === '' ? ' (skipped: there is one device alone)' : ''}`,
    async () => {
      const elsewhere = mkdtempSync(join(device, 'places-'))
      try {
        expect(statuses(await found(`{ directory: ${elsewhere} }`))).toEqual(['checkpoints ok'])
        expect(statuses(await found('{ http: "https://witness.example.org/lane" }'))).toEqual([
          'checkpoints ok',
        ])
      } finally {
        rmSync(elsewhere, { recursive: true })
      }
    },
  )
})

describe('the store', () => {
  async function store(): Promise<{ dataDir: string; file: string }> {
    const dataDir = join(freshDirectory(), 'data')
    const opened = openSqlite(dataDir, { wall: () => NOW, monotonic: () => 0 })
    await unlock(opened, openSecret(dataDir, null), started)
    await opened.ledger.close()
    return { dataDir, file: opened.file }
  }

  test('a fresh ledger is well', async () => {
    const { dataDir } = await store()
    expect(statuses(await checkStore(dataDir, null, NOW))).toEqual([
      'ledger ok',
      'sqlite ok',
      'journal ok',
      'schema ok',
      'last entry ok',
      'seals ok',
    ])
  })

  test('an API key that somebody else has put into the file fails, by its name; without the secret nothing is said of it', async () => {
    const { dataDir, file } = await store()
    const db = new Sqlite(file)
    db.exec(`INSERT INTO api_keys (key_id, name, scopes, secret_hash, created_at)
      VALUES ('key-x', 'mine', 'operate', 'sha256:00', '2026-01-01T00:00:00.000Z')`)
    db.close()
    const [seals] = (await checkStore(dataDir, null, NOW)).filter(({ check }) => check === 'seals')
    expect(seals).toMatchObject({ status: 'fail', message: 'broken: API key key-x' })
    rmSync(join(dataDir, 'secret'))
    expect(statuses(await checkStore(dataDir, null, NOW))).toContain('seals warn')
    expect(statuses(await checkStore(dataDir, 'another', NOW))).toContain('seals fail')
  })

  test('a ledger that somebody has taken out of WAL fails', async () => {
    const { dataDir, file } = await store()
    const db = new Sqlite(file)
    db.pragma('journal_mode = DELETE')
    db.close()
    expect(statuses(await checkStore(dataDir, null, NOW))).toContain('journal fail')
  })

  test('a ledger of a newer lane fails, one of an older is brought forward', async () => {
    const { dataDir, file } = await store()
    const set = (version: number): void => {
      const db = new Sqlite(file)
      db.pragma(`user_version = ${version}`)
      db.close()
    }
    set(99)
    expect(statuses(await checkStore(dataDir, null, NOW))).toContain('schema fail')
    set(0)
    expect(statuses(await checkStore(dataDir, null, NOW))).toContain('schema warn')
  })

  test('a file that is no database fails, and does not throw', async () => {
    const { dataDir, file } = await store()
    writeFileSync(file, 'x'.repeat(4096))
    expect(statuses(await checkStore(dataDir, null, NOW))).toEqual(['ledger fail'])
  })

  test.each([
    [0, 'ok'],
    [60_000, 'ok'],
    [60_001, 'fail'],
  ])('a last entry %i ms in the future: %s', (ahead, status) => {
    expect(judgeLast(new Date(NOW + ahead).toISOString(), NOW).status).toBe(status)
  })
})

describe('from outside', () => {
  const URL = 'http://127.0.0.1:8787'
  const checks = { ledger: 'ok', clock: 'ok' }

  test.each([
    [200, { status: 'ready', version: '1.0.0', checks }, 'ok'],
    [200, { status: 'ready', version: '0.9.0', checks }, 'warn'],
    [200, { status: 'degraded', version: '1.0.0', checks: { ...checks, alarms: 'no Redis' } }, 'warn'],
    [
      200,
      { status: 'degraded', version: '1.0.0', checks: { ...checks, seals: 'broken: API key k' } },
      'fail',
    ],
    [503, { status: 'not ready', version: '1.0.0', checks: { ...checks, ledger: 'disk full' } }, 'fail'],
    [200, { hello: 'world' }, 'fail'],
    [200, null, 'fail'],
  ])('/readyz %i %j: %s', (status, body, expected) => {
    expect(judgeReady(status, body, URL, '1.0.0').status).toBe(expected)
  })

  test.each([
    [0, 'ok'],
    [5_000, 'ok'],
    [-5_001, 'warn'],
    [60_001, 'fail'],
    [Number.NaN, 'warn'],
  ])('clocks %i ms apart: %s', (apart, status) => {
    expect(judgeClock(NOW + apart, NOW).status).toBe(status)
  })

  test.each([
    [{}, []],
    [{ PUBLIC_URL: 'https://lane.example.org' }, []],
    [{ PUBLIC_URL: 'http://lane.example.org' }, [/unencrypted/]],
    [{ PUBLIC_URL: 'http://localhost:8787', TELEGRAM_BOT_TOKEN: '1:x' }, [/only this machine/]],
  ])('%j: hints %j', (env, messages) => {
    const hints = hintsOf(settingsOf(env))
    expect(hints.map(({ status }) => status)).toEqual(messages.map(() => 'warn'))
    for (const [index, message] of messages.entries()) expect(hints[index]?.message).toMatch(message)
  })
})

describe('signing in', () => {
  test.each([
    ['https://lane.example', 'ok', 'everything'],
    ['https://example.org/lane', 'ok', 'gives no approval'],
    ['http://127.0.0.1:8787', 'ok', 'gives no approval'],
    ['http://lane.example', 'warn', 'nobody signs in'],
  ])('at %s', (publicUrl, status, words) => {
    const oidc = { issuer: 'https://login.example', clientId: 'lane', clientSecret: 's' }
    const finding = checkSigningIn({ publicUrl, oidc })
    expect(finding.status).toBe(status)
    expect(finding.message).toContain(words)
  })

  test.each([
    ['https://lane.example', 'people can have passkeys for lane.example'],
    ['https://example.org/lane', 'people can have passkeys for example.org'],
    ['http://localhost:8787', 'people can have passkeys for localhost'],
    ['http://127.0.0.1:8787', 'there are none'],
    ['https://192.0.2.7', 'there are none'],
    ['https://[2001:db8::1]', 'there are none'],
    ['http://lane.example', 'there are none'],
  ])('by passkeys at %s', (publicUrl, words) => {
    expect(checkPasskeys({ publicUrl }).message).toContain(words)
  })
})
