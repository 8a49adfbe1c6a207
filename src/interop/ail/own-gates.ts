// What becomes of `ail`'s own gates (pause_for_human, modify_output) where they stand and as `ail` is started, and the fields
// beside any gate that do not do what they say.

import { isFields } from '../fields.js'
import { dropped, type Found, isGate, type OwnGate, ownGates, type Rule } from './finding.js'
import type { Mode } from './mode.js'
import { listOf, type Step, textAt } from './pipeline.js'
import { RUNNER } from './plugin.js'
import type { Surroundings } from './walk.js'

const BRIDGE =
  'start it by `lane ail bridge -- ail stdio --stream …`, or ask by a shell step with `lane ail gate`'
const SHELL_GATE =
  'a step of its own: `context: { shell: "lane ail gate --why … --deadline …" }` with `on_result: [{ exit_code: 0, action: continue }, { exit_code: any, action: abort_pipeline }]`'

/** What a gate that changes text does where nobody is shown it. */
const HEADLESS: Readonly<Record<string, string>> = {
  skip: 'on_headless: skip (the default) goes on without a text, and a later `.modified` then aborts',
  abort: 'on_headless: abort ends the pipeline there',
  use_default: 'on_headless: use_default takes default_value for what a person would have written',
}
const headlessOf = (step: Step): string => textAt(step.fields, 'on_headless') ?? 'skip'

const whereOwnGatesHold: Rule = ({ step, place }, mode) =>
  ownGates(step).flatMap(gate => judged(gate, step, place, mode))

function judged({ kind, at }: OwnGate, step: Step, place: Surroundings, mode: Mode): readonly Found[] {
  const aborts = kind === 'modify' && headlessOf(step) === 'abort'
  const also =
    kind === 'modify' ? `; ${HEADLESS[headlessOf(step)] ?? 'its on_headless is none that is known'}` : ''
  const silent = (where: string): Found => ({
    severity: aborts ? 'warning' : 'error',
    code: aborts ? 'gate_always_aborts' : 'gate_skipped',
    at,
    why: aborts
      ? `in ${where} nobody is asked, and it always aborts`
      : `in ${where} this gate is passed without a word${also}`,
    instead: SHELL_GATE,
  })
  if (place.unwatched !== null) return [silent(place.unwatched)]
  if (kind === 'result' && place.dropped !== null) return [dropped(place.dropped, at)]
  if (mode.headless) return [silent('--headless')]
  switch (mode.kind) {
    case 'text':
      return [silent('text output')]
    case 'once_json':
      return [
        {
          severity: 'error',
          code: 'stdin_opens',
          at,
          why: `with --output-format json the gate opens by itself as soon as standard input ends, so a program that crashes says yes${also}`,
          instead: BRIDGE,
        },
      ]
    case 'stdio':
      return [
        {
          severity: 'warning',
          code: 'gate_unanswerable',
          at,
          why: 'without --stream the gate waits for ever: no answer can reach it',
          instead: BRIDGE,
        },
      ]
    case 'stream':
      return []
    case 'any':
      return [
        {
          severity: 'warning',
          code: 'gate_needs_bridge',
          at,
          why: `it holds under \`ail stdio --stream\` alone: text output and --headless pass it without a word, and with --once and json the end of standard input opens it${also}`,
          instead: BRIDGE,
        },
      ]
  }
}

const headlessChoices: Rule = ({ step }) => {
  if (step.fields.action !== 'modify_output') return []
  const choice = headlessOf(step)
  const missing = choice === 'use_default' && step.fields.default_value === undefined
  if (missing)
    return [
      {
        severity: 'error',
        code: 'default_missing',
        at: ['on_headless'],
        why: 'on_headless: use_default without default_value is refused by ail',
        instead: 'on_headless: abort',
      },
    ]
  if (HEADLESS[choice] !== undefined) return []
  return [
    {
      severity: 'error',
      code: 'headless_unknown',
      at: ['on_headless'],
      why: `on_headless takes skip, abort or use_default, and "${choice}" is none`,
      instead: 'on_headless: abort',
    },
  ]
}

const TIMEOUTS = ['timeout_seconds', 'on_timeout']
const timeoutsAreIgnored: Rule = ({ step }) =>
  isGate(step)
    ? TIMEOUTS.filter(name => Object.hasOwn(step.fields, name)).map(name => ({
        severity: 'warning' as const,
        code: 'timeout_ignored',
        at: [name],
        why: `ail does not read ${name} of a gate: it would wait for ever`,
        instead: 'the deadline of the lane: `lane ail gate --deadline 1h`, `lane ail bridge --deadline 1h`',
      }))
    : []

const gatesBeforeNothing: Rule = ({ step, place }) =>
  place.last && isGate(step)
    ? [
        {
          severity: 'warning',
          code: 'gate_last',
          why: 'nothing runs behind it, so it keeps nothing back',
          instead: 'the gate in front of the step that needs leave',
        },
      ]
    : []

const conditions: Rule = ({ step }) =>
  step.fields.condition === 'never' && isGate(step)
    ? [
        {
          severity: 'error',
          code: 'gate_never_runs',
          at: ['condition'],
          why: 'condition: never skips the gate',
          instead: 'the gate without a condition',
        },
      ]
    : []

const messages: Rule = ({ step }) =>
  ownGates(step).length > 0 && (textAt(step.fields, 'message') ?? '').includes('{{')
    ? [
        {
          severity: 'warning',
          code: 'message_static',
          at: ['message'],
          why: 'the message of a gate is not a template: people are shown the braces',
          instead: `\`runner: ${RUNNER}\`, whose prompt is a template; the bridge shows earlier responses by itself`,
        },
      ]
    : []

const onErrorPauses: Rule = ({ step }) =>
  step.fields.on_error === 'pause_for_human'
    ? [
        {
          severity: 'error',
          code: 'on_error_refused',
          at: ['on_error'],
          why: 'ail refuses on_error: pause_for_human, though its pages name it',
          instead: 'on_error: abort_pipeline',
        },
      ]
    : []

const loopsDoNotPause: Rule = ({ step }) =>
  isFields(step.fields.do_while) && step.fields.do_while.on_max_iterations === 'pause_for_human'
    ? [
        {
          severity: 'error',
          code: 'gate_not_read',
          at: ['do_while', 'on_max_iterations'],
          why: 'ail does not read on_max_iterations: no gate stands there',
          instead: SHELL_GATE,
        },
      ]
    : []

const appendedShells: Rule = ({ step }) =>
  listOf(step.fields.append_system_prompt).flatMap((entry, place) =>
    isFields(entry) && /\{\{[^}]*\.modified\b/.test(textAt(entry, 'shell') ?? '')
      ? [
          {
            severity: 'error' as const,
            code: 'text_in_shell',
            at: ['append_system_prompt', place, 'shell'],
            why: 'what a person wrote is put into a command, and a shell runs it',
            instead: '`text: "{{ step.….modified }}"`',
          },
        ]
      : [],
  )

const uneditedText: Rule = ({ step, place }) =>
  step.fields.action === 'modify_output' &&
  /\{\{\s*last_response\b/.test(textAt(place.next?.fields ?? {}, 'prompt') ?? '')
    ? [
        {
          severity: 'warning',
          code: 'unedited_text',
          why: 'the step behind it uses last_response, which is still the text before it was changed',
          instead: `{{ step.${step.id}.modified }}`,
        },
      ]
    : []

const thenBeforePause: Rule = ({ step }) =>
  step.fields.then !== undefined && ownGates(step).some(({ kind }) => kind === 'result')
    ? [
        {
          severity: 'warning',
          code: 'then_runs_first',
          at: ['then'],
          why: 'the then: chain of a step runs before the gate of its on_result is reached',
          instead: 'the chain as steps of their own behind this one',
        },
      ]
    : []

export const OWN_GATE_RULES: readonly Rule[] = [
  whereOwnGatesHold,
  headlessChoices,
  timeoutsAreIgnored,
  gatesBeforeNothing,
  conditions,
  messages,
  onErrorPauses,
  loopsDoNotPause,
  appendedShells,
  uneditedText,
  thenBeforePause,
]
