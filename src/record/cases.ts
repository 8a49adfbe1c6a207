// The cases this process has lately had to do with. A case is what its story makes of it, and a story only grows: at the same
// version it is the same case, and need not be read and folded again.
import { type Case, fold } from '../agenda/case.js'
import type { Ledger } from '../ledger/contract.js'

/** So many cases at least are kept, and twice as many at most: some ten megabytes. A request that is answered later than
 *  that is read once more. */
const KEPT = 2_048

export class Cases {
  readonly #ledger: Pick<Ledger, 'story' | 'version'>
  /** By request: those of now, and those before them. A full one takes the place of the older. */
  #newer = new Map<string, Case>()
  #older = new Map<string, Case>()

  constructor(ledger: Pick<Ledger, 'story' | 'version'>) {
    this.#ledger = ledger
  }

  /** The case as the ledger has it now; null where there is none. */
  async read(requestId: string): Promise<Case | null> {
    const known = this.#known(requestId)
    if (known !== undefined && (await this.#ledger.version(requestId)) === known.version) return known
    const subject = fold(await this.#ledger.story(requestId))
    if (subject !== null) this.keep(subject)
    return subject
  }

  /** After its commit. Of two that were committed one after the other, the later may be kept first. */
  keep(subject: Case): void {
    const known = this.#known(subject.request_id)
    if (known !== undefined && known.version > subject.version) return
    if (this.#newer.size >= KEPT) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(subject.request_id, subject)
  }

  #known(requestId: string): Case | undefined {
    return this.#newer.get(requestId) ?? this.#older.get(requestId)
  }
}
