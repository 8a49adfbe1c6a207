// The console's icon, like the mark on every page: as a drawing, and as the picture that phones want on their home screen.
import { crc32, deflateSync } from 'node:zlib'
import { html, type Markup } from '../adapter/markup.js'

const SIZE = 512
const GROUND = [0x0b, 0x66, 0x5a] as const
/** Two bars with round ends; the second stands behind. */
const TOP = 112
const HEIGHT = 288
const WIDTH = 72
const BARS = [
  { left: 152, opacity: 1 },
  { left: 288, opacity: 0.45 },
] as const

export const ICON: Markup = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}"><rect width="${SIZE}" height="${SIZE}" rx="96" fill="#${Buffer.from(GROUND).toString('hex')}"/>${BARS.map(
  ({ left, opacity }) =>
    html`<rect x="${left}" y="${TOP}" width="${WIDTH}" height="${HEIGHT}" rx="${WIDTH / 2}" fill="#ffffff" opacity="${opacity}"/>`,
)}</svg>`

/** The same without round corners, as a PNG (ISO/IEC 15948): who shows it cuts it to their own shape. */
export function drawPicture(): Buffer {
  const rows = Buffer.alloc(SIZE * (1 + 3 * SIZE))
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) rows.set(colourAt(x + 0.5, y + 0.5), y * (1 + 3 * SIZE) + 1 + 3 * x)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2], 8)
  const begin = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([begin, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

/** Towards white by as much as a bar covers of the point. */
function colourAt(x: number, y: number): readonly number[] {
  const bar = BARS.find(({ left }) => x > left && x < left + WIDTH)
  if (bar === undefined) return GROUND
  const radius = WIDTH / 2
  const middle = Math.min(Math.max(y, TOP + radius), TOP + HEIGHT - radius)
  const beyond = Math.hypot(x - bar.left - radius, y - middle) - radius
  const covers = bar.opacity * Math.min(Math.max(0.5 - beyond, 0), 1)
  return GROUND.map(part => Math.round(part + (255 - part) * covers))
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(4 + named.length + 4)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), 4 + named.length)
  return framed
}
