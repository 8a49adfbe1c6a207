// The headers of every page. A page may draw itself with one style and run its own scripts, all named by the hash of
// their bytes; it loads nothing of others, is framed by nobody, is kept nowhere, and tells no other site where it lives.

import { createHash } from 'node:crypto'
import type { Dress, Markup } from '../../src/adapter/index.js'
import { SCRIPT } from './page-script.js'
import { STYLE } from './page-style.js'

const named = (content: Markup): string =>
  `'sha256-${createHash('sha256').update(content.text).digest('base64')}'`

const drawnWith = (style: Markup, images: 'none' | 'self'): readonly string[] => [
  "default-src 'none'",
  `style-src ${named(style)}`,
  `img-src '${images}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
]
const scriptsOf = (scripts: readonly Markup[]): string =>
  `script-src ${scripts.length === 0 ? "'none'" : scripts.map(named).join(' ')}`

/** The headers of a page that a person may answer on, drawn with this style and these scripts and no others. */
export function headersOf({ style, scripts, isLive, passkeys }: Dress): Readonly<Record<string, string>> {
  const policy = [
    ...drawnWith(style, isLive ? 'self' : 'none'),
    scriptsOf(scripts),
    "form-action 'self'",
    ...(isLive ? ["connect-src 'self'", "manifest-src 'self'"] : []),
  ]
  return {
    ...COMMON,
    'permissions-policy': CLOSED_FEATURES.map(
      feature => `${feature}=${feature === `publickey-credentials-${passkeys}` ? '(self)' : '()'}`,
    ).join(', '),
    'content-security-policy': policy.join('; '),
  }
}

const CLOSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]

const COMMON = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

export const HEADERS = headersOf({ style: STYLE, scripts: [SCRIPT] })
// A caller's content is never run and never sends: even if the escaping failed, this page could do neither.
export const CONTENT_HEADERS: Readonly<Record<string, string>> = {
  ...HEADERS,
  'content-security-policy': [...drawnWith(STYLE, 'none'), "form-action 'none'", 'sandbox'].join('; '),
}
