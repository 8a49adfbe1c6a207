// Reads the runner's report and fails if an acceptance line this repository claims was not shown by a test that ran
// and passed, or if a test carries a number that nobody claims.
import { readFileSync } from 'node:fs'
import { absent, numbersIn } from './needs.mjs'

const [reportFile = '.test-report/report.json'] = process.argv.slice(2)
const { claimed } = JSON.parse(readFileSync('test/acceptance.json', 'utf8'))
const report = JSON.parse(readFileSync(reportFile, 'utf8'))

const tests = report.testResults.flatMap(file => file.assertionResults)
const shown = new Set(
  tests.filter(test => test.status === 'passed').flatMap(test => numbersIn(test.fullName)),
)
// A skipped test breaks no line that another test shows: with CI=true none may be skipped at all.
const broken = new Set(
  tests.filter(test => test.status === 'failed').flatMap(test => numbersIn(test.fullName)),
)

const missing = claimed.filter(number => (!shown.has(number) && !absent.has(number)) || broken.has(number))
const unclaimed = [...shown].filter(number => !claimed.includes(number)).sort()
if (missing.length > 0)
  console.error(`acceptance: claimed, but not shown by a passing test: ${missing.join(', ')}`)
if (unclaimed.length > 0)
  console.error(`acceptance: shown, but not in test/acceptance.json: ${unclaimed.join(', ')}`)
if (missing.length > 0 || unclaimed.length > 0) process.exit(1)
for (const number of claimed.filter(number => absent.has(number) && !shown.has(number)))
  console.log(`acceptance: ${number} is not shown here, it needs ${absent.get(number)}`)
console.log(`acceptance: ${claimed.length} lines claimed, each shown by a test that passed, or named above`)
