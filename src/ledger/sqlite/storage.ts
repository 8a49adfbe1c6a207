// The state of the disk, for everyone who writes the one file: the ledger and the shelf beside it.
//
// QS1  A disk that is full is asked again at the next write: it may have room by then.
// QS2  After a failed sync nothing is written any more. The content of the disk is then unknown, a second sync that
//      succeeds says nothing about the pages the first one lost, and only a restart reads them afresh.
import { LedgerUnavailable } from '../contract.js'

export class Storage {
  /** QS2; set once. */
  #broken: LedgerUnavailable | null = null
  /** The last write failed, and none has succeeded since. */
  #trouble: LedgerUnavailable | null = null

  /** Does the writing. LedgerUnavailable is thrown when the disk fails it; any other error is the deed's own. */
  write<T>(deed: () => T): T {
    if (this.#broken) throw this.#broken
    try {
      const done = deed()
      this.#trouble = null
      return done
    } catch (error) {
      throw isStorageFailure(error) ? this.#failed(error) : error
    }
  }

  get broken(): LedgerUnavailable | null {
    return this.#broken
  }

  get troubled(): boolean {
    return this.#trouble !== null
  }

  #failed(error: { readonly code: string }): LedgerUnavailable {
    const { code } = error
    const failure = new LedgerUnavailable(`the ledger could not be written (${code})`, { cause: error })
    this.#trouble = failure
    if (isLost(code)) this.#broken = failure
    return failure
  }
}

/** Whether the disk or the file failed, as against a write that may not stand. */
export function isStorageFailure(error: unknown): error is { readonly code: string } {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT')
}

/** No room for the index of the log (SHMSIZE) is a full disk by another name: nothing was lost by it. */
const isLost = (code: string): boolean =>
  code === 'SQLITE_CORRUPT' || (code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_SHMSIZE')
