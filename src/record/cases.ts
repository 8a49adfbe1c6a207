// The cases this process has handled lately. A case follows from its story, and a story only grows: at the same
// version it is the same case, and need not be read and folded again.
import { type Case, fold } from '../agenda/case.js'
import type { Ledger } from '../ledger/contract.js'

/** At least this many cases are kept, and at most twice as many: some ten megabytes. A request answered later than
 *  that is read once more. */
const KEPT = 2_048

export class Cases {
  readonly #ledger: Pick<Ledger, 'story' | 'version'>
  /** By request: the cases of now, and those before them. When the newer map is full it replaces the older one. */
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
    if (subject !== null) this.#keep(subject)
    return subject
  }

  /** After its commit, in the place of an older case. What nobody has looked at yet is not kept: most requests are
   *  looked at late, if at all, and the collector would carry every one of them along. */
  renew(subject: Case): void {
    if (this.#known(subject.request_id) !== undefined) this.#keep(subject)
  }

  /** The later of two cases committed one after the other may come first. */
  #keep(subject: Case): void {
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
