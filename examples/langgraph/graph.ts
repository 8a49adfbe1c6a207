// A LangGraph graph that interrupts into the lane. The node says what it wants the right to do and is interrupted; the
// program that drives the graph asks a person for it, and the graph goes on with what became of that.
import { createHash } from 'node:crypto'
import {
  Annotation,
  Command,
  END,
  INTERRUPT,
  interrupt,
  isInterrupted,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { connect } from 'interrupt-lane/client'

/** What a node wants to do, as the person is shown it. */
type Wanted = { readonly action: string; readonly values: Record<string, string>; readonly why: string }
/** What became of it: the right that YES gives, or why there is none. */
type Given =
  | { readonly token: string; readonly parameters: Record<string, string> }
  | { readonly refused: string }

const thread = process.argv[2] ?? 'thread-1'
const topic = process.argv[3] ?? 'What is new'
const lane = connect()

const State = Annotation.Root({
  topic: Annotation<string>,
  page: Annotation<string>,
  ending: Annotation<string>,
})

/** A node that is interrupted is run anew from its beginning, so nothing is done before the right is there. */
async function publish({ page }: typeof State.State) {
  const given = interrupt<Wanted, Given>({ action: 'PUBLISH', values: { page }, why: 'The page is written' })
  if ('refused' in given) return { ending: `not published: ${given.refused}` }
  const spent = await lane.spend({ ...given, action: 'PUBLISH', spendId: `${thread}-publish` })
  return { ending: spent.kind === 'spent' ? `published ${page}` : `not published: ${spent.code}` }
}

const graph = new StateGraph(State)
  .addNode('write', state => ({ page: `<h1>${state.topic}</h1>` }))
  .addNode('publish', publish)
  .addEdge(START, 'write')
  .addEdge('write', 'publish')
  .addEdge('publish', END)
  .compile({ checkpointer: new MemorySaver() })

const config = { configurable: { thread_id: thread } }
let state = await graph.invoke({ topic }, config)
while (isInterrupted<Wanted>(state)) {
  const asked = state[INTERRUPT].map(async ({ id, value }) => [id, await ask(value)] as const)
  state = await graph.invoke(new Command({ resume: Object.fromEntries(await Promise.all(asked)) }), config)
}
console.log(state.ending)
process.exitCode = state.ending.startsWith('published') ? 0 : 1

/** The id is made of thread and content: a program that is started again asks nobody a second time. */
async function ask(wanted: Wanted | undefined): Promise<Given> {
  if (wanted === undefined) return { refused: 'nothing was asked for' }
  const name = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16)
  const outcome = await lane
    .approve({ ...wanted, id: `${thread}-${name}`, deadlineSeconds: 1800, default: 'DENY' })
    .wait()
  if (outcome.kind !== 'answered') return { refused: outcome.kind }
  if (outcome.answer === 'NO') return { refused: `${outcome.by} said no` }
  const { policyToken: token, case: subject } = outcome
  if (token === undefined || subject.request.type !== 'REQUEST_APPROVAL')
    return { refused: 'the right was used before or has expired' }
  return { token, parameters: { ...subject.request.parameters } }
}
