// A place outside the ledger where checkpoints are published, and read again when the lane starts.
import type { Checkpoint } from '../checkpoint.js'

type Published = Checkpoint & { readonly note: string }

export type Place = {
  /** As the operator knows it, for sentences. */
  readonly name: string
  /** Once it fulfils the note is there. What is there already is taken again; nothing that is there is changed. */
  put(published: Published): Promise<void>
  /** The notes of a log that are there: those of later epochs, then those of this one; of each epoch the newest first. */
  notes(origin: string): AsyncIterable<string>
}
