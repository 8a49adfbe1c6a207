// Acceptance lines that need something this repository does not bring (test/acceptance.json, `needs`): where it is
// absent they are named, not failed.
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const { needs = {} } = JSON.parse(readFileSync('test/acceptance.json', 'utf8'))

/** A need is a path from here, or a program. */
const isThere = need =>
  need.includes('/')
    ? existsSync(need)
    : (process.env.PATH ?? '').split(delimiter).some(place => existsSync(join(place, need)))

/** Each line whose need is absent here, with that need. */
export const absent = new Map(
  Object.entries(needs)
    .filter(([need]) => !isThere(need))
    .flatMap(([need, lines]) => lines.map(line => [line, need])),
)

/** The numbers in a title: `[AAH-135, AAH-136]`, or in older ones `[LANE-001, 002]`. */
export const numbersIn = title =>
  [...title.matchAll(/\[([A-Z]+-\d{3}(?:,\s*(?:[A-Z]+-)?\d{3})*)\]/g)].flatMap(([, list]) =>
    list.split(/,\s*/).map(part => (part.includes('-') ? part : `LANE-${part}`)),
  )
