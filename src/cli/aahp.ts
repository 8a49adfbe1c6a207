// `lane aahp`: handoffs of agents in `.ai/handoff/`: looked at, asked about, and brought forward.
import { randomBytes } from 'node:crypto'
import { instant } from '../clock.js'
import { openRepository, refOf } from '../git/repository.js'
import { type FoundHit, hitsOn, wallOf } from '../interop/aahp/board.js'
import { cycleIn, eligible } from '../interop/aahp/graph.js'
import { examine, type Health } from '../interop/aahp/health.js'
import { strayComments } from '../interop/aahp/section.js'
import { DATA_NOTE, dayOf, textOf } from '../interop/aahp/words.js'
import { sayHit } from '../interop/aahp/write.js'
import { closeProject, leftOver, manifestBefore, openProject, type Project } from './aahp/project.js'
import { recover as bringBack } from './aahp/recover.js'
import { type Round, syncOnce } from './aahp/sync.js'
import { readArguments } from './arguments.js'
import { type Command, misuse, type Shell } from './command.js'
import { choose, type Subcommand } from './deeds.js'
import { DURATION_WORDS, parseDuration } from './duration.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { say, visible } from './print.js'
import { complain } from './tell.js'
import { enterWatching } from './watcher.js'

const COMMON = { json: { type: 'boolean' }, shared: { type: 'boolean', default: false } } as const

const today = ({ clock }: Shell): string => dayOf(instant(clock.wall()))

/** A deed on one directory; what it prints under --json is one object. */
const onProject =
  (deed: (shell: Shell, project: Project, json: boolean) => Promise<ExitCode>): Subcommand =>
  async (args, shell) => {
    const read = readArguments(args, COMMON, ['DIR'])
    if (!read.ok) return misuse(...read.flaws)
    const opened = await openProject(read.words[0] ?? '', read.values)
    if (!opened.ok) return complain(shell, [opened.detail])
    try {
      return await deed(shell, opened.project, read.values.json === true)
    } finally {
      closeProject(opened.project)
    }
  }

async function healthOf(shell: Shell, project: Project): Promise<Health> {
  const [left, before] = await Promise.all([leftOver(project), manifestBefore(project)])
  const dirty = left === null ? null : [...new Set([...left.files, ...left.staged])]
  return examine({ board: project.board, today: today(shell), before, dirty })
}

const SIGNS = { ok: 'ok', warn: 'WARN', stop: 'STOP', skipped: '-' } as const

const check = onProject(async (shell, project, json) => {
  const health = await healthOf(shell, project)
  const { steps, mode, mayWrite } = health
  if (json) say(shell.stdout, [JSON.stringify({ mode, may_write: mayWrite, steps })])
  else
    say(
      shell.stdout,
      steps.map(
        ({ step, name, state, notes }) =>
          `${step}. ${name}: ${SIGNS[state]}${notes.map(note => `\n   ${visible(note)}`).join('')}`,
      ),
    )
  const stops = steps
    .filter(({ state }) => state === 'stop')
    .flatMap(({ name, notes }) => notes.map(note => `${name}: ${note}`))
  return stops.length === 0 ? EXIT.ok : complain(shell, stops)
})

const next = onProject(async (shell, project, json) => {
  const { manifest, mode, steps } = await healthOf(shell, project)
  if (manifest === null)
    return complain(
      shell,
      steps.flatMap(({ notes }) => notes),
    )
  const cycle = cycleIn(manifest.tasks ?? {})
  if (cycle !== null) return complain(shell, [`tasks wait for each other: ${cycle.join(' -> ')}`])
  const [taken] = eligible(manifest.tasks ?? {})
  if (json)
    say(shell.stdout, [
      JSON.stringify({
        mode,
        note: DATA_NOTE,
        task: taken === undefined ? null : { id: taken[0], ...taken[1] },
      }),
    ])
  else if (taken !== undefined) say(shell.stdout, [`${taken[0]}: ${visible(taken[1].title)}`, DATA_NOTE])
  else
    say(shell.stdout, [
      mode === 'v2' ? 'no tasks are listed: read NEXT_ACTIONS.md from the top' : 'no task can be taken',
    ])
  return EXIT.ok
})

const recover = onProject(async (shell, project, json) => {
  const session = {
    id: `lane-${randomBytes(6).toString('hex')}`,
    at: instant(shell.clock.wall()),
    before: project.branch?.tip ?? '',
  }
  const done = await bringBack(project, session, shell.clock.wall(), () => undefined)
  if (!done.ok) return complain(shell, done.details)
  const { did, told, commit } = done
  if (json) say(shell.stdout, [JSON.stringify({ did, commit, interrupted: told })])
  else
    say(shell.stdout, [
      WORDS[did],
      ...(told === null ? ['nothing is unknown'] : toldLines(told)),
      ...(commit === null ? [] : [`commit ${commit}`]),
    ])
  return EXIT.ok
})

const WORDS = {
  nothing: 'the handoff is clean',
  index: 'the last handoff was committed; the index now follows it',
  restored: 'the last clean state stands again',
  assumed: 'files that changed outside the protocol are listed anew',
} as const

const toldLines = ({
  agent,
  unknown,
  assumed,
  kept,
}: {
  agent: string
  unknown: readonly string[]
  assumed: readonly string[]
  kept: string | null
}): string[] => [
  visible(`interrupted: ${agent}`),
  ...unknown.map(name => `(Unknown) ${visible(name)}`),
  ...assumed.map(name => `(Assumed) ${visible(name)}`),
  ...(kept === null ? [] : [`what it left is kept as ${kept}`]),
]

const NON_ASCII = /[^\x00-\x7f]/

const lint = onProject(async (shell, project, json) => {
  const { board } = project
  if (board === null) return complain(shell, ['there is no handoff here'])
  const { wall, flaws } = wallOf(board)
  const hits: FoundHit[] = hitsOn(board, wall, today(shell))
  const health = await healthOf(shell, project)
  const stops = health.steps.filter(({ state }) => state === 'stop').flatMap(({ notes }) => notes)
  const notes = [...board]
    .filter(([name]) => name.endsWith('.md'))
    .flatMap(([name, bytes]) => remarks(name, textOf(bytes) ?? ''))
  const wrong = [...flaws, ...hits.map(sayHit), ...stops]
  if (json) say(shell.stdout, [JSON.stringify({ hits, flaws: [...flaws, ...stops], notes })])
  else
    say(shell.stdout, [...notes, ...(wrong.length === 0 ? ['nothing is forbidden here'] : [])].map(visible))
  return wrong.length === 0 ? EXIT.ok : complain(shell, wrong)
})

/** What is reported and forbids nothing: it stood there before. */
function remarks(name: string, text: string): string[] {
  const comments = strayComments(text).map(
    line => `${name}:${line} has a comment that is no marker of a section`,
  )
  const other = text.split('\n').findIndex(line => NON_ASCII.test(line))
  return other < 0
    ? comments
    : [...comments, `${name}:${other + 1} is the first line that is not plain ASCII`]
}

/** A person answers in minutes, and the board changes when somebody commits. */
const WATCH_MS = 5000

const sync: Subcommand = async (args, shell) => {
  const options = {
    ...COMMON,
    watch: { type: 'boolean' },
    branch: { type: 'string' },
    to: { type: 'string', multiple: true },
    deadline: { type: 'string', default: '24h' },
  } as const
  const read = readArguments(args, options, ['DIR'])
  if (!read.ok) return misuse(...read.flaws)
  const { branch, to, deadline, shared, watch, json } = read.values
  const [directory = ''] = read.words
  const deadlineSeconds = parseDuration(deadline)
  if (deadlineSeconds === null) return misuse(`--deadline takes ${DURATION_WORDS}`)
  const ref = branch === undefined ? null : await refNamed(directory, branch)
  if (ref === false) return misuse(`--branch takes the name of a branch; read "${branch}"`)
  const watching = await enterWatching(shell)
  if (watching === null) return EXIT.error
  const work = {
    shell,
    watching,
    told: () => undefined,
    options: { directory, shared, ref, to, deadlineSeconds },
  }
  if (!watch) return tellRound(shell, await syncOnce(work), json === true)
  for (let last = ''; ; await shell.sleep(WATCH_MS)) {
    const round = await syncOnce(work).catch(failedRound)
    const now = JSON.stringify(round)
    if (now !== last) tellRound(shell, round, json === true)
    last = now
  }
}

/** A watch goes on: what is broken now may be mended by the next look. */
const failedRound = (error: unknown): Round => {
  const details = [error instanceof Error ? error.message : String(error)]
  return { asked: [], handed: [], recovered: [], refused: [{ task: null, code: 'failed', details }] }
}

async function refNamed(directory: string, branch: string): Promise<string | false> {
  const opened = await openRepository(directory).catch(() => null)
  const ref = opened?.ok ? await refOf(opened.repository, branch) : null
  return ref ?? (opened?.ok ? false : `refs/heads/${branch}`)
}

function tellRound(shell: Shell, round: Round, json: boolean): ExitCode {
  if (json) say(shell.stdout, [JSON.stringify(round)])
  else
    say(
      shell.stdout,
      [
        ...round.recovered.map(what => `recovered ${what}`),
        ...round.asked.map(({ task, request_id, state }) => `${task} asked as ${request_id}, ${state}`),
        ...round.handed.map(
          ({ task, verdict, status, commit }) =>
            `${task} decided ${verdict}, now ${status}: commit ${commit}`,
        ),
      ].map(visible),
    )
  const refused = round.refused.flatMap(({ task, code, details }) =>
    details.map(one => `${task ?? 'the board'}: ${code}: ${one}`),
  )
  const isReading = round.refused.every(({ code }) => code === 'read_only')
  if (refused.length > 0) complain(shell, refused)
  return isReading ? EXIT.ok : EXIT.error
}

const DEEDS = { check, next, sync, recover, lint } as const

export const aahp: Command = {
  usage: `lane aahp check DIR [--shared] [--json]
lane aahp next DIR [--shared] [--json]
lane aahp sync DIR [--watch] [--branch B] [--to U …] [--deadline 24h] [--shared] [--json]
lane aahp recover DIR [--shared] [--json]
lane aahp lint DIR [--shared] [--json]

Handoffs of agents in DIR/.ai/handoff (docs/aahp.md). \`check\` goes through the eight steps with which a session begins,
\`next\` names the task to take. \`sync\` asks people about tasks whose blocker begins with "human:", and tells each
decision in one commit of the handoff alone; whoever can write the folder acts with its key. \`recover\` puts back the last
clean state after a session that ended in the middle, \`lint\` looks for what may not stand there. LANE_URL and
LANE_API_KEY come from the environment or from a file named before the command, never from a .env that lies there.
Exits 0 done, 1 refused or broken, 2 wrong usage.`,

  run: (args, shell) => choose('aahp', DEEDS, args, shell),
}
