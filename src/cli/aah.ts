// `lane aah`: artifacts that are dropped into a folder, and the responses that come back into it.
import type { Endpoint } from '../client/call.js'
import { closeFolder, openFolder } from '../folder/folder.js'
import { lockFile } from '../folder/lock.js'
import { PROFILES, type Profile } from '../interop/aah/words.js'
import { lookOnce, type Memory, nothingKnown, type Round } from './aah/watch.js'
import { readArguments } from './arguments.js'
import { type Command, misuse, type Shell } from './command.js'
import { choose, type Subcommand } from './deeds.js'
import { EXIT } from './exit-code.js'
import { hear } from './hearing.js'
import { say, visible } from './print.js'
import { complain } from './tell.js'
import { enterWatching } from './watcher.js'

/** A file is asked about, and an answer written, this long after it came. */
const LOOK_MS = 1_000

/** One watcher to a folder: two would write over each other's files. The lock has this name, and `.lock` behind it. */
const WATCHER = '.lane-aah'

const isProfile = (text: string): text is Profile => (PROFILES as readonly string[]).includes(text)

const watch: Subcommand = async (args, shell) => {
  const options = {
    json: { type: 'boolean' },
    shared: { type: 'boolean', default: false },
    profile: { type: 'string', default: 'decisions' },
  } as const
  const read = readArguments(args, options, ['DIR'])
  if (!read.ok) return misuse(...read.flaws)
  const { json = false, shared, profile } = read.values
  const [directory = ''] = read.words
  if (!isProfile(profile)) return misuse(`--profile takes ${PROFILES.join(' or ')}; read "${profile}"`)
  const watching = await enterWatching(shell)
  if (watching === null) return EXIT.error
  const held = await holdFolder(shell, directory, shared)
  if (!held.ok) return complain(shell, [held.detail])
  const memory = nothingKnown()
  return await Promise.race([
    hearOfReplies(watching.endpoint, shell, memory),
    lookOverAndOver(watching.endpoint, shell, memory, { directory, shared, profile, json }),
  ])
}

type Looking = {
  readonly directory: string
  readonly shared: boolean
  readonly profile: Profile
  readonly json: boolean
}

async function lookOverAndOver(
  endpoint: Endpoint,
  shell: Shell,
  memory: Memory,
  { json, ...options }: Looking,
): Promise<never> {
  for (let last = ''; ; await shell.sleep(LOOK_MS)) {
    const round = await lookOnce(endpoint, memory, { ...options, now: shell.clock.wall() })
    const now = JSON.stringify(round)
    if (now !== last) tellRound(shell, round, json)
    last = now
  }
}

/** What came while nobody listened is looked for once, whenever the stream stands anew. */
const hearOfReplies = (endpoint: Endpoint, shell: Shell, { files, stirred }: Memory): Promise<never> =>
  hear(endpoint, shell, ['HUMAN_REPLY_EVENT', 'REQUEST_RESOLVED'], {
    stands: () => {
      for (const { request_id } of files.values()) if (request_id !== null) stirred.add(request_id)
    },
    heard: id => stirred.add(id),
  })

type Held = { readonly ok: true } | { readonly ok: false; readonly detail: string }

/** For the life of this process. */
async function holdFolder(shell: Shell, directory: string, shared: boolean): Promise<Held> {
  const opened = openFolder(directory, [], { shared })
  if (!opened.ok) return opened
  try {
    const sleep = (ms: number): Promise<void> => shell.sleep(ms)
    const lock = await lockFile(opened.folder, WATCHER, { patienceMs: 0, sleep })
    return lock.ok ? { ok: true } : { ok: false, detail: `another watcher is at work: ${lock.detail}` }
  } finally {
    closeFolder(opened.folder)
  }
}

function tellRound(shell: Shell, round: Round, json: boolean): void {
  if (json) say(shell.stdout, [JSON.stringify(round)])
  else
    say(
      shell.stdout,
      [
        ...round.asked.map(({ file, request_id, state }) => `${file} asked as ${request_id}, ${state}`),
        ...round.answered.map(({ file, overall_status, status }) => `${file}: ${overall_status}, ${status}`),
      ].map(visible),
    )
  const refused = round.refused.map(({ file, code, detail }) => `${file ?? 'the folder'}: ${code}: ${detail}`)
  if (refused.length > 0) complain(shell, refused)
}

export const aah: Command = {
  usage: `lane aah watch DIR [--profile decisions|strict-envelope] [--shared] [--json]

A drop folder for decisions as AAH artifacts (docs/aah.md): what is put there as NAME.aah.json is asked, and the newest
signed response stands beside it as NAME.response.aah.json; the same file with status withdrawn takes it back. Whoever can
write the folder acts with the watcher's key. LANE_URL and LANE_API_KEY come from the environment or from a file named before
the command, never from a .env that lies there. It goes on until it is stopped; what was in the middle is finished by the next.`,

  run: (args, shell) => choose('aah', { watch }, args, shell),
}
