// The packed lane on the Node of its image: asks, is answered, lets a deadline pass, and its ledger holds.
//
// That Node comes from npm as a package, and is no dependency of ours: in the lockfile it would come first in every npm
// script. So all of this happens in a folder of its own that is gone at the end. The packages are the lockfile's, as in
// the image. SQLite is compiled for that Node, from the headers its package brings, and without optimising: a third of
// the time, and the same binding.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The limit of one step: a compiler on a busy machine has taken seven minutes. */
const STEP_MS = 15 * 60_000
/** The limit for an event in a running lane. */
const PATIENCE_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'lane-smoke-'))
const running = new Set()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

class Failed extends Error {}

function run(what, command, args, options) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: STEP_MS,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  if (status === 0) return stdout
  throw new Failed(`${what}: ${error?.message ?? status ?? signal}\n${stdout ?? ''}${stderr ?? ''}`)
}

async function until(what, look) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(50)) {
    const seen = await look()
    if (seen) return seen
  }
  throw new Failed(`waited in vain for ${what}`)
}

const same = (what, seen, wanted) => {
  if (seen !== wanted) throw new Failed(`${what}: ${seen}, not ${wanted}`)
}

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** The image's own version of Node is tried. */
function fetchNode() {
  const [, wanted] = /^FROM node:([\d.]+)-/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
  const name = `node-${process.platform}-${process.arch}`
  const cwd = join(folder, 'node')
  mkdirSync(cwd)
  run(`${name}@${wanted}`, 'npm', ['install', '--prefix', cwd, ...QUIET, `${name}@${wanted}`], { cwd })
  const home = join(cwd, 'node_modules', name)
  const version = run('its version', join(home, 'bin/node'), ['--version']).trim()
  same('the version of Node', version, `v${wanted}`)
  return { home, version }
}

/** The package as a user gets it from the tarball, with the versions that the lockfile fixes. */
function install({ home }) {
  const [{ filename }] = JSON.parse(
    run('npm pack', 'npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: ROOT }),
  )
  run('unpacking', 'tar', ['-xzf', join(folder, filename), '-C', folder])
  const cwd = join(folder, 'package')
  copyFileSync(join(ROOT, 'package-lock.json'), join(cwd, 'package-lock.json'))
  const env = {
    ...process.env,
    PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
    npm_config_nodedir: home,
    npm_config_build_from_source: 'true',
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
    JOBS: 'max',
  }
  run('npm ci', 'npm', ['ci', '--omit=dev', '--prefer-offline', ...QUIET], { cwd, env })
  run('compiling SQLite', 'npm', ['rebuild', 'better-sqlite3', '--loglevel=error'], { cwd, env })
  return join(cwd, 'dist/src/cli/lane.js')
}

/** Starts a program and gathers its output; `ended` is its exit code. */
function begin(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  running.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += String(chunk)))
  const ended = new Promise(resolve => child.once('close', code => resolve(running.delete(child) && code)))
  return { child, ended, said: () => said }
}

async function live(node, program) {
  const cwd = join(folder, 'lane')
  mkdirSync(cwd)
  const env = { PATH: process.env.PATH, HOME: cwd, PORT: '0', LOG_LEVEL: 'warn' }
  const lane = begin(node, [program, 'serve'], { cwd, env })
  const ready = () => /is ready at (\S+)/.exec(lane.said())?.[1] ?? (!running.has(lane.child) && 'gone')
  const url = await until('the lane to be ready', ready)
  if (url === 'gone') throw new Failed(`the lane ended at its start:\n${lane.said()}`)
  const call = (...args) => begin(node, [program, ...args], { cwd, env: { ...env, LANE_URL: url } })
  const ask = (id, deadline) =>
    call(
      'ask',
      'Does it run?',
      '--impact',
      'Decides whether the image is built on this Node',
      '--yes-no',
      '--id',
      id,
      '--deadline',
      deadline,
      '--default',
      'HALT',
      '--wait',
    )
  const concluded = async (what, called, code) =>
    same(`${what}\n${called.said()}exit code`, await called.ended, code)

  const unanswered = ask('unanswered', '2s')
  const asked = ask('answered', '10m')
  // A refused question has no link: its own words then say why.
  await Promise.race([answer(join(cwd, 'data/outbox.ndjson'), 'answered'), asked.ended])
  await concluded('a question answered YES', asked, 0)
  await concluded('a question nobody answered', unanswered, 20)
  await concluded('lane ledger verify', call('ledger', 'verify'), 0)
  await concluded('lane ledger replay', call('ledger', 'replay'), 0)
  lane.child.kill('SIGTERM')
  same('the lane, stopped', await lane.ended, 0)
}

/** Answers as a person does: by the link and the code in the lane's outbox. */
async function answer(outbox, id) {
  const { link, code } = await until('the link', () => {
    const lines = existsSync(outbox) ? readFileSync(outbox, 'utf8').split('\n').filter(Boolean) : []
    return lines.map(line => JSON.parse(line)).find(({ request_id }) => request_id === id)
  })
  const csrf = /name="csrf" value="([^"]*)"/.exec(await (await fetch(link)).text())?.[1] ?? ''
  const posted = await fetch(link, {
    method: 'POST',
    body: new URLSearchParams({ reply: 'yes', code, csrf }),
  })
  same('the answer on the page', posted.status, 200)
}

try {
  const began = performance.now()
  const { home, version } = fetchNode()
  await live(join(home, 'bin/node'), install({ home }))
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `smoke: the packed lane asks, is answered, times out and verifies on Node ${version} (${seconds} s)`,
  )
} catch (error) {
  console.error(error instanceof Failed ? `smoke: ${error.message}` : error)
  process.exit(1)
}
