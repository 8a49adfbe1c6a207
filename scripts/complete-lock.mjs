// npm writes only this platform's optional packages into the lockfile and `npm ci` elsewhere (and here) then
// stops with "Missing … from lock file". This adds every optional package the lockfile names but does not hold.
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const packages = lock.packages
const held = name => Object.keys(packages).some(path => path.endsWith(`node_modules/${name}`))

// The platform is read off the package's name: its own manifest may not be obtainable here.
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'wasm32']
function platformOf(name) {
  const os = SYSTEMS.find(word => name.includes(word))
  const cpu = PROCESSORS.find(word => name.includes(word))
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }) }
}

let added = 0
for (const [path, entry] of Object.entries({ ...packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (path === '' || held(name)) continue
    const { os, cpu } = platformOf(name)
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu && { cpu }),
      ...(entry.dev && { dev: true }),
      optional: true,
      ...(os && { os }),
    }
    added++
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
console.log(`lockfile: ${added} optional packages of other platforms added`)
