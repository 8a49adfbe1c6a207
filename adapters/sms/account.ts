// The account messages are sent from, and how its provider is called.

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

/** An address below this account, with the headers that authorise its use. */
export function callFor({ sid, token, api }: Account, path: string) {
  const credentials = Buffer.from(`${sid}:${token}`).toString('base64')
  return {
    url: `${api}/2010-04-01/Accounts/${sid}${path}`,
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
  }
}
