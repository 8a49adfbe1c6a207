// One connection to PostgreSQL, as every part of the store wants it: pipelined, so that statements that do not need
// each other's answers share a round trip, and never waiting for ever on a server that has gone without a word.
import pg from 'pg'

export type Client = pg.Client
export type Statement = { readonly name: string; readonly text: string }
export type Query = Statement & { readonly values?: readonly unknown[] }
export type Row = Readonly<Record<string, unknown>>

const CONNECT_MS = 5_000
/** A server that is alive answers within this; the writer's own lock gives up sooner. */
const ANSWER_MS = 15_000
/** A server that has gone without a word does not say goodbye either. */
const GOODBYE_MS = 1_000
const INT8 = 20

/** Every count here stays far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** The tables grow from nothing while plans made for small ones are kept: only plans that grow well are let in. */
const SETTINGS = [
  'enable_seqscan = off',
  'enable_mergejoin = off',
  'enable_hashjoin = off',
  'enable_bitmapscan = off',
  'jit = off',
  'statement_timeout = 0',
  // So that the server, too, notices a peer that has gone without a word, and releases its locks.
  'tcp_keepalives_idle = 10',
  'tcp_keepalives_interval = 5',
  'tcp_keepalives_count = 3',
]

/** `answerMs` is 0 where an answer may take as long as it takes. */
export type Wishes = { readonly settings?: readonly string[]; readonly answerMs?: number }
/** A setting that servers before 14 do not know: those are refused by name later. */
const PATIENT = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`

export type Connect = (part: string, wishes?: Wishes) => Promise<Client>

export function connector(url: string): Connect {
  return async (part, { settings = [], answerMs = ANSWER_MS } = {}) => {
    const client = new pg.Client({
      connectionString: url,
      application_name: `interrupt-lane ${part}`,
      pipeline: true,
      types,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
      keepAlive: true,
    })
    // Every caller that waits for an answer is told of the failure; here it must only not end the process.
    client.on('error', () => undefined)
    const all = [...SETTINGS, ...settings].map(setting => `SET ${setting}`).join('; ')
    try {
      // When the driver itself gives up, the server still waits for its answer: such a connection is ended too.
      await client.connect()
      await client.query(`${all}; ${PATIENT}`)
      return client
    } catch (error) {
      await leave(client)
      throw error
    }
  }
}

export type QueryAnswer = { readonly command: string; readonly rows: readonly Row[] }

/** Statements sent as they come, none waiting for the answers to those before. */
export class Talk {
  readonly #client: Client
  readonly #answers: Promise<PromiseSettledResult<QueryAnswer>>[] = []

  constructor(client: Client) {
    this.#client = client
  }

  /** The statements are on their way when this returns: the server works on them while we go on. */
  say(statements: readonly Query[]): void {
    const { stream } = this.#client.connection
    stream.cork()
    for (const one of statements) this.#answers.push(settled(query(this.#client, one)))
    stream.uncork()
  }

  /** The answers to everything said so far. The first error is the one that matters: the others follow from it. */
  async answers(): Promise<readonly QueryAnswer[]> {
    const results = await Promise.all(this.#answers)
    return results.map(result => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }
}

/** Sends all at once and waits for all. */
export function together(client: Client, statements: readonly Query[]): Promise<readonly QueryAnswer[]> {
  const talk = new Talk(client)
  talk.say(statements)
  return talk.answers()
}

const settled = <T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> =>
  promise.then(
    value => ({ status: 'fulfilled', value }),
    reason => ({ status: 'rejected', reason }),
  )

export const query = (client: Client, { name, text, values = [] }: Query): Promise<QueryAnswer> =>
  client.query({ name, text, values: [...values] })

export async function leave(client: Client): Promise<void> {
  const impatience = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS)
  await client.end().catch(() => undefined)
  clearTimeout(impatience)
}
