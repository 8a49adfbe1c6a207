// npm writes only this platform's optional packages into the lockfile and `npm ci` elsewhere (and here) then stops
// with "Missing … from lock file". This adds every optional package the lockfile names but does not hold, with the
// registry's facts about it: above all its integrity, without which npm would install whatever it is given.
//
// A version that the registry does not serve gets no integrity, and stands in scripts/unserved.json:
// test/lockfile.test.ts allows no other package without one.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const packages = lock.packages
const held = name => Object.keys(packages).some(path => path.endsWith(`node_modules/${name}`))
const nameOf = path => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

// The platform of a package that is not served is read from its name.
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'wasm32']
const C_LIBRARIES = { musl: 'musl', gnu: 'glibc' }
function platformOf(name) {
  const os = SYSTEMS.find(word => name.includes(word))
  const cpu = PROCESSORS.find(word => name.includes(word))
  const libc = Object.keys(C_LIBRARIES).find(word => name.includes(word))
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [C_LIBRARIES[libc]] }), ...(os && { os: [os] }) }
}

const ASKED = ['dist.integrity', 'cpu', 'libc', 'license', 'os', 'engines']
/** The registry's facts about a version; null if it does not serve it. An unreachable registry stops the script. */
function manifestOf(name, version) {
  const { stdout } = spawnSync('npm', ['view', `${name}@${version}`, ...ASKED, '--json'], {
    encoding: 'utf8',
  })
  const { error, 'dist.integrity': integrity, ...told } = JSON.parse(stdout || '{}')
  if (error?.code === 'E404') return null
  if (!integrity)
    throw new Error(`${name}@${version}: ${error?.summary ?? 'the registry gives no integrity'}`)
  return { integrity, ...told }
}

/** The members in npm's own order, so that npm does not rewrite the file. */
const ORDER = ['version', 'integrity', 'cpu', 'dev', 'libc', 'license', 'optional', 'os']
const spelt = entry =>
  Object.fromEntries(
    [...ORDER, ...Object.keys(entry)].flatMap(key => (key in entry ? [[key, entry[key]]] : [])),
  )

let added = 0
for (const [path, entry] of Object.entries({ ...packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (path === '' || held(name)) continue
    packages[`node_modules/${name}`] = { version, ...(entry.dev && { dev: true }), optional: true }
    added++
  }
}

const unserved = []
for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.integrity) continue
  const name = nameOf(path)
  const told = manifestOf(name, entry.version)
  packages[path] = spelt({ ...entry, ...(told ?? platformOf(name)) })
  if (told === null) unserved.push(`${name}@${entry.version}`)
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
writeFileSync('scripts/unserved.json', `${JSON.stringify(unserved.sort(), null, 2)}\n`)
console.log(`lockfile: ${added} optional packages of other platforms added`)
console.log(`lockfile: ${unserved.length} not served, and so without integrity:\n  ${unserved.join('\n  ')}`)
