// The alarm clock's troubles just now, by kind: each is reported once when it begins and once when it is over, and
// read by anything that asks whether this lane is well.
import type { Say } from '../../say.js'

type Kind = 'redis' | 'settings' | 'worker' | 'sweep'

const SWEPT = 'until then deadlines are kept by the sweep, up to two seconds late'
/** The way deadlines are kept as long as it lasts. */
const MEANWHILE: Readonly<Record<Kind, string>> = {
  redis: SWEPT,
  worker: SWEPT,
  settings: 'what Redis loses because of it is kept by the sweep, up to two seconds late',
  sweep: 'until then only what Redis rings is kept in time, and the rest once it is read again',
}

export class Troubles {
  readonly #say: Say
  readonly #now = new Map<Kind, string>()

  constructor(say: Say) {
    this.#say = say
  }

  begin(kind: Kind, words: string): void {
    const isKnown = this.#now.has(kind)
    this.#now.set(kind, words)
    if (isKnown) return
    this.#say('warn', `alarms: ${words}; ${MEANWHILE[kind]}`)
  }

  end(kind: Kind): void {
    if (this.#now.delete(kind)) this.#say('info', `alarms: ${kind} is well again`)
  }

  all(): readonly string[] {
    return [...this.#now.values()]
  }
}
