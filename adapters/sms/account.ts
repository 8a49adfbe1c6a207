// The account messages are sent from.

export type Account = {
  readonly sid: string
  readonly token: string
  /** The number or messaging service people see, and answer. */
  readonly from: string
  /** The address of the provider's API, without a final slash. */
  readonly api: string
}

const POOL = /^MG[0-9a-fA-F]{32}$/

/** Whether it is a messaging service, which chooses the number itself. */
export const isPool = (from: string): boolean => POOL.test(from)
