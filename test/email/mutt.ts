// A person at a mail program nobody here wrote: mutt, opened on a mailbox with one mail, told to reply, with an
// editor that types the answer on the first line and a sendmail that keeps every mail it is given.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

function isThere(...programs: readonly string[]): boolean {
  return programs.every(name => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0)
}
/** `script` lends it a terminal. */
export const MUTT = isThere('mutt', 'script')
export const WITHOUT_MUTT = MUTT ? '' : ' (skipped: no mutt here)'

const muttrc = (dir: string, from: string): string => `
set from="${from}"
set use_from=yes
set editor="${dir}/editor"
set sendmail="${dir}/sendmail"
set sendmail_wait=0
set autoedit=yes
set fast_reply=yes
set reply_to=yes
set postpone=no
set quit=yes
set crypt_use_gpgme=no
set include=yes
set abort_unmodified=no
set copy=no
set move=no
set charset="utf-8"
set send_charset="utf-8"
`

/** The raw reply, as mutt hands it to its mail server. */
export async function replyWithMutt(mail: Buffer, from: string, answer: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'mutt-'))
  const program = (name: string, lines: string): void =>
    writeFileSync(join(dir, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  mkdirSync(join(dir, 'Mail'))
  writeFileSync(
    join(dir, 'box'),
    `From lane Mon Nov 16 12:00:00 2026\n${mail.toString('latin1').replaceAll('\r\n', '\n')}\n`,
    'latin1',
  )
  writeFileSync(join(dir, 'answer'), `${answer}\n\n`)
  writeFileSync(join(dir, 'muttrc'), muttrc(dir, from))
  program('editor', `cat "${dir}/answer" "$1" > "${dir}/edited" && cat "${dir}/edited" > "$1"`)
  program('sendmail', `cat > "${dir}/out"`)
  const keys = 'push <first-entry><reply><send-message><exit>'
  const command = `mutt -n -F "${dir}/muttrc" -f "${dir}/box" -e '${keys}'`
  try {
    await atTerminal(command, dir)
    return readFileSync(join(dir, 'out'), 'utf8')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The terminal stays open: a closed one types end-of-file into whatever is asked next. */
async function atTerminal(command: string, home: string): Promise<void> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 20_000,
  })
  let screen = ''
  child.stdout.on('data', chunk => {
    screen += chunk
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`mutt ended with ${code}: ${JSON.stringify(screen.slice(-500))}`)
}
