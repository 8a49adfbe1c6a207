// The product in a process of its own, as `lane serve` would run it, with one question more: the memory it holds.
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../src/main.js'
import { answerParent } from './child.js'

/** By then the start's garbage has been collected, and its first timers have run. */
const SETTLED_MS = 500

const running = await serve(process.env, text => void process.stdout.write(`${text}\n`))

async function residentBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('memory is asked of a process started with --expose-gc')
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await sleep(SETTLED_MS)
  }
  return process.memoryUsage.rss()
}

answerParent<'resident'>(running.url, residentBytes, () => running.close())
