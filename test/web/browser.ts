// Finds and starts the Chromium of this machine. If there is none, `missing` says so: a suite puts it into its title
// and is skipped, except in CI, where a page nobody looked at must not pass.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

// No sandbox: containers lack the privileges it needs. The rest keeps the browser from calling out on its own.
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return folders.flatMap(folder => NAMES.map(name => join(folder, name))).find(isExecutable) ?? null
}

export const missing: string | null =
  chromiumPath() === null
    ? `skipped: none of ${NAMES.join(', ')} is on PATH and CHROMIUM_PATH is not set`
    : null

/** Whether a suite may be skipped for want of a browser. */
export const maySkip: boolean = missing !== null && process.env.CI !== 'true'

export async function launch(more: readonly string[] = []): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error(`no browser to test with: ${missing}`)
  return await chromium.launch({ executablePath, args: [...ARGUMENTS, ...more] })
}
