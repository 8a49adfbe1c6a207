// A real IMAP server in a directory of its own: Dovecot, with one user whose password anybody here knows.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { freePort } from '../port.js'
import { until } from '../until.js'

function find(): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v dovecot || command -v /usr/sbin/dovecot']).toString().trim()
  } catch {
    return null
  }
}
export const DOVECOT = find()
export const WITHOUT_DOVECOT = DOVECOT === null ? ' (skipped: no dovecot here)' : ''

export type Dovecot = {
  /** For IMAP_URL. */
  readonly url: string
  readonly port: number
  /** A message arrives, as a mail server would put it there. */
  deliver(message: string | Uint8Array): void
  /** The subjects in a folder. */
  subjects(folder: string): Promise<string[]>
  look<T>(work: (client: ImapFlow) => Promise<T>): Promise<T>
  /** Gone, and back with the same mailbox. */
  stop(): Promise<void>
  start(): Promise<void>
  /** The same messages under another UIDVALIDITY, as after a restored backup. */
  renumber(): Promise<void>
  remove(): Promise<void>
}

export const imapUrl = (port: number): string => `imap://lane:secret@127.0.0.1:${port}?tls=off`

/** The account mail is kept under: nobody, where the server itself runs as root. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

/** `introspection`: where it asks whether a token is good; the password then counts for nothing. */
export async function raiseDovecot(introspection?: string): Promise<Dovecot> {
  const dir = mkdtempSync(join(tmpdir(), 'dovecot-'))
  const port = await freePort()
  const box = join(dir, 'mail', 'lane')
  for (const part of ['', 'new', 'cur', 'tmp']) mkdirSync(join(box, part), { recursive: true })
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, join(dir, 'mail')])
  execFileSync('chmod', ['755', dir])
  const config = join(dir, 'dovecot.conf')
  writeFileSync(config, configOf(dir, port, introspection !== undefined))
  writeFileSync(
    join(dir, 'oauth2'),
    `introspection_url = ${introspection}?token=\nintrospection_mode = get\nusername_attribute = user\nactive_attribute = active\nactive_value = yes\n`,
  )
  let server: ChildProcess | null = null
  let count = 0

  const start = async (): Promise<void> => {
    server = spawn(DOVECOT ?? '', ['-c', config, '-F'], { stdio: 'ignore' })
    await answering(port)
  }
  const stop = async (): Promise<void> => {
    const ending = server
    server = null
    if (ending === null || ending.exitCode !== null) return
    const ended = new Promise(resolve => ending.once('exit', resolve))
    ending.kill('SIGTERM')
    await ended
  }
  const look: Dovecot['look'] = async work => {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: 'lane', pass: 'secret' },
      logger: false,
      disableAutoIdle: true,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(client)
    } finally {
      client.close()
    }
  }

  await start()
  return {
    url: imapUrl(port),
    port,
    look,
    start,
    stop,
    deliver(message) {
      const name = `${++count}.${process.pid}.test`
      writeFileSync(join(box, 'tmp', name), message)
      if (isRoot) chownSync(join(box, 'tmp', name), NOBODY, NOBODY)
      renameSync(join(box, 'tmp', name), join(box, 'new', name))
    },
    subjects: folder =>
      look(async client => {
        const known = (await client.list()).some(one => one.path === folder)
        if (!known) return []
        await client.mailboxOpen(folder, { readOnly: true })
        const found = await client.fetchAll('1:*', { envelope: true }).catch(() => [])
        return found.map(one => one.envelope?.subject ?? '')
      }),
    async renumber() {
      await stop()
      execFileSync('sh', ['-c', `rm -f "${box}"/dovecot*`])
      // Dovecot numbers by the second.
      await new Promise(resolve => setTimeout(resolve, 1_100))
      await start()
    },
    async remove() {
      await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function configOf(dir: string, port: number, tokens: boolean): string {
  const account = isRoot ? 'nobody' : userInfo().username
  const id = isRoot ? NOBODY : userInfo().uid
  const group = isRoot ? 'nogroup' : String(userInfo().gid)
  const bare = isRoot ? '' : '  chroot =\n'
  return `
base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${dir}/mail/%u
default_internal_user = ${account}
default_internal_group = ${group}
default_login_user = ${account}
first_valid_uid = 1
${tokens ? TOKENS(dir) : PASSWORD}
userdb {
  driver = static
  args = uid=${id} gid=${isRoot ? NOBODY : userInfo().gid} home=${dir}/mail/%u
}
service imap-login {
${bare}  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
${bare}}
namespace inbox {
  inbox = yes
  separator = /
}
`
}

const PASSWORD = `passdb {
  driver = static
  args = password=secret
}`
const TOKENS = (dir: string): string => `auth_mechanisms = xoauth2
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = ${dir}/oauth2
}`

async function answering(port: number): Promise<void> {
  const greeting = (): Promise<boolean> =>
    new Promise(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.once('data', () => resolve(true)).once('error', () => resolve(false))
      socket.once('data', () => socket.destroy())
    })
  await until('dovecot answers', greeting)
}
