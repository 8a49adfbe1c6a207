// To whom an artifact goes. The operator's routes say it: the key that posted it comes first, because nobody can choose
// theirs; the labels an artifact bears can only choose among the routes of that key.
import type { Envelope } from './envelope.js'

export type Route = {
  /** The name or the id of an API key. */
  readonly key?: string
  readonly agent?: string
  readonly task?: string
  readonly visibility?: string
  readonly priority?: string
  readonly to: readonly string[]
  readonly action?: string
  /** In seconds, where the artifact names none. */
  readonly deadline?: number
  readonly callback_url?: string
}

type Posted = {
  readonly key: { readonly key_id: string; readonly name: string }
  readonly agent_id: string
  readonly envelope: Pick<Envelope, 'source' | 'lifecycle' | 'handoff'>
}

/** Null where no route fits. A lane without routes and with one person asks that person. */
export function routeOf(routes: readonly Route[], people: readonly string[], posted: Posted): Route | null {
  const [only, ...others] = people
  if (routes.length === 0) return only !== undefined && others.length === 0 ? { to: [only] } : null
  const own = routes.filter(({ key }) => key === posted.key.name || key === posted.key.key_id)
  const candidates = own.length > 0 ? own : routes.filter(({ key }) => key === undefined)
  return candidates.find(route => fits(route, posted)) ?? null
}

function fits(route: Route, { agent_id, envelope: { source, lifecycle, handoff } }: Posted): boolean {
  return (
    (route.agent ?? agent_id) === agent_id &&
    isOrAny(route.task, source?.task_id) &&
    isOrAny(route.visibility, lifecycle?.visibility) &&
    isOrAny(route.priority, handoff?.priority)
  )
}

const isOrAny = (wanted: string | undefined, read: string | undefined): boolean =>
  wanted === undefined || wanted === read
