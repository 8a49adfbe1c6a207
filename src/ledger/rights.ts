// The rows that give a right. Every column that says what the right is, is sealed. A row without its seal counts as
// absent, so an attacker who can write the database but has not the lane's secret gives nobody anything. A reference
// leads from a provider's message to a grant: pointed at another grant, it would turn a YES to one request into a YES
// to the other.

/** A value as it is kept; bytes are sealed as hexadecimal. */
type Value = string | number | null | Uint8Array
export type Row = Readonly<Record<string, Value>>

type Right = {
  /** The columns by which a row is found. */
  readonly identity: readonly string[]
  readonly columns: readonly string[]
  /** For the report that a row is not sound: it holds no secret, nor the hash of one. */
  name(row: Row): string
}

export const RIGHTS = {
  api_keys: {
    identity: ['key_id'],
    columns: ['key_id', 'name', 'scopes', 'secret_hash', 'created_at', 'revoked_at', 'owner', 'urgent'],
    name: ({ key_id }) => `API key ${key_id}`,
  },
  links: {
    identity: ['user_id', 'channel'],
    columns: ['user_id', 'channel', 'address'],
    name: ({ user_id, channel }) => `linked address of ${user_id} on ${channel}`,
  },
  invitations: {
    identity: ['code_hash'],
    columns: ['code_hash', 'user_id', 'channel', 'expires_ms'],
    name: ({ user_id, channel }) => `invitation of ${user_id} on ${channel}`,
  },
  away: {
    identity: ['user_id'],
    columns: ['user_id', 'from_ms', 'until_ms', 'deputy'],
    name: ({ user_id }) => `absence of ${user_id}`,
  },
  sessions: {
    identity: ['id_hash'],
    columns: ['id_hash', 'kind', 'whose', 'by', 'credential_hash', 'until_ms'],
    name: ({ kind, whose }) => `session of ${kind} ${whose}`,
  },
  passkeys: {
    identity: ['credential_hash'],
    columns: ['credential_hash', 'credential_id', 'user_id', 'public_key', 'by'],
    name: ({ user_id }) => `passkey of ${user_id}`,
  },
  enrolments: {
    identity: ['request_id'],
    columns: ['request_id', 'user_id', 'claim'],
    name: ({ request_id }) => `enrolment by request ${request_id}`,
  },
  grants: {
    identity: ['handle_hash'],
    columns: ['handle_hash', 'use', 'code_hash', 'token', 'request_id', 'delivery_id', 'channel', 'user_id'],
    name: ({ delivery_id }) => `grant of delivery ${delivery_id}`,
  },
  refs: {
    identity: ['channel', 'ref'],
    columns: ['channel', 'ref', 'delivery_id', 'handle_hash'],
    name: ({ delivery_id, channel }) => `reference of delivery ${delivery_id} on ${channel}`,
  },
  callbacks: {
    identity: ['request_id'],
    columns: ['request_id', 'url'],
    name: ({ request_id }) => `callback of request ${request_id}`,
  },
  keys: {
    identity: ['kid'],
    columns: ['kid', 'purpose', 'public_jwk', 'wrapped', 'not_before', 'verify_until', 'renewed_at'],
    name: ({ kid, purpose }) => `key ${kid} of purpose ${purpose}`,
  },
} as const satisfies Readonly<Record<string, Right>>

export type RightTable = keyof typeof RIGHTS
export const RIGHT_TABLES = Object.keys(RIGHTS) as readonly RightTable[]

/** One text for one row: its table, then its values in the order of the columns, each behind its length, so that no
 *  two rows run together into the same text. */
export function wordsOfRow(table: RightTable, row: Row): string {
  let words = `lane/row/v1\n${table}`
  for (const column of RIGHTS[table].columns) words += `\n${spelt(row[column] ?? null)}`
  return words
}

function spelt(value: Value): string {
  if (value === null) return '-'
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return `${text.length}:${text}`
}

/** The key of one row: several rows may share a name. */
export function identityOfRow(table: RightTable, row: Row): string {
  let words: string = table
  for (const column of RIGHTS[table].identity) words += `\n${spelt(row[column] ?? null)}`
  return words
}

export const nameOfRow = (table: RightTable, row: Row): string => (RIGHTS[table] as Right).name(row)
