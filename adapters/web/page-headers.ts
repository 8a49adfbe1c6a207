// The headers of every page. The page may draw itself with one style and run one script, both named by the hash of
// their bytes; it loads nothing, is framed by nobody, is kept nowhere, and tells no other site where it lives.

import { createHash } from 'node:crypto'
import type { Markup } from '../../src/adapter/index.js'
import { SCRIPT } from './page-script.js'
import { STYLE } from './page-style.js'

const named = (content: Markup): string =>
  `'sha256-${createHash('sha256').update(content.text).digest('base64')}'`

const DRAWN = [
  "default-src 'none'",
  `style-src ${named(STYLE)}`,
  "img-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
]
const ANSWERABLE = [...DRAWN, `script-src ${named(SCRIPT)}`, "form-action 'self'"].join('; ')
// A caller's content is never run and never sends: even if the escaping failed, this page could do neither.
const READ_ONLY = [...DRAWN, "form-action 'none'", 'sandbox'].join('; ')

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
  'permissions-policy': CLOSED_FEATURES.map(feature => `${feature}=()`).join(', '),
} as const

export const HEADERS: Readonly<Record<string, string>> = { ...COMMON, 'content-security-policy': ANSWERABLE }
export const CONTENT_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'content-security-policy': READ_ONLY,
}
