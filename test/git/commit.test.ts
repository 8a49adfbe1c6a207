// A commit made from bytes, on repositories of every temper.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Change, commit } from '../../src/git/commit.js'
import {
  blobs,
  checkedOutAt,
  commitOf,
  headOf,
  historyOf,
  keptAt,
  openRepository,
  type Repository,
  refOf,
  stagedAt,
} from '../../src/git/repository.js'
import { runGit } from '../../src/git/run.js'
import { freshPlace, freshRepository, git, makeHostile, put } from './scene.js'

afterEach(() => void vi.unstubAllEnvs())

const BY = { name: 'interrupt-lane', email: 'lane@localhost.invalid' }

async function open(top: string): Promise<Repository> {
  const opened = await openRepository(top)
  if (!opened.ok) throw new Error(opened.detail)
  return opened.repository
}

async function change(
  top: string,
  files: Record<string, string | null>,
  more: Partial<Change> = {},
): Promise<Change> {
  const bytes = Object.entries(files).map(
    ([path, text]) => [path, text === null ? null : Buffer.from(text)] as const,
  )
  const parent = await commitOf(await open(top), 'refs/heads/main')
  return {
    ref: 'refs/heads/main',
    parent,
    files: new Map(bytes),
    message: 'lane: one\n',
    by: BY,
    at: 1e12,
    ...more,
  }
}

/** A file, or all files of a directory, by their names. */
const contentsOf = (place: string): Record<string, string> =>
  Object.fromEntries(
    (statSync(place).isDirectory() ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : [''])
      .filter(name => statSync(join(place, name)).isFile())
      .map(name => [name, readFileSync(join(place, name), 'base64')]),
  )

describe('a commit', () => {
  test('holds the bytes as given, is by the lane, and leaves a clean status', async () => {
    const top = freshRepository({ 'a.txt': 'a\n', 'docs/b.txt': 'b\n' })
    const made = await change(top, { 'docs/b.txt': 'B\r\n', 'new/ c\n.txt': 'c' })
    put(top, { 'docs/b.txt': 'B\r\n', 'new/ c\n.txt': 'c' })
    const done = await commit(await open(top), made)
    expect(done).toEqual({ ok: true, commit: git(top, 'rev-parse', 'main'), followed: true })
    expect(git(top, 'show', '-s', '--format=%an %ae %cn %ce %at', 'main')).toBe(
      'interrupt-lane lane@localhost.invalid interrupt-lane lane@localhost.invalid 1000000000',
    )
    expect(git(top, 'show', 'main:docs/b.txt')).toBe('B\r')
    expect(git(top, 'show', 'main:a.txt')).toBe('a')
    expect(git(top, 'diff', '--name-only', '-z', 'main~1', 'main')).toBe('docs/b.txt\0new/ c\n.txt\0')
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('takes along nothing that somebody else has changed or staged', async () => {
    const top = freshRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    put(top, { 'a.txt': 'staged\n' })
    git(top, 'add', 'a.txt')
    put(top, { 'a.txt': 'changed\n', 'b.txt': 'B\n' })
    await commit(await open(top), await change(top, { 'b.txt': 'B\n' }))
    expect(git(top, 'diff', '--name-only', 'main~1', 'main')).toBe('b.txt')
    expect(git(top, 'status', '--porcelain')).toBe('MM a.txt')
    expect(git(top, 'show', ':a.txt')).toBe('staged')
  })

  test('stands where somebody else holds the index all the time, and says that the index has not followed', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    put(top, { '.git/index.lock': '', 'a.txt': 'b\n' })
    const done = await commit(await open(top), await change(top, { 'a.txt': 'b\n' }))
    expect(done).toMatchObject({ ok: true, followed: false })
    expect(git(top, 'show', 'main:a.txt')).toBe('b')
  })

  test('waits for somebody who holds the index for a moment', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    put(top, { 'a.txt': 'b\n' })
    const told = (step: string): void => {
      if (step !== 'moved') return
      put(top, { '.git/index.lock': '' })
      setTimeout(() => rmSync(join(top, '.git/index.lock')), 150)
    }
    expect(await commit(await open(top), await change(top, { 'a.txt': 'b\n' }), told)).toMatchObject({
      followed: true,
    })
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('is refused where the branch has moved on, and the branch stays where it is', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const late = await change(top, { 'a.txt': 'late\n' })
    put(top, { 'a.txt': 'first\n' })
    git(top, 'commit', '--quiet', '--all', '--message', 'faster')
    const head = git(top, 'rev-parse', 'main')
    expect(await commit(await open(top), late)).toMatchObject({ ok: false, code: 'moved' })
    expect(git(top, 'rev-parse', 'main')).toBe(head)
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('on a branch that is not checked out touches neither work tree nor index', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    git(top, 'branch', 'other')
    const made = await change(top, { 'a.txt': 'other\n' }, { ref: 'refs/heads/other' })
    expect(await commit(await open(top), made)).toMatchObject({ ok: true })
    expect(git(top, 'show', 'other:a.txt')).toBe('other')
    expect(git(top, 'status', '--porcelain')).toBe('')
    expect(readFileSync(join(top, 'a.txt'), 'utf8')).toBe('a\n')
  })

  test('can be the first of a branch, and can take files away', async () => {
    const top = freshRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const first = await change(top, { 'x.txt': 'x' }, { ref: 'refs/lane/kept', parent: null })
    expect(await commit(await open(top), first)).toMatchObject({ ok: true })
    expect(git(top, 'ls-tree', '--name-only', 'refs/lane/kept')).toBe('x.txt')
    expect(await commit(await open(top), first)).toMatchObject({ ok: false, code: 'moved' })
    rmSync(join(top, 'b.txt'))
    expect(await commit(await open(top), await change(top, { 'b.txt': null }))).toMatchObject({ ok: true })
    expect(git(top, 'ls-tree', '--name-only', 'main')).toBe('a.txt')
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('leaves nothing in the place for temporary files', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    vi.stubEnv('TMPDIR', freshPlace())
    await commit(await open(top), await change(top, { 'a.txt': 'b\n' }))
    expect(readdirSync(tmpdir())).toEqual([])
  })
})

describe('a repository whose configuration names programs', () => {
  test('ends without the marker after every call of this room', async () => {
    const top = freshRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    git(top, 'branch', 'other')
    const marker = makeHostile(top)
    const repository = await open(top)
    put(top, { 'a.txt': 'A\n' })
    expect(await commit(repository, await change(top, { 'a.txt': 'A\n' }))).toMatchObject({ ok: true })
    await commit(
      repository,
      await change(top, { 'a.txt': 'O\n' }, { ref: 'refs/heads/other', parent: 'main~1' }),
    )
    const kept = await keptAt(repository, 'refs/heads/main', 'a.txt')
    expect(
      (
        await blobs(
          repository,
          [...kept.values()].map(({ oid }) => oid),
        )
      ).map(String),
    ).toEqual(['A\n'])
    expect(await historyOf(repository, 'refs/heads/main', 'a.txt', 10)).toHaveLength(2)
    expect([...(await stagedAt(repository, '.')).keys()]).toEqual(['a.txt', 'b.txt'])
    expect(await headOf(repository)).toBe('refs/heads/main')
    expect(await checkedOutAt(repository, 'refs/heads/main')).toBe(top)
    // An object that a lender would have to be asked for.
    expect(await blobs(repository, ['1'.repeat(40)])).toEqual([null])
    expect(existsSync(marker)).toBe(false)
  })

  test('has its configured hooks switched off in every call that writes', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    makeHostile(top)
    const place = freshPlace()
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
    put(place, {
      git: `#!/bin/sh
for name in evil e.v.i.l; do
  echo "$(printf '%s\\n' "$@" | grep -xE 'read-tree|update-index|update-ref') $name $(${real} config --get hook.$name.enabled)" >> ${place}/seen
done
exec ${real} "$@"
`,
    })
    chmodSync(join(place, 'git'), 0o755)
    vi.stubEnv('PATH', `${place}:${process.env.PATH}`)
    await commit(await open(top), await change(top, { 'a.txt': 'b\n' }))
    const seen = readFileSync(join(place, 'seen'), 'utf8')
      .split('\n')
      .filter(line => /^\w/.test(line))
    expect([...new Set(seen)].sort()).toEqual(
      ['read-tree', 'update-index', 'update-ref'].flatMap(word => [
        `${word} e.v.i.l false`,
        `${word} evil false`,
      ]),
    )
  })

  test('would have run one: the same deeds by ordinary commands leave the marker', () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const marker = makeHostile(top)
    put(top, { 'a.txt': 'A\n' })
    expect(() => git(top, 'commit', '--quiet', '--all', '--message', 'plain')).toThrow()
    expect(existsSync(marker)).toBe(true)
  })

  test('an ordinary fetch of a missing object would have asked the lender', () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const marker = makeHostile(top)
    expect(() => git(top, 'cat-file', '-p', '1'.repeat(40))).toThrow()
    expect(existsSync(marker)).toBe(true)
  })
})

describe('a directory', () => {
  test('is opened beneath the top, with its way down', async () => {
    const top = freshRepository({ 'deep/er/a.txt': 'a\n' })
    expect(await openRepository(join(top, 'deep/er'))).toEqual({
      ok: true,
      repository: {
        top,
        prefix: 'deep/er/',
        home: { own: join(top, '.git'), shared: join(top, '.git') },
      },
    })
  })

  test('without a repository is none', async () => {
    expect(await openRepository(freshPlace())).toMatchObject({ ok: false, code: 'no_repository' })
  })

  test('that merely looks like a repository is none, and its configuration is not read', async () => {
    const top = freshPlace()
    git(top, 'init', '--quiet', '--bare', '.')
    expect(await openRepository(top)).toMatchObject({ ok: false, code: 'no_repository' })
  })

  test('whose repository names another work tree is refused', async () => {
    const [top, other] = [freshRepository({ 'a.txt': 'a\n' }), freshPlace()]
    git(top, 'config', 'core.worktree', other)
    expect(await openRepository(top)).toMatchObject({ ok: false })
  })

  test('with a variable of the caller that points elsewhere is read all the same', async () => {
    const [top, other] = [freshRepository({ 'a.txt': 'a\n' }), freshRepository({ 'b.txt': 'b\n' })]
    vi.stubEnv('GIT_DIR', join(other, '.git'))
    expect(await openRepository(top)).toMatchObject({ ok: true, repository: { top } })
  })
})

describe('a repository that leads elsewhere', () => {
  /** Whoever can write a work tree cannot have somebody else's repository written. */
  const refused = async (top: string): Promise<void> =>
    expect(await openRepository(top)).toMatchObject({ ok: false, code: 'elsewhere' })

  test('is not opened: by a file, a link, or the directory it says it shares', async () => {
    const other = join(freshRepository({ 'a.txt': 'a\n' }), '.git')
    const filed = freshPlace()
    put(filed, { '.git': `gitdir: ${other}\n` })
    await refused(filed)
    const linked = freshPlace()
    symlinkSync(other, join(linked, '.git'))
    await refused(linked)
    const shared = freshRepository({ 'a.txt': 'a\n' })
    put(shared, { '.git/commondir': `${other}\n` })
    await refused(shared)
    // A directory that says it is one of the other's work trees, and is none.
    const posing = freshPlace()
    put(posing, {
      '.git': 'gitdir: ./own/worktrees/x\n',
      'own/worktrees/x/HEAD': 'ref: refs/heads/main\n',
      'own/worktrees/x/commondir': `${other}\n`,
      'own/worktrees/x/gitdir': `${posing}/.git\n`,
    })
    await refused(posing)
    const named = freshPlace()
    put(named, {
      '.git': 'gitdir: ./own\n',
      'own/HEAD': 'ref: refs/heads/main\n',
      'own/commondir': `${other}\n`,
      'own/config': `[core]\nworktree = ${named}\n`,
    })
    await refused(named)
  })

  test('is opened where it names its work tree in return: beside another, as a submodule, or by core.worktree', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const beside = join(freshPlace(), 'beside')
    git(top, 'worktree', 'add', '--quiet', '-b', 'beside', beside)
    const made = await change(beside, { 'a.txt': 'b\n' }, { ref: 'refs/heads/beside' })
    put(beside, { 'a.txt': 'b\n' })
    expect(await commit(await open(beside), made)).toMatchObject({ ok: true, followed: true })
    expect(git(beside, 'status', '--porcelain')).toBe('')
    git(top, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', top, 'sub')
    const sub = await open(join(top, 'sub'))
    expect(sub).toMatchObject({ top: join(top, 'sub'), home: { own: join(top, '.git/modules/sub') } })
    const [away, work] = [join(freshPlace(), 'away.git'), freshPlace()]
    git(work, 'init', '--quiet', '--initial-branch=main', '--separate-git-dir', away)
    await refused(work)
    git(work, 'config', 'core.worktree', work)
    expect(await openRepository(work)).toMatchObject({ ok: true, repository: { home: { own: away } } })
  })

  test.each([
    'logs/refs/heads/main',
    'logs/HEAD',
    'logs/refs',
    'refs/heads/main',
    'refs/heads',
    'index',
    'objects',
  ])('by a link at %s is not written, nor is what the link leads to', async way => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const made = await change(top, { 'a.txt': 'b\n' })
    const [place, outside] = [join(top, '.git', way), join(freshPlace(), 'outside')]
    renameSync(place, outside)
    symlinkSync(outside, place)
    const before = contentsOf(outside)
    expect(await commit(await open(top), made)).toMatchObject({
      ok: false,
      code: 'linked',
      detail: `${place} is a link, and git would write where it leads`,
    })
    expect(contentsOf(outside)).toEqual(before)
  })

  test('by a link in the place of objects is not written', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const outside = freshPlace()
    for (let at = 0; at < 256; at++) {
      const name = at.toString(16).padStart(2, '0')
      if (!existsSync(join(top, '.git/objects', name))) symlinkSync(outside, join(top, '.git/objects', name))
    }
    const made = await change(top, { 'a.txt': 'b\n' })
    expect(await commit(await open(top), made)).toMatchObject({ ok: false, code: 'linked' })
    expect(readdirSync(outside)).toEqual([])
  })
})

describe('a name of a branch', () => {
  test('is what git takes, and no option and no expression', async () => {
    const repository = await open(freshRepository({ 'a.txt': 'a\n' }))
    expect(await refOf(repository, 'agent/one')).toBe('refs/heads/agent/one')
    for (const name of ['', '-d', 'a..b', 'a b', '@{-1}', 'a.lock', '../x', 'a~1'])
      expect([name, await refOf(repository, name)]).toEqual([name, null])
    expect(await commitOf(repository, '--all')).toBe(null)
  })

  test('is checked out in another work tree', async () => {
    const top = freshRepository({ 'a.txt': 'a\n' })
    const second = join(freshPlace(), 'second')
    git(top, 'worktree', 'add', '--quiet', '-b', 'two', second)
    const repository = await open(top)
    expect(await checkedOutAt(repository, 'refs/heads/two')).toBe(second)
    expect(await checkedOutAt(repository, 'refs/heads/none')).toBe(null)
  })
})

test('without git on the PATH the reason is told', async () => {
  const empty = freshPlace()
  vi.stubEnv('PATH', empty)
  expect(await runGit(empty, ['--version'])).toMatchObject({ ok: false, code: 'no_git' })
})
