// A keyring in a real store of its own, and tokens signed past our own code, as a thief of the key could.

import { createHmac, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign, type CryptoKey } from 'jose'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import type { Mac } from '../../src/token/mac.js'
import type { ReplyClaims } from '../../src/token/reply-token.js'
import { START, StageClock } from '../lane/stage.js'
import { unlocked } from '../unlocked.js'

export function openShelf() {
  const dir = mkdtempSync(join(tmpdir(), 'ring-'))
  const store = unlocked(openSqlite(dir, new StageClock()))
  const close = async (): Promise<void> => {
    await store.ledger.close()
    rmSync(dir, { recursive: true, force: true })
  }
  return { store, shelf: store.shelf, close }
}

/** As a key of the ring makes it, the key being this byte 32 times. */
export const macOf =
  (byte: number): Mac =>
  words =>
    createHmac('sha256', Buffer.alloc(32, byte)).update(words).digest('hex')

export const CLAIMS: ReplyClaims = {
  sub: 'owner',
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  iat: START / 1000,
  exp: START / 1000 + 600,
  req: 'ship-42',
  rqh: `sha256:${'1'.repeat(64)}`,
  rsh: `sha256:${'2'.repeat(64)}`,
  ch: 'slack',
  dsh: `sha256:${'3'.repeat(64)}`,
}
export const FULL = { iss: 'interrupt-lane', aud: 'lane.reply', ...CLAIMS }
export const HEADER = { alg: 'EdDSA', typ: 'lane-reply+jwt' }

/** Signs any header and any text with a true key. */
export const sign = (
  key: KeyObject | CryptoKey,
  header: Record<string, unknown>,
  payload: unknown,
): Promise<string> =>
  new CompactSign(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    .setProtectedHeader(header as { alg: string })
    .sign(key)
