// What is wrong with the alarm clock just now, by kind: said once when it begins and once when it is over, and read by
// whoever asks whether this lane is well.
import type { Say } from '../../adapter.js'

type Kind = 'redis' | 'settings' | 'worker' | 'sweep'

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
    this.#say('warn', `alarms: ${words}; until then deadlines are kept by the sweep, up to two seconds late`)
  }

  end(kind: Kind): void {
    if (this.#now.delete(kind)) this.#say('info', `alarms: ${kind} is well again`)
  }

  all(): readonly string[] {
    return [...this.#now.values()]
  }
}
