// The whole proof in one command: build, style, types, tests, and that every acceptance line claimed was really run.
// With CI=true it first installs what the tests need, and a missing part is then a failure instead of a skip; the whole
// run then also tries the packed lane on the Node of its image.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { absent, numbersIn } from './needs.mjs'

const REPORT = '.test-report/report.json'
const ci = process.env.CI === 'true'
const whole = process.argv.length === 2

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return status === 0
}

function step(name, command, args) {
  console.log(`\n— ${name}`)
  if (run(command, args)) return
  console.error(`\n${name}: failed`)
  process.exit(1)
}

if (ci) step('set up', 'bash', ['scripts/test-setup'])
step('build', 'npm', ['run', '--silent', 'build'])
step('types', 'npx', ['tsc', '-p', 'tsconfig.json'])
step('style', 'npx', ['biome', 'ci', '.'])
if (ci && whole) step("smoke on the image's Node", 'node', ['scripts/smoke.mjs'])

console.log('\n— tests')
mkdirSync('.test-report', { recursive: true })
// A run that was ended before it could report must not be judged by the report of the one before.
rmSync(REPORT, { force: true })
const passed = run('npx', [
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${REPORT}`,
  ...process.argv.slice(2),
])

if (!existsSync(REPORT)) {
  console.error('\ntests: ended before they could report')
  process.exit(1)
}
const report = JSON.parse(readFileSync(REPORT, 'utf8'))
const skipped = report.testResults
  .flatMap(file => file.assertionResults)
  .filter(test => ['skipped', 'pending', 'todo'].includes(test.status))
for (const test of skipped) console.log(`skipped: ${test.fullName}`)

const claimed = whole ? run('node', ['scripts/acceptance.mjs', REPORT]) : true
console.log(`\n${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped.length} skipped`)
// What needs something that is nowhere to be had may be skipped even here; acceptance.mjs has named it.
const unexcused = skipped.filter(({ fullName }) => !numbersIn(fullName).some(number => absent.has(number)))
process.exit(passed && claimed && (!ci || unexcused.length === 0) ? 0 : 1)
