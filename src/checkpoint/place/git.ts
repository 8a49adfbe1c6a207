// A branch of a git work tree: one file for each epoch, one commit for each checkpoint. The history is what cannot be
// changed unseen once others have fetched it; whoever does that is not the lane's business, it pushes nothing.
import { commit } from '../../git/commit.js'
import {
  blobs,
  commitOf,
  headOf,
  historyOf,
  keptAt,
  openRepository,
  type Repository,
  refOf,
} from '../../git/repository.js'
import { logOf, nextEpoch } from '../origin.js'
import type { Place } from './place.js'

/** Older notes are looked at only where nobody knows the key of a newer one. */
const LOOKED_AT = 1_000
const BY = { name: 'interrupt-lane', email: 'interrupt-lane@localhost' }

export function gitPlace(path: string, branch: string | null, now: () => number): Place {
  const open = async (): Promise<{ readonly repository: Repository; readonly ref: string }> => {
    const opened = await openRepository(path)
    if (!opened.ok) throw new Error(opened.detail)
    const { repository } = opened
    const ref = branch === null ? await headOf(repository) : await refOf(repository, branch)
    if (ref === null) throw new Error(`${branch ?? 'HEAD'} is no branch`)
    return { repository, ref }
  }
  const fileOf = ({ prefix }: Repository, origin: string): string => {
    const { logId, epoch } = logOf(origin)
    return `${prefix}${logId}/${epoch}/checkpoint`
  }
  return {
    name: `git ${path}`,
    async put({ origin, size, note }) {
      const { repository, ref } = await open()
      const file = fileOf(repository, origin)
      const parent = await commitOf(repository, ref)
      if (parent !== null && (await noteAt(repository, parent, file)) === note) return
      const message = `checkpoint of ${size} entries\n\n${origin}\n`
      const files = new Map([[file, Buffer.from(note)]])
      const made = await commit(repository, { ref, parent, files, message, by: BY, at: now() })
      if (!made.ok) throw new Error(made.detail)
    },
    async *notes(origin) {
      const { repository, ref } = await open()
      const newest = await commitOf(repository, ref)
      if (newest === null) return
      const later: string[] = []
      // Epochs are numbered one after the other. Of a later one the newest note says enough.
      for (let next = nextEpoch(origin); ; next = nextEpoch(next)) {
        const note = await noteAt(repository, newest, fileOf(repository, next))
        if (note === null) break
        later.unshift(note)
      }
      yield* later
      const file = fileOf(repository, origin)
      for (const one of await historyOf(repository, newest, file, LOOKED_AT)) {
        const note = await noteAt(repository, one, file)
        if (note !== null) yield note
      }
    },
  }
}

async function noteAt(repository: Repository, commit: string, file: string): Promise<string | null> {
  const kept = (await keptAt(repository, commit, file)).get(file)
  const [bytes] = kept === undefined ? [] : await blobs(repository, [kept.oid])
  return bytes?.toString('utf8') ?? null
}
