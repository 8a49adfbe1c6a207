// Every step of a pipeline with the place it runs in: sub-pipelines, named ones and async branches run unwatched, chains
// and async branches drop what `on_result` says, and a step around others can swallow their errors.
import { listOf, type Pipeline, readPipeline, type Step, textAt } from './pipeline.js'

export type Surroundings = {
  /** Why no gate of `ail`'s own is shown to anybody here; null where one is. */
  readonly unwatched: string | null
  /** Where the action of `on_result` is dropped, by its name; null where it counts. */
  readonly dropped: string | null
  readonly loop: boolean
  readonly child: boolean
  /** The step around it that goes on after an error. */
  readonly swallowedBy: Step | null
  /** The join that waits for all branches, whatever became of them. */
  readonly forgivingJoin: Step | null
  /** Nothing runs behind it. */
  readonly last: boolean
  readonly next: Step | null
}
export type Placed = { readonly step: Step; readonly place: Surroundings }
type Unread = {
  readonly file: string
  readonly line: number
  readonly detail: string
}
/** Another file, as one file names it; null if it cannot be read. */
export type OpenFile = (from: string, ref: string) => { readonly file: string; readonly text: string } | null

type Walked = { readonly placed: readonly Placed[]; readonly unread: readonly Unread[] }

const TOP: Surroundings = {
  unwatched: null,
  dropped: null,
  loop: false,
  child: false,
  swallowedBy: null,
  forgivingJoin: null,
  last: false,
  next: null,
}
/** Pipelines may call each other in circles. */
const MOST_PIPELINES = 256

export function walk(root: Pipeline, open: OpenFile): Walked {
  const placed: Placed[] = []
  const unread: Unread[] = []
  const seen = new Set<string>()

  const all = (steps: readonly Step[], pipeline: Pipeline, place: Surroundings, isRoot: boolean): void => {
    for (const [at, step] of steps.entries()) {
      const last = isRoot && pipeline.from === null && at === steps.length - 1
      one(step, pipeline, { ...place, last, next: steps[at + 1] ?? null }, steps)
    }
  }

  const one = (step: Step, pipeline: Pipeline, around: Surroundings, siblings: readonly Step[]): void => {
    const { fields } = step
    const place = fields.async === true ? inBranch(around, step, siblings) : around
    placed.push({ step, place })
    const inner = { ...place, last: false, next: null, swallowedBy: swallowing(step) ?? place.swallowedBy }
    for (const chain of ['before', 'then'])
      all(
        step.within(chain),
        pipeline,
        { ...inner, dropped: place.dropped ?? `a ${chain}: chain`, swallowedBy: place.swallowedBy },
        false,
      )
    for (const loop of ['do_while', 'for_each']) {
      const body = { ...inner, loop: true }
      all(step.within(loop, 'steps'), pipeline, body, false)
      const ref = refAt(fields[loop], 'pipeline')
      if (ref !== null) file(step, ref, step.lineOf(loop, 'pipeline'), pipeline, body)
    }
    const ref = refAt(fields, 'pipeline')
    if (ref !== null) called(step, ref, step.lineOf('pipeline'), pipeline, inner)
    for (const [at, branch] of listOf(fields.on_result).entries()) {
      const named = /^pipeline:\s*(\S+)$/.exec(refAt(branch, 'action') ?? '')?.[1]
      if (named !== undefined) called(step, named, step.lineOf('on_result', at, 'action'), pipeline, inner)
    }
  }

  const called = (step: Step, ref: string, line: number, pipeline: Pipeline, around: Surroundings): void => {
    const steps = pipeline.named.get(ref)
    const noun = steps === undefined ? 'sub-pipeline' : 'named pipeline'
    const place = {
      ...around,
      loop: false,
      child: true,
      unwatched: around.unwatched ?? `the ${noun} ${ref}, which runs as in text mode`,
    }
    if (steps === undefined) file(step, ref, line, pipeline, place)
    else if (isNew(pipeline.file, ref, place)) all(steps, pipeline, place, false)
  }

  const file = (step: Step, ref: string, line: number, pipeline: Pipeline, place: Surroundings): void => {
    // A template is filled in when the pipeline runs.
    const opened = ref.includes('{{') ? null : open(pipeline.file, ref)
    if (opened === null) {
      unread.push({ file: step.file, line, detail: `${ref} cannot be read here` })
      return
    }
    const read = readPipeline(opened.file, opened.text)
    if (!read.ok) unread.push({ file: opened.file, line: read.line, detail: read.detail })
    else if (isNew(opened.file, '', place)) all(read.pipeline.steps, read.pipeline, place, false)
  }

  const isNew = (
    name: string,
    inner: string,
    { swallowedBy, forgivingJoin, ...rest }: Surroundings,
  ): boolean => {
    const key = JSON.stringify([
      name,
      inner,
      rest.unwatched,
      rest.dropped,
      rest.loop,
      swallowedBy?.id,
      forgivingJoin?.id,
    ])
    if (seen.has(key) || seen.size >= MOST_PIPELINES) return false
    seen.add(key)
    return true
  }

  isNew(root.file, '', TOP)
  all(root.steps, root, TOP, true)
  // A named pipeline that nobody calls here may be called from a file that builds on this one.
  for (const [name, steps] of root.named)
    if (isNew(root.file, name, { ...TOP, unwatched: name }))
      all(
        steps,
        root,
        { ...TOP, child: true, unwatched: `the named pipeline ${name}, which runs as in text mode` },
        false,
      )
  return { placed, unread }
}

/** The pipelines that this one builds on, nearest first. */
export function basesOf(pipeline: Pipeline, open: OpenFile): readonly Pipeline[] {
  const bases: Pipeline[] = []
  for (let at: Pipeline = pipeline; at.from !== null; ) {
    const opened = open(at.file, at.from)
    const read = opened === null ? null : readPipeline(opened.file, opened.text)
    if (read === null || !read.ok) break
    const { pipeline: base } = read
    if (base.file === pipeline.file || bases.some(({ file }) => file === base.file)) break
    bases.push(base)
    at = base
  }
  return bases
}

function inBranch(place: Surroundings, step: Step, siblings: readonly Step[]): Surroundings {
  const id = textAt(step.fields, 'id')
  const join = siblings.find(
    ({ fields }) =>
      fields.action === 'join' &&
      fields.on_error === 'wait_for_all' &&
      listOf(fields.depends_on).includes(id),
  )
  return {
    ...place,
    unwatched: place.unwatched ?? 'an async branch, which runs as in text mode',
    dropped: place.dropped ?? 'an async branch',
    forgivingJoin: join ?? place.forgivingJoin,
  }
}

const FORGIVING = ['continue', 'retry']
const swallowing = (step: Step): Step | null =>
  FORGIVING.includes(textAt(step.fields, 'on_error') ?? '') ? step : null

const refAt = (value: unknown, name: string): string | null => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
  return typeof found === 'string' ? found : null
}
