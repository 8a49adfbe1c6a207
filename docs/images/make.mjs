// Draws the pictures of the README from a real lane: the reply page on a phone, and a request's card in a terminal.
//     npm run build && node docs/images/make.mjs
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Sharp enough to read, and each picture below 150 kB. */
const SCALE = 1.125
const LANE = join(ROOT, 'dist/src/cli/lane.js')
const directory = mkdtempSync(join(tmpdir(), 'lane-images-'))
const env = { PATH: process.env.PATH, HOME: directory, LANE_DATA_DIR: directory, PORT: '8787' }
const { connect } = await import(join(ROOT, 'dist/src/client/index.js'))

const server = spawn(process.execPath, [LANE, 'serve'], {
  cwd: ROOT,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  const printed = await ready()
  const key = /for an agent\s+(lane_\w+)/.exec(printed)?.[1]
  const lane = connect({ url: 'http://127.0.0.1:8787', key })
  const plan = await lane.putContent(
    '1. Europe or America first\n2. watch the error rate for a day\n3. the other one\n',
  )
  const asked = lane.ask({
    id: 'release-region',
    question: 'Which region takes the release first?',
    impact: 'Decides where a fault would show first; the other region follows a day later',
    context: [plan],
    reply: {
      kind: 'choice',
      options: [
        { value: 'eu', label: 'Europe' },
        { value: 'us', label: 'United States' },
      ],
    },
    deadlineSeconds: 1800,
    default: 'HALT',
    runId: 'release-42',
  })
  const { link, code } = await linkOf(asked.id)
  const page = await browser.newPage({ viewport: { width: 390, height: 780 }, deviceScaleFactor: SCALE })
  await page.goto(link)
  await page.screenshot({ path: join(ROOT, 'docs/images/page.png'), fullPage: true })
  await page.getByLabel('Europe').first().check()
  await page.locator('[name=code]').fill(code)
  await page.locator('button[type=submit]').first().click()
  await asked.wait()
  const shown = spawnSync(process.execPath, [LANE, 'show', asked.id], {
    cwd: ROOT,
    env: { ...env, FORCE_COLOR: '1', COLUMNS: '100' },
  })
  await drawTerminal(`$ lane show ${asked.id}\n${shown.stdout}`)
} finally {
  await browser.close()
  server.kill()
  rmSync(directory, { recursive: true, force: true })
}

function ready() {
  return new Promise(resolve => {
    let printed = ''
    server.stdout.on('data', chunk => {
      printed += chunk
      if (printed.includes('is ready at')) resolve(printed)
    })
  })
}

async function linkOf(id) {
  for (;;) {
    try {
      const lines = readFileSync(join(directory, 'outbox.ndjson'), 'utf8').trim().split('\n')
      const found = lines.map(line => JSON.parse(line)).find(line => line.request_id === id)
      if (found) return found
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function drawTerminal(text) {
  const escaped = text.replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`).trimEnd()
  const page = await browser.newPage({ viewport: { width: 860, height: 400 }, deviceScaleFactor: SCALE })
  await page.setContent(
    `<pre style="margin:0;padding:20px 24px;background:#16181d;color:#e6e6e6;font:14px/1.5 'DejaVu Sans Mono',monospace;display:inline-block">${escaped}</pre>`,
  )
  await page.locator('pre').screenshot({ path: join(ROOT, 'docs/images/card.png') })
}
