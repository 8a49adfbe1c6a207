// The account messages are sent from, and how its provider is called.

export type Account = {
  readonly sid: string
  readonly token: string
  /** The number or messaging service people see, and answer. */
  readonly from: string
  /** Where the provider's API is, without a final slash. */
  readonly api: string
}

const POOL = /^MG[0-9a-fA-F]{32}$/

/** A messaging service chooses the number itself. */
export const isPool = (from: string): boolean => POOL.test(from)

/** An address below this account, with the right to use it. */
export function callFor({ sid, token, api }: Account, path: string) {
  const credentials = Buffer.from(`${sid}:${token}`).toString('base64')
  return {
    url: `${api}/2010-04-01/Accounts/${sid}${path}`,
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
  }
}
