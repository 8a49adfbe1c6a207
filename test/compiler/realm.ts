// The compiler, bundled from its sources and run in a bare JavaScript realm: no process, no require, no fetch, no
// timers, no Date, no Math.random, no code from strings. A mutant is the same bundle with one patch applied to its
// source; the unpatched one passes through the same rig, so that a red mutant is red for its patch.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext, Script } from 'node:vm'
import { build, type Plugin } from 'vite'
import type { Compiled, Fields } from '../../src/compiler/compile.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'

export type Compile = (schema: ReplySchema, reply: string, fields?: Fields) => Compiled
export type Patch = { readonly file: string; readonly find: string; readonly put: string }

const ENTRY = fileURLToPath(new URL('../../src/compiler/compile.ts', import.meta.url))
/** The bundle's name, to find it again among the scripts of a coverage report. */
export const BUNDLE = 'compiler-under-test.js'

export async function bundle(...patches: readonly Patch[]): Promise<string> {
  const unused = new Set(patches)
  const plugin: Plugin = {
    name: 'patch-sources',
    enforce: 'pre',
    load(id) {
      const own = patches.filter(({ file }) => basename(id) === file)
      for (const patch of own) unused.delete(patch)
      return own.length === 0
        ? null
        : { code: own.reduce(patched, readFileSync(id, 'utf8')), moduleType: 'ts' }
    },
  }
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [plugin],
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry: ENTRY, name: 'compiler', formats: ['iife'] },
    },
  })
  for (const { file } of unused) throw new Error(`${file} is not part of the compiler`)
  const [output] = (Array.isArray(built) ? built : [built]).flatMap(it => ('output' in it ? it.output : []))
  if (output?.type !== 'chunk') throw new Error('the compiler did not bundle')
  return output.code
}

function patched(source: string, { file, find, put }: Patch): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold exactly once: ${find}`)
  return source.replace(find, () => put)
}

const BARE = `for (const name of ['Date', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'Intl', 'console', 'eval', 'Function'])
  delete globalThis[name]
delete Math.random`

export function load(code: string): { readonly compile: Compile; readonly globals: readonly string[] } {
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  runInContext(BARE, context)
  const globals = runInContext('Object.getOwnPropertyNames(globalThis)', context)
  new Script(code, { filename: BUNDLE }).runInContext(context)
  return { compile: runInContext('compiler.compile', context), globals: [...globals] }
}

export const inBareRealm = async (...patches: readonly Patch[]): Promise<Compile> =>
  load(await bundle(...patches)).compile
