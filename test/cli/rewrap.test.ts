// `lane keys rewrap`: another secret opens the ring, the old one does not, and what was sealed and signed stays so.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keys } from '../../src/cli/keys.js'
import { machineClock } from '../../src/clock.js'
import { openSecret, secretOf } from '../../src/keys/secret.js'
import { unlock } from '../../src/keys/unlocking.js'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { note } from '../../src/record/record.js'
import { KeyringSealed, rewrapped } from '../../src/token/key-row.js'
import { openKeyring, rotate } from '../../src/token/keyring.js'
import type { Secret } from '../../src/token/wrap.js'
import { started } from '../ledger/craft.js'
import { terminal } from './terminal.js'

const OLD = 'the secret there was, long enough'
const NEW = 'the secret there is from now on'
let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lane-rewrap-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** A lane starts, does something, and stops. */
async function serve<T>(secret: Secret, deed: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite(dataDir, machineClock)
  try {
    await unlock(store, secret, started)
    return await deed(store)
  } finally {
    await store.ledger.close()
  }
}

async function rewrap(env: Record<string, string>) {
  const shell = terminal({ LANE_DATA_DIR: dataDir, ...env })
  const code = await keys.run(['rewrap'], shell)
  return { code, out: shell.out(), err: shell.err() }
}

const firstKid = (secret: Secret): Promise<string> =>
  serve(secret, async ({ shelf, ledger }) => (await rotate(shelf, secret, ledger.now())).kid)
const kid = (secret: Secret): Promise<string | undefined> =>
  serve(secret, async ({ shelf }) => (await openKeyring(shelf, secret))?.signing.kid)

test('from LANE_SECRET to LANE_NEW_SECRET: the same keys, the old secret opens nothing, every seal holds', async () => {
  const before = await firstKid(secretOf(OLD))
  expect(await rewrap({ LANE_SECRET: OLD, LANE_NEW_SECRET: NEW })).toEqual({
    code: 0,
    out: '5 keys are wrapped anew. From now on LANE_SECRET is what LANE_NEW_SECRET was.\n',
    err: '',
  })
  expect(await kid(secretOf(NEW))).toBe(before)
  const deeds = await serve(secretOf(NEW), async ({ ledger }) => {
    const bodies: unknown[] = []
    for await (const entry of ledger.entries(0)) if (entry.type === 'OPERATOR_ACTED') bodies.push(entry.body)
    return bodies
  })
  expect(deeds).toEqual([{ deed: 'secret_rewrapped', about: 'keyring', by: 'console' }])
  await expect(kid(secretOf(OLD))).rejects.toBeInstanceOf(KeyringSealed)
  // It was done already.
  expect((await rewrap({ LANE_SECRET: OLD, LANE_NEW_SECRET: NEW })).code).toBe(0)
  expect(await kid(secretOf(NEW))).toBe(before)
})

test('from the file to a new one, for its owner alone; cut short between the two it is finished by a second run', async () => {
  const old = openSecret(dataDir, null)
  const before = await firstKid(old)
  const file = join(dataDir, 'secret')
  const was = readFileSync(file, 'utf8')
  expect((await rewrap({})).code).toBe(0)
  const is = readFileSync(file, 'utf8')
  expect([is === was, existsSync(`${file}.new`), statSync(file).mode & 0o777]).toEqual([false, false, 0o600])
  expect(await kid(openSecret(dataDir, null))).toBe(before)
  // As if the power had failed before the new file took the place of the old one.
  writeFileSync(`${file}.new`, is)
  writeFileSync(file, was)
  expect((await rewrap({})).code).toBe(0)
  expect(await kid(openSecret(dataDir, null))).toBe(before)
})

test.each<[string, Record<string, string>, RegExp]>([
  ['no new secret', { LANE_SECRET: OLD }, /LANE_NEW_SECRET is needed/],
  ['a short one', { LANE_SECRET: OLD, LANE_NEW_SECRET: 'short' }, /at least 24 characters/],
  [
    'another old one',
    { LANE_SECRET: `${OLD}!`, LANE_NEW_SECRET: NEW },
    /nothing was changed: .* does not open/,
  ],
])('with %s nothing is changed', async (_what, env, said) => {
  const before = await firstKid(secretOf(OLD))
  const { code, err } = await rewrap(env)
  expect([code, err]).toEqual([1, expect.stringMatching(said)])
  expect(await kid(secretOf(OLD))).toBe(before)
})

test('a lane that runs is told to be stopped first; one that runs on elsewhere puts no key of the old secret into the ring', async () => {
  const old = secretOf(OLD)
  await firstKid(old)
  await serve(old, async ({ ledger, shelf }) => {
    expect((await rewrap({ LANE_SECRET: OLD, LANE_NEW_SECRET: NEW })).err).toMatch(/already running/)
    await note(ledger, started)
    const rows = await shelf.keyring()
    await shelf.putKeys(rows.map(row => rewrapped(row, old, secretOf(NEW))))
    await expect(rotate(shelf, old, ledger.now())).rejects.toBeInstanceOf(KeyringSealed)
    expect(await shelf.keyring()).toHaveLength(rows.length)
  })
})
