// What is shipped to run a cluster: composed as it says, confined, with no secret in it, and refused where one is missing.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { settings } from '../../src/config/settings.js'
import { MAIL_BYTES } from '../../src/http/hooks.js'
import { ALL, endAll, freshDirectory, has } from '../faults/rig.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { noRedis } from './redis.js'

const ROOT = join(import.meta.dirname, '../..')
const FILE = join(ROOT, 'docker-compose.yml')
const GIVEN = {
  LANE_SECRET: 'a secret of at least 24 characters',
  POSTGRES_PASSWORD: 'letters0and1digits',
  REDIS_PASSWORD: 'digits2and3letters',
}
const missing = has('docker-compose') ? null : 'docker-compose is not installed'
afterAll(endAll)

type Service = {
  readonly environment?: Record<string, string>
  readonly command?: string[]
  readonly healthcheck?: { readonly test: string[] }
  readonly volumes?: unknown[]
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: string[]
  readonly cap_add?: string[]
  readonly security_opt?: string[]
  readonly privileged?: boolean
}
type Composed = { readonly services: Record<string, Service> }

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
    const whole = compose(GIVEN)
    const { services } = (whole.status === 0 ? parse(whole.text) : { services: {} }) as Composed

    test('is a cluster that this program accepts: two lanes, PostgreSQL, Redis that keeps what it is told', () => {
      expect([whole.status, whole.status === 0 ? '' : whole.text]).toEqual([0, ''])
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

    test('a service that is broken into can change no file of its image and has no right of root', () => {
      for (const [name, service] of Object.entries(services)) {
        const { read_only, cap_drop, cap_add = [], security_opt, privileged = false } = service
        expect({ name, read_only, cap_drop, cap_add, security_opt, privileged }).toEqual({
          name,
          read_only: true,
          cap_drop: ['ALL'],
          cap_add: [],
          security_opt: ['no-new-privileges:true'],
          privileged: false,
        })
      }
      // The lane's is its image's own, below.
      const users = Object.entries(services).map(([name, { user = null }]) => [name, user])
      expect(Object.fromEntries(users)).toEqual({
        lane: null,
        postgres: 'postgres',
        proxy: 'nginx',
        redis: 'redis',
      })
    })

    test.skipIf(noRedis !== null && !ALL)(
      'Redis turns away who comes without its password; the lane and the health check have it',
      async () => {
        const { lane, redis } = services
        const [program = '', ...options] = redis?.command ?? []
        const port = `${await freePort()}`
        const cwd = freshDirectory()
        const own = ['--port', port, '--bind', '127.0.0.1', '--save', '']
        const server = spawn(program, [...options, ...own], { cwd, stdio: 'ignore' })
        const gone = new Promise(resolve => server.once('close', resolve))
        const asked = (env: Record<string, string>): [number | null, string] => {
          const [, client = '', ...words] = redis?.healthcheck?.test ?? []
          const all = { PATH: process.env.PATH, ...env }
          const told = spawnSync(client, ['-p', port, ...words], { encoding: 'utf8', env: all })
          return [told.status, `${told.stdout}${told.stderr}`.trim()]
        }
        try {
          await until(
            'Redis to answer',
            () => asked({}),
            ([, said]) => said.startsWith('NOAUTH'),
          )
          expect(asked({})[0]).not.toBe(0)
          expect(asked({ REDISCLI_AUTH: 'another' })[0]).not.toBe(0)
          expect(asked(redis?.environment ?? {})).toEqual([0, 'PONG'])
          const { username, password } = new URL(lane?.environment?.REDIS_URL ?? '')
          expect([username, asked({ REDISCLI_AUTH: password })]).toEqual(['', [0, 'PONG']])
        } finally {
          server.kill('SIGKILL')
          await gone
        }
      },
    )

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
    example
      .split('\n')
      .filter(line => /^#?(?:LANE_SECRET|POSTGRES_PASSWORD|REDIS_PASSWORD|LANE_API_KEY)=./.test(line)),
  ).toEqual([])
})

test('the image is built and run on one Node, which the smoke reads off it', () => {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  expect(text.match(/^FROM node:[\d.]+-\w+/gm)).toEqual(Array(2).fill('FROM node:24.18.1-bookworm'))
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
