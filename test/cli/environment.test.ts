import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findAgentEndpoint, findEndpoint, withEnvFile } from '../../src/cli/environment.js'
import { leaveAddress } from '../../src/config/data-directory.js'
import { freshDirectory } from './gateway.js'

const KEY = `lane_${'0123456789'.repeat(4)}`

function dataDirectory(): string {
  const dataDir = join(freshDirectory(), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(join(dataDir, 'operator.key'), `${KEY}\n`, { mode: 0o600 })
  return dataDir
}

describe('a file of variables', () => {
  test('fills in and never overrides', () => {
    const file = join(freshDirectory(), 'lane.env')
    writeFileSync(file, 'PORT=9000\nLANE_URL="http://lane.example.org"\n')
    expect(withEnvFile({ PORT: '8000' }, file)).toEqual({ PORT: '8000', LANE_URL: 'http://lane.example.org' })
  })
  test('that begins with a byte order mark has its first variable all the same', () => {
    const file = join(freshDirectory(), 'lane.env')
    writeFileSync(file, '\ufeffLANE_SECRET=first\r\nPORT=9000\r\n')
    expect(withEnvFile({}, file)).toEqual({ LANE_SECRET: 'first', PORT: '9000' })
  })
  test('that is not there is not an empty one', () => {
    expect(withEnvFile({ PORT: '8000' }, join(freshDirectory(), '.env'))).toBeNull()
  })
})

describe('where the lane is, and with which key', () => {
  test('LANE_URL and LANE_API_KEY where they are set', () => {
    const env = { LANE_URL: 'https://lane.example.org/sub', LANE_API_KEY: KEY }
    expect(findEndpoint(env)).toEqual({
      ok: true,
      endpoint: { url: 'https://lane.example.org/sub', key: KEY },
    })
  })
  test("else this machine, PORT and the data directory's key", () => {
    const env = { PORT: '9001', LANE_DATA_DIR: dataDirectory() }
    expect(findEndpoint(env)).toEqual({ ok: true, endpoint: { url: 'http://127.0.0.1:9001', key: KEY } })
  })
  test('or the address that the lane of that directory has left beside its key', () => {
    const dataDir = dataDirectory()
    leaveAddress(dataDir, 'http://127.0.0.1:9002')
    const endpoint = { url: 'http://127.0.0.1:9002', key: KEY }
    expect(findEndpoint({ LANE_DATA_DIR: dataDir })).toEqual({ ok: true, endpoint })
  })
  test("an address that lies in a directory is not sent another lane's key", () => {
    const dataDir = dataDirectory()
    leaveAddress(dataDir, 'http://127.0.0.1:9002')
    const found = findEndpoint({ LANE_DATA_DIR: dataDir, LANE_API_KEY: `other-${KEY}` })
    expect(found).toMatchObject({ ok: true, endpoint: { url: 'http://127.0.0.1:8787' } })
  })
  test("an operator's key that others can read, as one from a checkout, is not taken for one", () => {
    const dataDir = dataDirectory()
    chmodSync(join(dataDir, 'operator.key'), 0o644)
    expect(findEndpoint({ LANE_DATA_DIR: dataDir })).toMatchObject({
      ok: false,
      flaws: [expect.stringContaining('can be read by others')],
    })
  })
  test("an address that others may have left beside the operator's key is not sent that key", () => {
    for (const mode of [0o777, 0o770, 0o722]) {
      const dataDir = dataDirectory()
      leaveAddress(dataDir, 'http://stranger.example:9002')
      chmodSync(dataDir, mode)
      expect(findEndpoint({ LANE_DATA_DIR: dataDir })).toMatchObject({
        ok: false,
        flaws: [expect.stringContaining('can be written by others')],
      })
    }
  })
  test('a lane on this machine may be named, and gets the key', () => {
    const env = { LANE_URL: 'http://localhost:9001', LANE_DATA_DIR: dataDirectory() }
    expect(findEndpoint(env)).toMatchObject({ ok: true, endpoint: { key: KEY } })
  })
  test("the operator's key is not sent to an address elsewhere", () => {
    const found = findEndpoint({ LANE_URL: 'https://lane.example.org', LANE_DATA_DIR: dataDirectory() })
    expect(found).toMatchObject({ ok: false, flaws: [expect.stringContaining('set LANE_API_KEY')] })
    expect(JSON.stringify(found)).not.toContain(KEY)
  })
  test("unless that is this lane's own PUBLIC_URL", () => {
    const url = 'https://lane.example.org'
    expect(findEndpoint({ LANE_URL: url, PUBLIC_URL: url, LANE_DATA_DIR: dataDirectory() }).ok).toBe(true)
  })
  test('without any key it says where one comes from', () => {
    const found = findEndpoint({ LANE_DATA_DIR: join(freshDirectory(), 'data') })
    expect(found).toMatchObject({
      ok: false,
      flaws: [expect.stringMatching(/LANE_API_KEY.*operator\.key.*lane serve/)],
    })
  })
  test("a faulty setting of the server's does not keep a client from asking, a faulty LANE_URL does", () => {
    const env = { LANE_API_KEY: KEY, LANE_SECRET: 'short', TRUST_PROXY: '?' }
    expect(findEndpoint(env).ok).toBe(true)
    expect(findEndpoint({ ...env, LANE_URL: 'lane.example.org' })).toMatchObject({
      ok: false,
      flaws: [expect.stringContaining('LANE_URL must be')],
    })
  })
})

describe('for what an agent runs', () => {
  test('the key it was given', () => {
    const env = { LANE_URL: 'https://lane.example.org', LANE_API_KEY: KEY, LANE_DATA_DIR: dataDirectory() }
    expect(findAgentEndpoint(env)).toEqual({
      ok: true,
      endpoint: { url: 'https://lane.example.org', key: KEY },
    })
  })
  test("and never the operator's, however near it lies", () => {
    const dataDir = dataDirectory()
    leaveAddress(dataDir, 'http://127.0.0.1:9002')
    const found = findAgentEndpoint({ LANE_DATA_DIR: dataDir })
    expect(found).toMatchObject({
      ok: false,
      flaws: [expect.stringContaining('set LANE_API_KEY'), expect.anything()],
    })
    expect(JSON.stringify(found)).not.toContain(KEY)
  })
})
