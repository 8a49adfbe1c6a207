// The cost of many decisions at once: a form of ten, created and answered whole, beside a yes_no of the same run.
import type { Figure } from './figure.js'
import { CLIENTS, drawReplies, idsOf, open, REPEATS, type Stage, withStage } from './stage.js'

const WARM_UP = 1_000
const FORMS = 1_000

const options = ['all', 'few', 'none'].map(value => ({ value, label: `To ${value} of them` }))
const TYPES = ['approval', 'choice', 'number', 'date', 'text'] as const
const ANSWERS = {
  approval: 'yes',
  choice: 'few',
  number: '50',
  date: '2026-02-17',
  text: 'as it was planned',
}
const decisions = Array.from({ length: 10 }, (_, at) => {
  const type = TYPES[at % TYPES.length] ?? 'approval'
  const prompt = `What is decided under number ${at + 1}`
  return { id: `d${at + 1}`, type, prompt, required: true, ...(type === 'choice' && { options }) }
})
const FORM = { kind: 'form', decisions }
const LINES = decisions.map(({ id, type }) => `${id} ${ANSWERS[type]}`).join('\n')

export async function measureForms(): Promise<Figure[]> {
  return withStage(async stage => {
    await cycle(stage, idsOf('warm-form', WARM_UP), FORM, LINES)
    await cycle(stage, idsOf('warm', WARM_UP))
    const measured: number[] = []
    const baseline: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      baseline.push((await cycle(stage, idsOf(`yes-no-${repeat}`, FORMS))) / FORMS)
      measured.push((await cycle(stage, idsOf(`form-${repeat}`, FORMS), FORM, LINES)) / FORMS)
    }
    return [
      {
        what: `a form of ten decisions, created and answered whole, ${CLIENTS} clients`,
        unit: 'ms',
        measured,
        baseline: { what: 'a yes_no, created and answered', measured: baseline },
        goal: { judged: 'ratio', better: 'less', must: 2, aim: null },
      },
    ]
  })
}

/** Milliseconds to open and to answer them; the pages are drawn in between, and not counted. */
async function cycle(stage: Stage, ids: readonly string[], schema?: object, reply?: string): Promise<number> {
  const opened = await open(stage, ids, schema)
  const calls = [...(await drawReplies(stage, ids, reply)).values()]
  const { ms } = await stage.load({
    kind: 'volley',
    port: stage.lane.port,
    clients: CLIENTS,
    calls,
    status: 200,
    until: null,
  })
  return opened + ms
}
