// Two profiles: entries as AHIL 1.0 has them, and as the published schema of ADPL 1.1 takes them, which knows no context and
// three statuses. The second loses nothing, because the whole log stands in a file beside it.
import { type Entry, refOf, type Status } from './entry.js'

export const PROFILES = ['ahil-1.0', 'adpl-1.1-strict'] as const
export type Profile = (typeof PROFILES)[number]
export const isProfile = (name: string): name is Profile => (PROFILES as readonly string[]).includes(name)

type StrictEntry = Omit<Entry, 'context'>

/** The statuses that the schema has; another one is told in the content. */
const STRICT: readonly Status[] = ['noted', 'pending', 'acted']

export function strictOf(entry: Entry): StrictEntry {
  const { id, type, from, to, date, status, content } = entry
  const isKnown = STRICT.includes(status)
  const ref = refOf(entry)
  const tag = [...(isKnown ? [] : [status]), ...(ref === null ? [] : [`ref ${ref}`])].join(', ')
  return {
    id,
    type,
    from,
    to,
    date,
    status: isKnown ? status : 'noted',
    content: tag === '' ? content : `${content} [${tag}]`,
  }
}

export const inProfile = (profile: Profile, entry: Entry): Entry | StrictEntry =>
  profile === 'ahil-1.0' ? entry : strictOf(entry)

const EXTENSION = /\.adpl$/i
/** The file beside a pipeline that holds its log whole; null if the name is no pipeline's. */
export const sidecarOf = (name: string): string | null =>
  EXTENSION.test(name) ? name.replace(EXTENSION, '.ahil.json') : null
