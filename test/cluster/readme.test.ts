// Two replicas started by hand, exactly as the README says: they answer each other's requests.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { install, ROOT } from '../examples/installed.js'
import { linksIn } from '../faults/client.js'
import { ALL } from '../faults/rig.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { noCluster, startCluster } from './cluster.js'

const section = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## Cluster\n')[1] ?? ''
const written = /(?:^ {4}.*\n)+/m.exec(section)?.[0] ?? ''

test.skipIf(noCluster !== null && !ALL)(
  `two replicas started from the README answer each other's requests${noCluster ? ` (skipped: ${noCluster})` : ''}`,
  async () => {
    const cluster = await startCluster()
    const [first, second] = [await freePort(), await freePort()]
    const script = written
      .replace('postgres://lane@127.0.0.1/lane', `'${cluster.env.DATABASE_URL}'`)
      .replace('redis://127.0.0.1:6379', cluster.env.REDIS_URL ?? '')
      .replaceAll('8787', `${first}`)
      .replaceAll('8788', `${second}`)
    expect(script.match(/lane serve/g)).toHaveLength(2)
    const cwd = install('examples/deploy')
    const env = { PATH: process.env.PATH, HOME: cwd, LOG_LEVEL: 'error' }
    const shell = spawn('bash', ['-c', `${script}\nwait`], { cwd, env, detached: true })
    let said = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', chunk => {
        said += String(chunk)
      })
    try {
      await until(
        'both to be ready',
        () => (said.match(/is ready at/g) ?? []).length === 2 || shell.exitCode !== null,
      )
      expect(said.match(/is ready at/g)).toHaveLength(2)
      const keys = [...said.matchAll(/for an agent +(lane_\S+)/g)]
      expect(keys).toHaveLength(1)
      const [here, there] = [`http://127.0.0.1:${first}`, `http://127.0.0.1:${second}`]
      const headers = { authorization: `Bearer ${keys[0]?.[1]}`, 'content-type': 'application/json' }
      const opened = await fetch(`${here}/v1/requests`, { method: 'POST', headers, body: ASKED })
      expect(opened.status).toBe(201)
      const link = await until('the link', () => linksIn(join(cwd, 'data'), 'by-hand')[0])
      const page = `${there}${new URL(link.link).pathname}`
      const csrf = /name="csrf" value="([^"]*)"/.exec(await (await fetch(page)).text())?.[1] ?? ''
      const form = new URLSearchParams({ reply: 'yes', code: link.code, csrf })
      expect((await fetch(page, { method: 'POST', body: form })).status).toBe(200)
      const waited = await fetch(`${here}/v1/requests/by-hand/wait`, { headers })
      expect(await waited.json()).toMatchObject({ state: 'answered', answer: { parsed_choice: 'YES' } })
    } finally {
      const gone = new Promise(resolve => shell.once('close', resolve))
      process.kill(-(shell.pid ?? 0), 'SIGKILL')
      await gone
      await cluster.end()
    }
  },
  60_000,
)

const ASKED = JSON.stringify({
  request: {
    type: 'REQUEST_QUESTION',
    question_id: 'by-hand',
    question_text: 'Ship the release today?',
    impact: 'Decides whether the pipeline goes on',
    context_handles: [],
    deadline_seconds: 600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
  },
  run: { run_id: 'by-hand', mood: 'DEFERENTIAL' },
})
