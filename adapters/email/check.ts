// For `lane doctor`: signs in at both servers, changes nothing, and says what a reply's author is proven by.
import type { Finding } from '../../src/adapter/index.js'
import { connection } from './mailbox.js'
import type { Transport } from './sending/transport.js'
import type { Incoming, Variables } from './variables.js'

export async function check(
  variables: Variables,
  transport: Transport,
  ca?: string,
): Promise<readonly Finding[]> {
  const { imap, authservId } = variables
  return [
    await tried('email out', 'SMTP_URL', () => transport.verify()),
    ...(imap === null ? [] : [await tried('email in', 'IMAP_URL', () => look(imap, ca))]),
    authservId === null
      ? UNVOUCHED
      : { ...VOUCHED, message: `Authentication-Results of ${authservId} are believed` },
  ]
}

const VOUCHED: Finding = { check: 'email proof', status: 'ok', message: '', remedy: null }
const UNVOUCHED: Finding = {
  ...VOUCHED,
  message: 'who wrote a reply is decided by its DKIM signature alone',
}

async function tried(name: string, variable: string, attempt: () => Promise<void>): Promise<Finding> {
  try {
    await attempt()
    return { check: name, status: 'ok', message: `the server of ${variable} takes the login`, remedy: null }
  } catch (error) {
    const { code, authenticationFailed } = Object(error) as { code?: unknown; authenticationFailed?: unknown }
    const why = authenticationFailed === true ? 'it refuses the login' : String(code ?? 'it does not answer')
    const remedy = `check host, port, user and password of ${variable}; a certificate of your own goes into NODE_EXTRA_CA_CERTS`
    return {
      check: name,
      status: 'fail',
      message: `the server of ${variable} cannot be used: ${why}`,
      remedy,
    }
  }
}

async function look(incoming: Incoming, ca?: string): Promise<void> {
  const client = await connection(incoming, ca)
  try {
    await client.connect()
    await client.status(incoming.folder, { messages: true })
  } finally {
    client.close()
  }
}
