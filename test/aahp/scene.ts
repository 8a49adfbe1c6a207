// A project with a handoff in a real repository, and `lane aahp` called on it in this process.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shell } from '../../src/cli/command.js'
import { main } from '../../src/cli/commands.js'
import { machineClock } from '../../src/clock.js'
import { checksumOf, type Manifest, type Task } from '../../src/interop/aahp/manifest.js'
import { freshRepository, git, put } from '../git/scene.js'
import { handoff } from '../interop/aahp/handoff.js'
import type { LaneUnderTest } from '../lane-under-test.js'

export const HANDOFF = '.ai/handoff'

/** A repository whose main branch has a whole handoff, and a file of code beside it. */
export function freshProject(
  changes: Readonly<Record<string, string | null>> = {},
  more: Partial<Manifest> = {},
): string {
  const files = Object.entries(handoff(changes, more)).map(([name, text]) => [`${HANDOFF}/${name}`, text])
  return freshRepository({ 'src/code.txt': 'code\n', ...Object.fromEntries(files) })
}

export const read = (top: string, name: string): string => readFileSync(join(top, HANDOFF, name), 'utf8')
export const write = (top: string, name: string, text: string): void =>
  put(top, { [`${HANDOFF}/${name}`]: text })
export const names = (top: string): string[] => readdirSync(join(top, HANDOFF)).sort()
export const manifestOf = (top: string): Manifest => JSON.parse(read(top, 'MANIFEST.json'))
export const taskOf = (top: string, id = 'T-003'): Task | undefined => manifestOf(top).tasks?.[id]

/** Everything beneath the handoff, by name. */
export const snapshot = (top: string): Record<string, string> =>
  Object.fromEntries(names(top).map(name => [name, read(top, name)]))

/** Names whose checksum in the manifest is not that of the file. */
export const wrongChecksums = (top: string): string[] =>
  Object.entries(manifestOf(top).files)
    .filter(([name, { checksum }]) => checksumOf(readFileSync(join(top, HANDOFF, name))) !== checksum)
    .map(([name]) => name)

export const commits = (top: string, ref = 'main'): number => Number(git(top, 'rev-list', '--count', ref))

/** Sets the tasks as an agent would, with a manifest that fits, and commits. */
export function setTasks(top: string, tasks: Record<string, Task>, more: Partial<Manifest> = {}): void {
  write(top, 'MANIFEST.json', `${JSON.stringify({ ...manifestOf(top), tasks, ...more }, null, 2)}\n`)
  git(top, 'commit', '--quiet', '--all', '--message', 'tasks')
}

export type Told = {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly json: Record<string, unknown>
}

export const keyed = ({ url, agentKey }: LaneUnderTest): Record<string, string> => ({
  LANE_URL: url,
  LANE_API_KEY: agentKey,
})

export function shellFor(env: Record<string, string>): { shell: Shell; out: string[]; err: string[] } {
  const [out, err]: [string[], string[]] = [[], []]
  const output = (lines: string[]): Shell['stdout'] => ({
    write: chunk => lines.push(String(chunk)) > 0,
    once: () => undefined,
  })
  const shell = {
    env,
    envFile: null,
    stdout: output(out),
    stderr: output(err),
    clock: machineClock,
    sleep: (ms: number) => sleep(ms),
  }
  return { shell, out, err }
}

/** `lane aahp …` */
export async function aahp(env: Record<string, string>, ...args: string[]): Promise<Told> {
  const { shell, out, err } = shellFor(env)
  const code = await main(['aahp', ...args], shell)
  const text = out.join('')
  return { code, out: text, err: err.join(''), json: text.startsWith('{') ? JSON.parse(text) : {} }
}

export const lockOf = (top: string, text: string): void => {
  mkdirSync(join(top, HANDOFF), { recursive: true })
  writeFileSync(join(top, HANDOFF, 'HANDOFF.lock'), text)
}
export const remove = (top: string, name: string): void => rmSync(join(top, HANDOFF, name))

/** Answers the one open request of a task as a person would. */
export async function decide(lane: LaneUnderTest, requestId: string, reply: string): Promise<void> {
  const answered = await lane.answer(await lane.link(requestId), reply)
  if (answered.status !== 200) throw new Error(`the page answered ${answered.status}: ${answered.text}`)
}
export const askedIn = ({
  json,
}: Pick<Told, 'json'>): { task: string; request_id: string; state: string }[] =>
  (json.asked ?? []) as { task: string; request_id: string; state: string }[]
