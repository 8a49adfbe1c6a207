// The parts that every stage of a start is given: the operator's decisions, the store, and a place to note how a part
// is stopped.
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { Settings } from '../config/settings.js'
import type { Store } from '../ledger/contract.js'
import type { Say } from '../say.js'
import type { Stops } from './stops.js'

export type House = {
  readonly settings: Settings
  readonly config: Config
  readonly store: Store
  readonly version: string
  readonly log: Logger
  readonly say: Say
  readonly stops: Stops
  /** The address at which people reach it. Known for sure once the port is open. */
  readonly publicUrl: { current: string }
  readonly print: (text: string) => void
  /** The size of the checkpoint that the operator gives up, if the ledger does not contain it any more. */
  readonly acceptRollback: number | null
  readonly onStale: (error: unknown) => void
}

/** The lane cannot start, and why, in sentences for the operator. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}

/** Whether other replicas write to the same store. */
export const isShared = ({ settings }: Pick<House, 'settings'>): boolean => settings.profile === 'cluster'
