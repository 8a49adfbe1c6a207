// Addresses of the lane's own: the sender people see, and the address their replies come back to, which carries the
// reply handle behind a delimiter so that the server needs one mailbox for all of them.

export type Mailbox = { readonly name: string; readonly address: string }

/** `lane+<handle>@example.org`, taken apart. */
export type LaneAddress = { readonly local: string; readonly delimiter: string; readonly domain: string }

/** RFC 5321, 4.5.3.1.1: longer ones are cut or refused by some server on the way. */
const MAX_LOCAL_CHARS = 64
const HANDLE_CHARS = 26
/** Characters servers are known to split mailboxes at; '=' and '#' are as good where one is set up so. */
const DELIMITERS = '+-=#'

const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
// A display name of ours needs no quoting and no encoding, so that no client shows it differently.
const NAMED = /^"?([A-Za-z0-9 ._-]{0,60}?)"? *<([^<>\s]+)>$/

export function readMailbox(text: string): Mailbox | null {
  const [, name = '', inside = text] = NAMED.exec(text) ?? []
  return ADDRESS.test(inside) ? { name: name.trim(), address: inside } : null
}

/** The address, or a sentence about its fault. A delimiter at its end (`lane-@example.org`) is the server's own. */
export function laneAddress(text: string): LaneAddress | string {
  const at = Math.max(text.lastIndexOf('@'), 0)
  const written = text.slice(0, at)
  const own = DELIMITERS.includes(written.at(-1) ?? ' ')
  const local = own ? written.slice(0, -1) : written
  if (local === '' || !ADDRESS.test(`${local}@${text.slice(at + 1)}`))
    return 'must be an address such as lane@example.org'
  if (local.length + 1 + HANDLE_CHARS > MAX_LOCAL_CHARS)
    return `must have at most ${MAX_LOCAL_CHARS - 1 - HANDLE_CHARS} characters before the @: the reply handle is added there`
  return { local, delimiter: own ? written.slice(-1) : '+', domain: text.slice(at + 1).toLowerCase() }
}

export const withHandle = ({ local, delimiter, domain }: LaneAddress, handle: string): string =>
  `${local}${delimiter}${handle}@${domain}`

/** The same address without a handle, so mail that comes back to it is bound to no request by its address. */
export const bare = ({ local, domain }: LaneAddress): string => `${local}@${domain}`

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.[0-9]{1,3}){3}$/.test(host)
