// The traps of a pipeline: gates that look as if they held and do not. Each finding says where, why it does not hold and
// what to write instead. It is an error where the gate holds in no way of starting `ail` (or not in the one that is
// named), a warning where it holds in some.
import { type Finding, type Found, isGate } from './finding.js'
import { LANE_GATE_RULES } from './lane-gates.js'
import { ANY_MODE, type Mode } from './mode.js'
import { OWN_GATE_RULES } from './own-gates.js'
import { type Pipeline, readPipeline, type Step, textAt } from './pipeline.js'
import { basesOf, type OpenFile, walk } from './walk.js'

const RULES = [...OWN_GATE_RULES, ...LANE_GATE_RULES]

/** What is found in a file and in all that it leads to, in the order of the lines. */
export function lint(file: string, text: string, open: OpenFile, mode: Mode = ANY_MODE): readonly Finding[] {
  const read = readPipeline(file, text)
  if (!read.ok) return [unreadable('error', file, read.line, read.detail)]
  const bases = basesOf(read.pipeline, open)
  const found = [read.pipeline, ...bases].flatMap(pipeline => {
    const { placed, unread } = walk(pipeline, open)
    return [
      ...placed.flatMap(one => RULES.flatMap(rule => rule(one, mode)).map(each => findingOf(one.step, each))),
      ...unread.map(each => unreadable('warning', each.file, each.line, each.detail)),
    ]
  })
  return unique([...found, ...removedGates(read.pipeline, bases)])
}

const findingOf = (step: Step, { at = [], ...rest }: Found): Finding => ({
  ...rest,
  file: step.file,
  line: at.length === 0 ? step.line : step.lineOf(...at),
  step: step.id,
})

const unreadable = (severity: Finding['severity'], file: string, line: number, detail: string): Finding => ({
  severity,
  code: 'unreadable',
  file,
  line,
  step: '',
  why: `${detail}: the gates in it were not looked at`,
  instead: 'a pipeline that can be read from here',
})

/** A file that builds on another can take its gates away. */
function removedGates({ steps }: Pipeline, bases: readonly Pipeline[]): readonly Finding[] {
  const gates = new Set(bases.flatMap(base => base.steps.filter(isGate).map(({ id }) => id)))
  return steps.flatMap(step =>
    ['disable', 'override']
      .filter(hook => gates.has(textAt(step.fields, hook) ?? '') && (hook === 'disable' || !isGate(step)))
      .map(hook =>
        findingOf(step, {
          severity: 'warning',
          code: 'gate_removed',
          at: [hook],
          why: `it takes away the gate ${step.fields[hook]} of the pipeline it builds on`,
          instead: 'a gate in its place',
        }),
      ),
  )
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  const known = new Map(findings.map(one => [JSON.stringify([one.file, one.line, one.code, one.why]), one]))
  return [...known.values()].sort((one, other) =>
    one.file < other.file ? -1 : one.file > other.file ? 1 : one.line - other.line,
  )
}
