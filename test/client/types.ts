// The types the compiler derives for an answer. Nothing here runs: `npm run typecheck` is the test, and an expected
// error that does not come is an error.
import { connect, type Outcome, type Pending } from '../../src/client/index.js'

const lane = connect()
const COMMON = { question: '?', impact: 'x', deadlineSeconds: 60, default: 'HALT' } as const

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_T extends true>(): void => undefined

export async function typed(): Promise<void> {
  const yesNo = await lane.ask({ ...COMMON, reply: { kind: 'yes_no' } }).wait()
  holds<Same<typeof yesNo, Outcome<'YES' | 'NO'>>>()

  const options = [
    { value: 'eu', label: 'Europe' },
    { value: 'us', label: 'United States' },
  ] as const
  // Written in place, an option's value is its own type without a word from the caller.
  const choice = await lane
    .ask({
      ...COMMON,
      reply: {
        kind: 'choice',
        options: [
          { value: 'a1', label: 'A' },
          { value: 'b1', label: 'B' },
        ],
      },
    })
    .wait()
  holds<Same<typeof choice, Outcome<'a1' | 'b1'>>>()

  const several = await lane
    .ask({ ...COMMON, reply: { kind: 'multi_choice', options, min: 1, max: 2 } })
    .wait()
  holds<Same<typeof several, Outcome<readonly ('eu' | 'us')[]>>>()

  const number = await lane.ask({ ...COMMON, reply: { kind: 'number', min: 0, max: 9 } }).wait()
  holds<Same<typeof number, Outcome<number>>>()
  const text = await lane.ask({ ...COMMON, reply: { kind: 'text', max_chars: 9 } }).wait()
  holds<Same<typeof text, Outcome<string>>>()
  const date = await lane.resume('id', { kind: 'date' }).wait()
  holds<Same<typeof date, Outcome<string>>>()
  const resumed = await lane.resume('id').wait()
  holds<Same<typeof resumed, Outcome<'YES' | 'NO'>>>()

  const patient = await lane.ask({ ...COMMON, reply: { kind: 'yes_no' } }).wait({ seconds: 5 })
  holds<Same<typeof patient, Outcome<'YES' | 'NO'> | Pending>>()

  // @ts-expect-error an answer stands only where it was answered
  yesNo.answer
  if (yesNo.kind === 'answered') {
    // @ts-expect-error no third answer can be compared with
    yesNo.answer === 'MAYBE'
  }
  // @ts-expect-error an outcome of its own, never an answer NO
  if (yesNo.kind === 'defaulted') yesNo.answer === 'NO'
  // @ts-expect-error what silence means has no default
  lane.ask({ question: '?', impact: 'x', deadlineSeconds: 60, reply: { kind: 'yes_no' } })
  // @ts-expect-error silence never publishes
  lane.ask({ ...COMMON, default: 'PUBLISH', reply: { kind: 'yes_no' } })
  // @ts-expect-error there is no schema for anything at all
  lane.ask({ ...COMMON, reply: { kind: 'anything' } })
  const approval = { action: 'PUBLISH', parameters: {}, deadlineSeconds: 60, default: 'DENY' } as const
  // @ts-expect-error an approval is answered YES or NO, and chooses no schema
  lane.approve({ ...approval, reply: { kind: 'date' } })
}
