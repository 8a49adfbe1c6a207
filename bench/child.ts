// A process of the run and the one that started it: one question at a time, one answer to each. Measuring in a process
// of its own keeps one figure's garbage and compiled code out of the next.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Seat, seated } from './machine.js'

export type Child<Ask, Answer> = {
  /** The child's message when it was ready. */
  readonly first: unknown
  readonly pid: number
  ask(question: Ask): Promise<Answer>
  stop(): Promise<void>
}

type Told = { readonly value: unknown } | { readonly error: string }

export async function launch<Ask, Answer>(
  seat: Seat,
  script: string,
  options: { readonly env?: Record<string, string>; readonly nodeArgs?: readonly string[] } = {},
): Promise<Child<Ask, Answer>> {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const [command, args] = seated(seat, process.execPath, [...(options.nodeArgs ?? []), file])
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { PATH: process.env.PATH, ...options.env },
  })
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    first: await heard(child, script),
    pid: child.pid ?? 0,
    ask: async question => {
      child.send(question as object)
      return (await heard(child, script)) as Answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

/** The child's next word, or its death. */
function heard(child: ChildProcess, script: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const die = (code: number | null): void => {
      child.off('message', hear)
      reject(new Error(`${script} ended (${code}) instead of answering`))
    }
    const hear = (told: unknown): void => {
      child.off('exit', die)
      if ('error' in (told as Told)) reject(new Error(`${script}: ${(told as { error: string }).error}`))
      else resolve((told as { value: unknown }).value)
    }
    if (child.exitCode !== null) return die(child.exitCode)
    child.once('exit', die)
    child.once('message', hear)
  })
}

/** The child's side: says it is ready, answers until its parent lets go, then finishes and ends. */
export function answerParent<Ask>(
  first: unknown,
  answer: (question: Ask) => Promise<unknown>,
  finish: () => Promise<unknown> = async () => undefined,
): void {
  const tell = (told: Told): void => void process.send?.(told)
  process.on('message', question => {
    answer(question as Ask).then(
      value => tell({ value }),
      error => tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.once('disconnect', () => void finish().finally(() => process.exit()))
  tell({ value: first })
}
