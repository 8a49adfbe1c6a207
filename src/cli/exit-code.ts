// The exit codes a script reads from `$?`. A gate in a shell must never pass by accident, so 0 after --wait means
// answered, and for a yes-or-no request YES; for an approval it means a YES that still gives the right to act.
// Anything not understood is an error.
import { decisionsIn, isRefusedIn, isYesWithoutRight, type ShownCase } from '../client/case.js'
import type { FormSchema } from '../compiler/reply-schema.js'

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  no: 10,
  defaulted: 20,
  undelivered: 21,
  withdrawn: 22,
  /** EX_UNAVAILABLE of sysexits(3); of gates alone. */
  unreachable: 69,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The exit code of `--wait`, from the case as the lane answered it. */
export function exitFor(subject: Pick<ShownCase, 'state' | 'request' | 'answer' | 'decision'>): ExitCode {
  const { state, request, answer } = subject
  switch (state) {
    case 'answered':
      if (isYesWithoutRight(subject)) return EXIT.error
      if (request.reply_schema.kind === 'form') return exitForForm(request.reply_schema, answer)
      return request.reply_schema.kind === 'yes_no' ? exitForChoice(answer?.parsed_choice) : EXIT.ok
    case 'defaulted':
      return EXIT.defaulted
    case 'undelivered':
      return EXIT.undelivered
    case 'withdrawn':
      return EXIT.withdrawn
    default:
      return EXIT.error
  }
}

/** One refusal refuses the whole; an answer without an approval that was required is none. */
function exitForForm({ decisions }: FormSchema, answer: ShownCase['answer']): ExitCode {
  if (isRefusedIn(answer)) return EXIT.no
  const given = decisionsIn(answer)
  const isApproved = (id: string): boolean =>
    given.some(({ decision_id, approved }) => decision_id === id && approved === true)
  const needed = decisions.filter(({ type, required }) => type === 'approval' && required)
  return given.length > 0 && needed.every(({ id }) => isApproved(id)) ? EXIT.ok : EXIT.error
}

function exitForChoice(choice: string | null | undefined): ExitCode {
  if (choice === 'YES') return EXIT.ok
  return choice === 'NO' ? EXIT.no : EXIT.error
}
