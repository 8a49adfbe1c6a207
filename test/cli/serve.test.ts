// What stops a start, as the person who typed `lane serve` reads it; and what only deserves a word.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { obstacleIn } from '../../src/cli/serve.js'
import { until } from '../until.js'
import { answer, lane, operatorOf } from './command-line.js'
import { freshDirectory, start } from './gateway.js'

const PLACE = { host: '127.0.0.1', port: 80, dataDir: '/srv/lane', databaseUrl: null }
const ELSEWHERE = 'or set LANE_DATA_DIR to another directory'
const RIGHTS = `let the user that runs the lane write to /srv/lane, ${ELSEWHERE}`
const fault = (fields: object): Error => Object.assign(new Error('as the system says it'), fields)

describe('what the system refuses is said with the path or the setting, and what to do', () => {
  test.each([
    [
      'a parent that may not be written',
      { code: 'EACCES', syscall: 'mkdir', path: '/srv/lane' },
      `the data directory /srv/lane cannot be made: this user may not write to the directory above it (EACCES) → make it and give it to this user, ${ELSEWHERE}`,
    ],
    [
      'a directory that may not be written',
      { code: 'SQLITE_CANTOPEN' },
      `the files in the data directory /srv/lane cannot be opened and written (SQLITE_CANTOPEN) → ${RIGHTS}`,
    ],
    [
      'a directory that has become read-only',
      { code: 'EROFS', syscall: 'open', path: '/srv/lane/lane.pid' },
      `/srv/lane/lane.pid may not be opened or written (EROFS) → ${RIGHTS}`,
    ],
    [
      'a directory of another user',
      { code: 'EACCES', syscall: 'open', path: '/srv/lane/lane.pid' },
      `/srv/lane/lane.pid may not be opened or written (EACCES) → ${RIGHTS}`,
    ],
    [
      'a port for the superuser alone',
      { code: 'EACCES', syscall: 'listen' },
      'this user may not listen at port 80 (EACCES) → set PORT to 1024 or more',
    ],
  ])('%s', (_, fields, words) => {
    expect(obstacleIn(fault(fields), PLACE)).toBe(words)
  })

  test('a ledger that may be read only is seen through the ledger’s own error', () => {
    const error = new Error('the ledger could not be written', { cause: fault({ code: 'SQLITE_READONLY' }) })
    expect(obstacleIn(error, PLACE)).toContain('/srv/lane cannot be opened and written (SQLITE_READONLY)')
  })

  test('a database that is not there is named with its setting', () => {
    const refused = fault({ code: 'ECONNREFUSED', syscall: 'connect' })
    expect(obstacleIn(refused, { ...PLACE, databaseUrl: 'postgres://lane@db/lane' })).toBe(
      'PostgreSQL cannot be reached (ECONNREFUSED) → start it, or correct DATABASE_URL',
    )
  })

  test.each([
    ['a file that is not the lane’s', fault({ code: 'EACCES', syscall: 'open', path: '/etc/shadow' })],
    ['a connection that was refused', fault({ code: 'ECONNREFUSED', syscall: 'connect' })],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['what is no error', 'words'],
  ])('%s is no setting of the operator’s, and stays what it was', (_, error) => {
    expect(obstacleIn(error, PLACE)).toBeNull()
  })
})

describe('a start that cannot be is one line, and exit 1', () => {
  const serve = (env: Record<string, string>) =>
    lane(['serve'], { env: { PORT: '0', LOG_LEVEL: 'silent', ...env } })

  test('LANE_DATA_DIR is a file', async () => {
    const file = join(freshDirectory(), 'data')
    writeFileSync(file, '')
    expect(await serve({ LANE_DATA_DIR: file })).toEqual({
      code: 1,
      stdout: '',
      stderr: `lane: cannot start: LANE_DATA_DIR ${file} is a file (EEXIST) → move it away, ${ELSEWHERE}\n`,
    })
  })

  test('LANE_DATA_DIR is under a file', async () => {
    const file = join(freshDirectory(), 'file')
    writeFileSync(file, '')
    const dataDir = join(file, 'below', 'data')
    expect(await serve({ LANE_DATA_DIR: dataDir })).toEqual({
      code: 1,
      stdout: '',
      stderr: `lane: cannot start: the data directory ${dataDir} cannot be made: a part of its path is a file (ENOTDIR) → move that away, ${ELSEWHERE}\n`,
    })
  })

  test('ledger.db is something else', async () => {
    const dataDir = freshDirectory()
    writeFileSync(join(dataDir, 'ledger.db'), 'Dear ledger,\n'.repeat(400))
    expect(await serve({ LANE_DATA_DIR: dataDir })).toEqual({
      code: 1,
      stdout: '',
      stderr: `lane: cannot start: ledger.db or lane.lock in ${dataDir} is no SQLite file (SQLITE_NOTADB) → restore the ledger from a backup (lane.lock holds nothing and may be removed), ${ELSEWHERE}\n`,
    })
  })

  test('DATABASE_URL would speak to another machine in plain text', async () => {
    const env = { DATABASE_URL: 'postgres://lane:geheim@db.example.org/lane', REDIS_URL: 'redis://127.0.0.1' }
    const dataDir = join(freshDirectory(), 'data')
    const { code, stderr } = await serve({ LANE_DATA_DIR: dataDir, LANE_SECRET: 'x'.repeat(24), ...env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('or set DATABASE_URL_INSECURE=1')])
    expect(stderr).not.toContain('geheim')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('HOST is an address of another machine', async () => {
    const env = { LANE_DATA_DIR: join(freshDirectory(), 'data'), HOST: '192.0.2.1' }
    expect(await serve(env)).toMatchObject({
      code: 1,
      stderr:
        'lane: cannot start: HOST 192.0.2.1 is no address of this machine (EADDRNOTAVAIL) → set HOST to one that is, or to 0.0.0.0 for all\n',
    })
  })

  describe('where another program listens', () => {
    let other: Server
    beforeAll(async () => {
      other = createServer()
      await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    })
    afterAll(() => new Promise(resolve => other.close(resolve)))

    test('PORT is taken', async () => {
      const address = other.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const env = { LANE_DATA_DIR: join(freshDirectory(), 'data'), PORT: String(port) }
      expect(await serve(env)).toMatchObject({
        code: 1,
        stderr: `lane: cannot start: another program listens at 127.0.0.1:${port} (EADDRINUSE) → stop it, or set PORT\n`,
      })
    })
  })
})

describe('a channel with half of its variables', () => {
  test('does not keep the lane from starting, and is named in the log with what it lacks', async () => {
    const gateway = await start({
      env: { SLACK_BOT_TOKEN: 'xoxb-1', SMS_ACCOUNT_SID: 'AC0', LOG_LEVEL: 'warn' },
    })
    const warnings = await until('both warnings', () => {
      const lines = gateway.output().match(/^\{.*\}$/gm) ?? []
      return lines.length >= 2 ? lines.map(line => JSON.parse(line)) : undefined
    })
    expect(await gateway.stop()).toBe(0)
    expect(warnings.map(({ level, channel, msg }) => ({ level, channel, msg }))).toEqual([
      {
        level: 40,
        channel: 'slack',
        msg: 'slack is not configured, though SLACK_BOT_TOKEN is set: set SLACK_SIGNING_SECRET or SLACK_APP_TOKEN',
      },
      {
        level: 40,
        channel: 'sms',
        msg: 'sms is not configured, though SMS_ACCOUNT_SID is set: set SMS_AUTH_TOKEN, and SMS_FROM',
      },
    ])
    expect(gateway.output()).not.toContain('xoxb-1')
  })
})

describe('a delivery that fails', () => {
  test('is a line in the log, with whom it was for, why, and what becomes of it', async () => {
    const gateway = await start({ env: { LOG_LEVEL: 'warn' } })
    mkdirSync(join(gateway.dataDir, 'outbox.ndjson'))
    const question = ['ask', 'Is anybody there?', '--impact', 'none', '--yes-no', '--default', 'HALT']
    await lane([...question, '--deadline', '2m', '--id', 'unsaid'], { env: operatorOf(gateway) })
    const line = await until('the warning', () => /^\{.*"unsaid".*\}$/m.exec(gateway.output())?.[0])
    expect(JSON.parse(line)).toMatchObject({
      level: 40,
      request_id: 'unsaid',
      channel: 'web',
      recipient: 'operator',
      code: 'outbox_unwritable',
      attempt: 1,
      msg: 'a delivery failed; it is tried again',
    })
    expect(await gateway.stop()).toBe(0)
  })
})

describe('a console that nobody reads any more', () => {
  test('does not end the lane: what it would print is in the outbox, and is answered', async () => {
    const gateway = await start({ env: { LOG_LEVEL: 'debug' } })
    gateway.hangUp()
    const env = operatorOf(gateway)
    const question = ['Is anybody there?', '--impact', 'none', '--yes-no', '--default', 'HALT']
    for (const id of ['first', 'second', 'third']) {
      const asked = lane(['ask', ...question, '--deadline', '2m', '--id', id, '--wait'], { env })
      expect(await answer(gateway, id, 'YES')).toBe(200)
      expect(await asked).toMatchObject({ code: 0 })
    }
    expect(await gateway.stop()).toBe(0)
  })
})
