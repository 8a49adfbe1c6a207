// A lock on a file: one holder, whoever is killed.
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeFolder, type Folder, openFolder } from '../../src/folder/folder.js'
import { lockFile } from '../../src/folder/lock.js'

let folder: Folder
let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'lane-lock-'))
  const opened = openFolder(root, [], { shared: false })
  if (!opened.ok) throw new Error(opened.detail)
  folder = opened.folder
})
afterAll(() => {
  closeFolder(folder)
  rmSync(root, { recursive: true })
})
beforeEach(() => {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
})

const sleep = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const take = (patienceMs = 0) => lockFile(folder, 'log', { patienceMs, sleep })
const lock = (text: string, name = 'log.lock'): void => writeFileSync(join(root, name), text)
const WORD = 'a'.repeat(24)
/** No process has this id. */
const gone = (word = WORD): string => JSON.stringify({ pid: 2 ** 22 + 7, host: hostname(), born: null, word })

describe('a lock', () => {
  test('has one holder, and is free again afterwards', async () => {
    const first = await take()
    expect(first.ok).toBe(true)
    expect(await take(20)).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`process ${process.pid}`),
    })
    if (first.ok) first.release()
    expect(await take()).toMatchObject({ ok: true })
  })

  test('of a process that is gone is taken away', async () => {
    lock(gone())
    expect(await take()).toMatchObject({ ok: true })
    expect(readdirSync(root)).toEqual(['log.lock'])
  })

  test('of a process that is gone is taken away though whoever took it away is gone too, again and again', async () => {
    const words = ['a', 'b', 'c'].map(one => one.repeat(24))
    lock(gone(words[0]))
    lock(gone(words[1]), `log.lock.${words[0]}`)
    lock(gone(words[2]), `log.lock.${words[0]}.${words[1]}`)
    expect(await take()).toMatchObject({ ok: true })
    expect(readdirSync(root)).toEqual(['log.lock'])
  })

  test('is not taken away while another process is taking it away', async () => {
    lock(gone())
    lock(
      JSON.stringify({ pid: process.pid, host: hostname(), born: null, word: 'b'.repeat(24) }),
      `log.lock.${WORD}`,
    )
    expect(await take(20)).toMatchObject({ ok: false })
    expect(existsSync(join(root, 'log.lock'))).toBe(true)
    rmSync(join(root, `log.lock.${WORD}`))
    expect(await take()).toMatchObject({ ok: true })
  })

  test('of another machine, or of nobody we know, is left', async () => {
    lock(JSON.stringify({ pid: 1, host: 'elsewhere.invalid', born: null, word: WORD }))
    expect(await take(20)).toMatchObject({ ok: false, detail: expect.stringContaining('elsewhere.invalid') })
    for (const text of ['', '{}', 'x'.repeat(5000)]) {
      lock(text)
      expect(await take(20)).toMatchObject({ ok: false, detail: expect.stringContaining('no lock of ours') })
    }
    rmSync(join(root, 'log.lock'))
    symlinkSync('/etc/hostname', join(root, 'log.lock'))
    expect(await take(20)).toMatchObject({ ok: false, detail: expect.stringContaining('no lock of ours') })
  })

  test('leaves no draft of a process that is gone', async () => {
    lock(gone(), `log.lock.${WORD}.draft`)
    await take()
    expect(readdirSync(root)).toEqual(['log.lock'])
  })
})
