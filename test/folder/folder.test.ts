// A folder that others may have prepared, and files that others may change under our hands.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  createFile,
  isThere,
  MOST_BYTES,
  PART,
  readFile,
  removeFile,
  writeFile,
} from '../../src/folder/file.js'
import { closeFolder, type Folder, namesIn, openFolder } from '../../src/folder/folder.js'
import { isGone, thisProcess } from '../../src/folder/holder.js'

const places: string[] = []
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

function freshPlace(): string {
  const place = mkdtempSync(join(tmpdir(), 'lane-folder-'))
  places.push(place)
  return place
}

function opened(root: string, beneath: readonly string[] = []): Folder {
  const found = openFolder(root, beneath, { shared: false })
  if (!found.ok) throw new Error(found.detail)
  return found.folder
}
const codeOf = (root: string, beneath: readonly string[] = [], shared = false): string => {
  const found = openFolder(root, beneath, { shared })
  if (found.ok) closeFolder(found.folder)
  return found.ok ? 'open' : found.code
}

describe('a folder', () => {
  test('is not entered by a link, wherever it stands beneath the root', () => {
    const [root, elsewhere] = [freshPlace(), freshPlace()]
    mkdirSync(join(elsewhere, 'handoff'))
    symlinkSync(elsewhere, join(root, '.ai'))
    expect(codeOf(root, ['.ai', 'handoff'])).toBe('link')
    rmSync(join(root, '.ai'))
    mkdirSync(join(root, '.ai'))
    symlinkSync(elsewhere, join(root, '.ai', 'handoff'))
    expect(codeOf(root, ['.ai', 'handoff'])).toBe('link')
  })

  test('may be reached by a link that the caller typed', () => {
    const [root, beside] = [freshPlace(), freshPlace()]
    symlinkSync(root, join(beside, 'link'))
    expect(codeOf(join(beside, 'link'))).toBe('open')
  })

  test('that is absent, or a file, is told apart', () => {
    const root = freshPlace()
    writeFileSync(join(root, 'file'), '')
    expect([codeOf(root, ['none']), codeOf(root, ['file'])]).toEqual(['absent', 'not_a_directory'])
  })

  test('that others can write in is refused on every level, unless it is said to be shared', () => {
    const root = freshPlace()
    mkdirSync(join(root, 'a', 'b'), { recursive: true })
    for (const [path, mode] of [
      ['.', 0o777],
      ['a', 0o775],
      ['a/b', 0o757],
    ] as const) {
      chmodSync(join(root, path), mode)
      expect([path, codeOf(root, ['a', 'b'])]).toEqual([path, 'others_can_write'])
      expect(codeOf(root, ['a', 'b'], true)).toBe('open')
      chmodSync(join(root, path), 0o755)
    }
    expect(codeOf(root, ['a', 'b'])).toBe('open')
  })

  test('stays the one that was opened when its path is given to another', () => {
    const root = freshPlace()
    mkdirSync(join(root, 'a'))
    writeFileSync(join(root, 'a', 'file'), 'checked')
    const folder = opened(root, ['a'])
    renameSync(join(root, 'a'), join(root, 'away'))
    mkdirSync(join(root, 'a'))
    writeFileSync(join(root, 'a', 'file'), 'put in its place')
    expect(String(read(folder, 'file'))).toBe('checked')
    writeFile(folder, 'made', 'x')
    expect(existsSync(join(root, 'away', 'made'))).toBe(true)
    expect(readdirSync(join(root, 'a'))).toEqual(['file'])
    closeFolder(folder)
  })

  test('tells its files, and takes no path for a name', () => {
    const root = freshPlace()
    mkdirSync(join(root, 'directory'))
    writeFileSync(join(root, 'b'), '')
    writeFileSync(join(root, '.a'), '')
    const folder = opened(root)
    expect(namesIn(folder)).toEqual(['.a', 'b'])
    for (const name of ['', '..', '../x', 'a/b', 'a\0b'])
      expect(() => readFile(folder, name)).toThrow(TypeError)
  })
})

const read = (folder: Folder, name: string): Buffer | string => {
  const found = readFile(folder, name)
  return found.ok ? found.bytes : found.code
}

describe('a file that is read', () => {
  test('is regular, has one name and is of bounded size', () => {
    const root = freshPlace()
    writeFileSync(join(root, 'plain'), 'x')
    writeFileSync(join(root, 'twice'), 'x')
    linkSync(join(root, 'twice'), join(root, 'second-name'))
    symlinkSync('plain', join(root, 'link'))
    symlinkSync('/dev/zero', join(root, 'endless'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    mkdirSync(join(root, 'directory'))
    writeFileSync(join(root, 'large'), '')
    truncateSync(join(root, 'large'), MOST_BYTES + 1)
    const folder = opened(root)
    const names = ['plain', 'twice', 'link', 'endless', 'pipe', 'directory', 'large', 'none']
    expect(names.map(name => String(read(folder, name)))).toEqual([
      'x',
      'many_names',
      'not_a_file',
      'not_a_file',
      'not_a_file',
      'not_a_file',
      'too_large',
      'absent',
    ])
  })
})

describe('a file that is written', () => {
  test('replaces the one that is there, keeps its mode, and leaves no part', () => {
    const root = freshPlace()
    writeFileSync(join(root, 'file'), 'old')
    chmodSync(join(root, 'file'), 0o640)
    writeFileSync(join(root, `file${PART}`), 'left by a crash')
    const folder = opened(root)
    writeFile(folder, 'file', 'new')
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('new')
    expect(statSync(join(root, 'file')).mode & 0o777).toBe(0o640)
    expect(readdirSync(root)).toEqual(['file'])
  })

  test('is not written through a link, nor into a file that has another name elsewhere', () => {
    const [root, elsewhere] = [freshPlace(), freshPlace()]
    writeFileSync(join(elsewhere, 'theirs'), 'theirs')
    symlinkSync(join(elsewhere, 'theirs'), join(root, 'link'))
    linkSync(join(elsewhere, 'theirs'), join(root, 'twice'))
    const folder = opened(root)
    expect(() => writeFile(folder, 'link', 'x')).toThrow(/links are not followed/)
    expect(() => writeFile(folder, 'twice', 'x')).toThrow(/second name/)
    expect(readFileSync(join(elsewhere, 'theirs'), 'utf8')).toBe('theirs')
  })

  test('through a prepared link under the part name goes nowhere else', () => {
    const [root, elsewhere] = [freshPlace(), freshPlace()]
    writeFileSync(join(elsewhere, 'theirs'), 'theirs')
    symlinkSync(join(elsewhere, 'theirs'), join(root, `file${PART}`))
    writeFile(opened(root), 'file', 'ours')
    expect(readFileSync(join(elsewhere, 'theirs'), 'utf8')).toBe('theirs')
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('ours')
  })

  test('anew is made once: whatever stands there stays', () => {
    const root = freshPlace()
    symlinkSync('nowhere', join(root, 'link'))
    const folder = opened(root)
    expect([createFile(folder, 'file', 'first'), createFile(folder, 'file', 'second')]).toEqual([true, false])
    expect(createFile(folder, 'link', 'x')).toBe(false)
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('first')
    expect([isThere(folder, 'link'), isThere(folder, 'nowhere')]).toEqual([true, false])
    removeFile(folder, 'link')
    expect(isThere(folder, 'link')).toBe(false)
  })
})

describe('the holder of a lock', () => {
  test('is there while its process is, and gone when another has its number', () => {
    const self = thisProcess()
    expect(isGone(self)).toBe(false)
    expect(isGone({ ...self, born: self.born === null ? null : '1' })).toBe(self.born !== null)
    expect(isGone({ ...self, pid: 2 ** 22 + 1, born: null })).toBe(true)
  })

  test('on another machine is never said to be gone', () => {
    expect(isGone({ ...thisProcess(), host: 'another.example.org', pid: 2 ** 22 + 1 })).toBe(false)
  })
})
