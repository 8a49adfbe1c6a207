// The version of this package, and whether one version is at least another.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The package's own directory: one step up from the source, two from the output of `tsc`. */
export const ROOT =
  ['../', '../../']
    .map(up => fileURLToPath(new URL(up, import.meta.url)))
    .find(directory => existsSync(`${directory}package.json`)) ?? '.'

export function readVersion(): string {
  return (JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string }).version
}

export function isAtLeast(version: string, least: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [index, wanted] of least.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
