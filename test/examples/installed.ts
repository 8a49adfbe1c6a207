// A project that has installed the package: the name, the types and the command resolve as they would for anyone.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended } from '../cli/command-line.js'
import { cleanEnv, freshDirectory, type Gateway, LANE } from '../cli/gateway.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A directory with the example's files in it, and the package beside them. */
export function install(example: string): string {
  const directory = freshDirectory()
  cpSync(join(ROOT, example), directory, { recursive: true })
  linkPackage(directory)
  return directory
}

/** The same where an example has packages of others, which npm fetches; why not, where it cannot. */
export async function installWithPackages(
  example: string,
): Promise<{ readonly ok: true; readonly directory: string } | { readonly ok: false; readonly why: string }> {
  const directory = freshDirectory()
  cpSync(join(ROOT, example), directory, { recursive: true })
  const args = [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefer-offline',
    '--fetch-retries=0',
  ]
  const { code, stderr } = await run('npm', args, { cwd: directory })
  if (code !== 0) return { ok: false, why: /npm error (.+)/.exec(stderr)?.[1] ?? `npm ended with ${code}` }
  linkPackage(directory)
  return { ok: true, directory }
}

function linkPackage(directory: string): void {
  const modules = join(directory, 'node_modules')
  for (const folder of ['.bin', '@types']) mkdirSync(join(modules, folder), { recursive: true })
  symlinkSync(ROOT, join(modules, 'interrupt-lane'))
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(modules, '@types/node'))
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(modules, 'undici-types'))
  // What npm makes of `bin`: a command in a place where npx looks.
  writeFileSync(join(modules, '.bin/lane'), `#!/bin/sh\nexec '${process.execPath}' '${LANE}' "$@"\n`, {
    mode: 0o755,
  })
}

export const agentEnv = ({ url, agentKey }: Gateway): Record<string, string> => ({
  LANE_URL: url,
  LANE_API_KEY: agentKey,
})

export function run(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<Ended> {
  const child = spawn(command, [...args], { cwd, env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const out: string[] = []
  const err: string[] = []
  child.stdout.on('data', chunk => out.push(String(chunk)))
  child.stderr.on('data', chunk => err.push(String(chunk)))
  return new Promise(resolve => {
    child.once('close', code => resolve({ code, stdout: out.join(''), stderr: err.join('') }))
  })
}

export const compile = (cwd: string): Promise<Ended> =>
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd })
