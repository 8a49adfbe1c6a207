// Draws the pictures of examples/approve: its four lines are asked of a real lane, and each request is drawn as the adapters
// write it. The page is the lane's own; a mail is its HTML; Slack's blocks, Telegram's text and text messages are set in
// plain frames, since those programs are not here.
//     npm run build && node docs/images/contents.mjs
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import { chromium } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const EXAMPLE = join(ROOT, 'examples/approve')
const LANE = join(ROOT, 'dist/src/cli/lane.js')
const PORT = '8787'
const URL_OF_LANE = `http://127.0.0.1:${PORT}`
const WIDTH = 380
const dist = path => import(join(ROOT, 'dist', path))

const { display } = await dist('src/request/display.js')
const { fitInto } = await dist('src/delivery/fit.js')
const slack = await dist('adapters/slack/render.js')
const telegram = await dist('adapters/telegram/render.js')
const sms = await dist('adapters/sms/render.js')
const email = await dist('adapters/email/render.js')

const directory = mkdtempSync(join(tmpdir(), 'lane-images-'))
const env = { PATH: process.env.PATH, HOME: directory, LANE_DATA_DIR: join(directory, 'data'), PORT }
const server = spawn(process.execPath, [LANE, 'serve'], {
  cwd: directory,
  env: { ...env, LANE_CONFIG: join(EXAMPLE, 'lane.yaml') },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
function ready() {
  return new Promise(resolve => {
    let printed = ''
    server.stdout.on('data', chunk => {
      printed += chunk
      if (printed.includes('is ready at')) resolve(printed)
    })
  })
}

/** The lines of the example's page. */
function lines() {
  const page = readFileSync(join(EXAMPLE, 'README.md'), 'utf8')
  return page.split('\n').flatMap(line => /^ {4}npx (lane approve .*)$/.exec(line)?.[1] ?? [])
}

/** Asks as a shell would, and gives the request as the lane has it, with the texts that came with it. */
async function ask(line, id, key) {
  const lane = `lane() { '${process.execPath}' '${LANE}' "$@"; }; ${line} --id ${id}`
  const asking = { ...env, LANE_URL: URL_OF_LANE, LANE_API_KEY: key }
  const { status, stderr } = spawnSync('sh', ['-c', lane], { cwd: EXAMPLE, env: asking, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const get = async path => fetch(`${URL_OF_LANE}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const subject = await (await get(`/v1/requests/${id}`)).json()
  const contents = []
  for (const [name, handle] of Object.entries(subject.request.parameters).sort()) {
    const text = await (await get(`/v1/blobs/${handle}`)).text()
    contents.push({ name, handle, size: Buffer.byteLength(text), text })
  }
  const facts = { ...subject, terms: { urgency: 'normal' }, asked_by: 'agent', origin: null }
  return { id, frame: display(facts, 'agent'), contents }
}

const PAGE = { link: `${URL_OF_LANE}/r/zyxwvtsrqpnmkjhgfedcba9876`, code: null }
const WAY = { reply: { handle: '0123456789abcdefghjkmnpqrs', code: '7K3FQ2M' }, page: PAGE }

/** What the channel shows, or an announcement's way where it cannot show enough. */
function fitted(channel, shows, { frame, contents }) {
  const { shown, fits } = fitInto(channel, shows, frame, contents, 'required')
  return { shown, way: fits ? WAY : { ...WAY, reply: null } }
}

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`)

function mail(asked) {
  const { shown, way } = fitted('email', email.shows, asked)
  const letter = email.render(shown, '=== do not write below this line ===', way.page)
  return `<div class="subject">${escaped(letter.subject)}</div><iframe srcdoc="${escaped(letter.html)}"></iframe>`
}

function message(asked) {
  const { shown, way } = fitted('sms', one => sms.shows(one, URL_OF_LANE), asked)
  return `<div class="bubble">${escaped(sms.render(shown, way) ?? 'not sent: too long here')}</div>`
}

function telegramCard(asked) {
  const { shown, way } = fitted('telegram', telegram.shows, asked)
  const { text, entities, reply_markup } = telegram.card(shown, way)
  const buttons = (reply_markup?.inline_keyboard ?? []).flat().map(({ text: face }) => button(face))
  return `<div class="bubble">${withEntities(text, entities)}</div><div>${buttons.join('')}</div>`
}

const button = face => `<span class="button">${escaped(face)}</span>`
const TAGS = { bold: 'b', code: 'code', pre: 'pre', text_link: 'u', italic: 'i' }

/** Telegram's own way: a text, and ranges of it that look otherwise. */
function withEntities(text, entities) {
  let html = ''
  for (let at = 0; at <= text.length; at++) {
    for (const one of entities)
      if (one.offset + one.length === at && TAGS[one.type]) html += `</${TAGS[one.type]}>`
    for (const one of entities) if (one.offset === at && TAGS[one.type]) html += `<${TAGS[one.type]}>`
    html += escaped(text.charAt(at))
  }
  return html
}

function slackCard(asked) {
  const { shown, way } = fitted('slack', slack.shows, asked)
  return slack
    .card(shown, { ...way, mention: null })
    .blocks.map(block)
    .join('')
}

/** A block of Slack's, with what stands in it. */
function block(one) {
  const inner = (one.elements ?? []).map(block).join('')
  switch (one.type) {
    case 'header':
      return `<h3>${escaped(one.text.text)}</h3>`
    case 'text':
      return wrapped(one.style, escaped(one.text))
    case 'date':
      return escaped(one.fallback ?? new Date(one.timestamp * 1000).toISOString())
    case 'link':
      return `<u>${escaped(one.text ?? one.url)}</u>`
    case 'rich_text_preformatted':
      return `<pre>${inner}</pre>`
    case 'rich_text_section':
      return `<p>${inner}</p>`
    case 'rich_text_quote':
      return `<blockquote>${inner}</blockquote>`
    case 'rich_text_list':
      return `<ul>${one.elements.map(item => `<li>${block(item)}</li>`).join('')}</ul>`
    case 'section':
      return `<p>${escaped(one.text.text)}</p>`
    case 'context':
      return `<small>${inner}</small>`
    case 'plain_text':
    case 'mrkdwn':
      return escaped(one.text)
    case 'button':
      return button(one.text.text)
    case 'divider':
      return '<hr>'
    default:
      return `<div>${inner}</div>`
  }
}

function wrapped(style = {}, text) {
  const bold = style.bold ? `<b>${text}</b>` : text
  return style.code ? `<code>${bold}</code>` : bold
}

const STYLE = `
  body { margin: 0; padding: 16px; background: #eef0f3; display: flex; gap: 16px; align-items: flex-start;
    font: 14px/1.45 'DejaVu Sans', sans-serif; color: #1d1c1d }
  article { width: ${WIDTH}px; background: #fff; border-radius: 8px; padding: 12px 16px; box-sizing: border-box; overflow-wrap: anywhere }
  pre { background: #f6f6f6; border: 1px solid #ddd; padding: 6px; white-space: pre-wrap; font: 11px/1.4 'DejaVu Sans Mono', monospace; margin: 4px 0 }
  p { margin: 6px 0; white-space: pre-wrap } h3 { margin: 0 0 6px } small { color: #616061 } iframe { border: 0; width: 100% }
  .bubble { white-space: pre-wrap; background: #e8f3ff; border-radius: 12px; padding: 10px 12px }
  .button { display: inline-block; border: 1px solid #bbb; border-radius: 4px; padding: 4px 12px; margin: 6px 6px 0 0; font-weight: bold }
  .subject { font-weight: bold; border-bottom: 1px solid #ddd; padding-bottom: 6px }`

/** Four frames beside each other. */
async function draw(name, frames) {
  const page = await browser.newPage({ viewport: { width: 4 * (WIDTH + 16) + 16, height: 400 } })
  const articles = frames.map(frame => `<article>${frame}</article>`).join('')
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${articles}`)
  await page.evaluate(() => {
    for (const frame of document.querySelectorAll('iframe'))
      frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 8}px`
  })
  await save(page, name)
}

async function save(page, name) {
  const taken = (await page.screenshot({ fullPage: true })).toString('base64')
  const { width, height, pixels } = await page.evaluate(pixelsOf, taken)
  await page.close()
  writeFileSync(
    join(ROOT, `docs/images/contents-${name}.png`),
    indexed(width, height, Buffer.from(pixels, 'base64')),
  )
}

/** In the browser: the red, green and blue of every pixel. */
async function pixelsOf(png) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const blob = new Blob([data.filter((_, at) => at % 4 !== 3)])
  const url = await new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsDataURL(blob)
  })
  return { width, height, pixels: url.slice(url.indexOf(',') + 1) }
}

/** A PNG of the 256 commonest colours, every other one being the nearest of them: a third of the size. */
function indexed(width, height, pixels) {
  const colourAt = at => pixels.readUIntBE(at * 3, 3)
  const counts = new Map()
  for (let at = 0; at < width * height; at++) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1)
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 256)
    .map(([colour]) => colour)
  const places = new Map([...counts.keys()].map(colour => [colour, nearest(palette, colour)]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < width * height; at++)
    rows[at + Math.floor(at / width) + 1] = places.get(colourAt(at)) ?? 0
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(partsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const partsOf = colour => [colour >> 16, (colour >> 8) & 255, colour & 255]

function nearest(palette, colour) {
  const parts = partsOf(colour)
  const far = other => partsOf(other).reduce((sum, part, at) => sum + (part - parts[at]) ** 2, 0)
  const distances = palette.map(far)
  return distances.indexOf(Math.min(...distances))
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function crc32(bytes) {
  let sum = ~0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

/** The lane's own pages, at the width of a phone, beside each other. */
async function drawPages(asked) {
  const pictures = []
  for (const { id } of asked) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 600 } })
    await page.goto(await linkOf(id))
    pictures.push((await page.screenshot({ fullPage: true })).toString('base64'))
    await page.close()
  }
  const page = await browser.newPage({ viewport: { width: 4 * (WIDTH + 16) + 16, height: 400 } })
  const images = pictures.map(data => `<img src="data:image/png;base64,${data}" width="${WIDTH}">`).join('')
  await page.setContent(`<!doctype html><style>${STYLE}</style>${images}`)
  await page.evaluate(() => Promise.all([...document.images].map(image => image.decode())))
  await save(page, 'page')
}

async function linkOf(id) {
  for (;;) {
    try {
      const outbox = readFileSync(join(env.LANE_DATA_DIR, 'outbox.ndjson'), 'utf8').trim().split('\n')
      const found = outbox.map(line => JSON.parse(line)).find(line => line.request_id === id)
      if (found) return found.link
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

try {
  const key = /for an agent\s+(lane_\w+)/.exec(await ready())?.[1]
  const asked = []
  for (const [place, line] of lines().entries()) asked.push(await ask(line, `example-${place + 1}`, key))
  await drawPages(asked)
  await draw('mail', asked.map(mail))
  await draw('slack', asked.map(slackCard))
  await draw('telegram', asked.map(telegramCard))
  await draw('sms', asked.map(message))
} finally {
  await browser.close()
  server.kill()
  rmSync(directory, { recursive: true, force: true })
}
