// What is shipped to run a cluster: composed as it says, with no secret in it, and refused where one is missing.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { MAIL_BYTES } from '../../src/http/hooks.js'
import { settings } from '../../src/settings.js'
import { ALL, endAll, freshDirectory, has } from '../faults/rig.js'

const ROOT = join(import.meta.dirname, '../..')
const FILE = join(ROOT, 'docker-compose.yml')
const GIVEN = { LANE_SECRET: 'a secret of at least 24 characters', POSTGRES_PASSWORD: 'letters0and1digits' }
const missing = has('docker-compose') ? null : 'docker-compose is not installed'
afterAll(endAll)

type Composed = {
  readonly services: Record<
    string,
    { environment?: Record<string, string>; command?: string[]; healthcheck?: unknown; volumes?: unknown[] }
  >
}

function compose(given: Readonly<Record<string, string>>): { status: number | null; text: string } {
  const dir = freshDirectory()
  mkdirSync(join(dir, 'config'))
  copyFileSync(FILE, join(dir, 'docker-compose.yml'))
  writeFileSync(
    join(dir, '.env'),
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const { status, stdout, stderr } = spawnSync('docker-compose', ['config'], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: dir },
  })
  return { status, text: status === 0 ? stdout : stderr }
}

describe.skipIf(missing !== null && !ALL)(
  `docker-compose.yml${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    test('is a cluster that this program accepts: two lanes, PostgreSQL, Redis that keeps what it is told', () => {
      const { status, text } = compose(GIVEN)
      expect([status, status === 0 ? '' : text]).toEqual([0, ''])
      const { services } = parse(text) as Composed
      expect(Object.keys(services).sort()).toEqual(['lane', 'postgres', 'proxy', 'redis'])
      expect(parse(readFileSync(FILE, 'utf8')).services.lane.deploy.replicas).toBe(2)
      const read = settings(services.lane?.environment ?? {})
      expect(read).toMatchObject({ ok: true, settings: { profile: 'cluster', secret: GIVEN.LANE_SECRET } })
      const redis = services.redis?.command?.join(' ') ?? ''
      expect(redis).toContain('--appendonly yes')
      expect(redis).toContain('--maxmemory-policy noeviction')
      for (const [name, { healthcheck, volumes }] of Object.entries(services))
        expect([name, healthcheck !== undefined, (volumes ?? []).length > 0]).toEqual([name, true, true])
    })

    test.each(Object.keys(GIVEN))('says what is missing when %s is', name => {
      const { [name as keyof typeof GIVEN]: _, ...rest } = GIVEN
      const { status, text } = compose(rest)
      expect(status).not.toBe(0)
      expect(text).toContain(name)
    })
  },
)

test('no secret is written into what is shipped', () => {
  const shipped = ['docker-compose.yml', 'Dockerfile', 'config/nginx.conf'].map(name =>
    readFileSync(join(ROOT, name), 'utf8'),
  )
  for (const text of shipped)
    expect(text).not.toMatch(/(?:SECRET|PASSWORD|TOKEN|KEY)["']?[:=] *["']?[A-Za-z0-9]/)
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8')
  expect(
    example.split('\n').filter(line => /^#?(?:LANE_SECRET|POSTGRES_PASSWORD|LANE_API_KEY)=./.test(line)),
  ).toEqual([])
})

test('the image runs as nobody in particular', () => {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n')
  const [user, command] = [lines.indexOf('USER node'), lines.findIndex(line => line.startsWith('CMD'))]
  expect(user).toBeGreaterThan(lines.findLastIndex(line => line.startsWith('FROM')))
  expect(command).toBeGreaterThan(user)
})

test('the proxy lets through whatever a lane would take: a mail with its attachments comes to its webhook', () => {
  const text = readFileSync(join(ROOT, 'config/nginx.conf'), 'utf8')
  const [, megabytes] = /client_max_body_size (\d+)m;/.exec(text) ?? []
  expect(Number(megabytes) * 1024 * 1024).toBe(MAIL_BYTES)
})

test('no upload that breaks off makes the proxy shut out the lane it was for', () => {
  const text = readFileSync(join(ROOT, 'config/nginx.conf'), 'utf8')
  expect(text.match(/^ *server lane.*$/gm)).toEqual([expect.stringContaining(' max_fails=0;')])
})
