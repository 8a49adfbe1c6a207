// A disk of a few megabytes that can be filled and freed: a tmpfs in a mount namespace of its own, which is gone with
// the process that holds it. It needs no root if user namespaces are allowed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freshDirectory } from './rig.js'

const MEGABYTES = 8
const mount = (directory: string): string => `mount -t tmpfs -o size=${MEGABYTES}m tmpfs ${directory}`

export type SmallDisk = {
  /** Where the disk is for what runs `under` it. */
  readonly directory: string
  /** The same place as seen from here. */
  readonly outside: string
  readonly under: readonly string[]
  fill(): void
  free(): void
  remove(): void
}

/** Why there can be none here; empty where there can. */
export function noSmallDisk(): string {
  const directory = freshDirectory()
  const tried = spawnSync('unshare', ['-rm', 'sh', '-c', mount(directory)], { encoding: 'utf8' })
  return tried.status === 0 ? '' : `no mount namespace: ${(tried.stderr ?? String(tried.error)).trim()}`
}

export async function smallDisk(): Promise<SmallDisk> {
  const directory = freshDirectory()
  const holder = spawn(
    'unshare',
    ['-rm', 'sh', '-c', `${mount(directory)} && echo mounted && exec sleep 600`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  process.once('exit', () => holder.kill('SIGKILL'))
  await mounted(holder)
  const outside = join(`/proc/${holder.pid}/root`, directory)
  const filler = join(outside, 'filler')
  return {
    directory,
    outside,
    under: ['nsenter', '-t', String(holder.pid), '-U', '-m', '--preserve-credentials'],
    fill: () => fill(filler),
    free: () => rmSync(filler),
    remove: () => void holder.kill('SIGKILL'),
  }
}

const mounted = (holder: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    holder.stdout?.once('data', () => resolve())
    holder.once('exit', code => reject(new Error(`the disk could not be mounted (${code})`)))
  })

function fill(filler: string): void {
  const file = openSync(filler, 'w')
  const piece = Buffer.alloc(4096, 1)
  try {
    for (;;) writeSync(file, piece)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}
