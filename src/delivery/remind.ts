// Reminds somebody of a copy that stands: in the same thread where the channel has one, else by a new copy that says what
// it is. It is claimed before it is sent, has a token of its own, and takes nothing away if it fails.
import type { Case } from '../agenda/case.js'
import type { Duty } from '../agenda/owed.js'
import type { Deed } from '../event.js'
import type { Content } from '../request/content/exhibit.js'
import { bindsByCode } from '../request/way.js'
import { reference, type Sender, send } from './deliver.js'
import { codeGuard, type Deliver, isHopeless, mintPass, type Pass, shelvingsOf } from './pass.js'

type Remind = Extract<Duty, { kind: 'remind' }>

export async function remind(sender: Sender, first: Case, duty: Remind): Promise<Case> {
  const { pass, subject } = await claim(sender, first, duty)
  if (pass === null) return subject
  const refs = await sender.refs(duty.delivery_id)
  const copy = copyOf(subject, duty)
  const sent = await send(sender, subject, copy, pass, { ref: refs[0] ?? null, step: duty.step })
  if (sent.kind !== 'failed' && sent.ref !== undefined) await sender.shelve(reference(copy, pass, sent.ref))
  return subject
}

/** The attempt whose copy is reminded of. */
const copyOf = ({ deliveries }: Case, { delivery_id, user_id, channel }: Remind): Deliver => {
  const attempt = deliveries.find(one => one.delivery_id === delivery_id)?.attempts ?? 1
  return { kind: 'deliver', delivery_id, user_id, channel, attempt }
}

/** The pass is null if the reminder is not ours to send, or if nobody could answer it. */
async function claim(sender: Sender, first: Case, duty: Remind) {
  const contents = await sender.contents(first)
  const attempted = await claimOnce(sender, first, duty, true, contents)
  return attempted.guarded ? claimOnce(sender, attempted.subject, duty, false, contents) : attempted
}

async function claimOnce(
  sender: Sender,
  first: Case,
  duty: Remind,
  coded: boolean,
  contents: readonly Content[],
) {
  let pass: Pass | null = null
  const { kind, subject } = await sender.record<'overdue', 'not_owed'>(
    first.request_id,
    current => {
      if (!sender.stillOwed(current, duty)) return { leave: 'not_owed' }
      const minted = passFor(sender, current, duty, coded, contents)
      pass = minted
      const isCoded = minted?.way === 'reply' && bindsByCode(duty.channel)
      return {
        tell: ({ ms }) =>
          ms >= current.deadline_ms
            ? { refuse: 'overdue' }
            : { events: [reminded(duty, minted)], shelve: minted === null ? [] : shelvingsOf(minted) },
        guards: isCoded ? [codeGuard(current.request_id, duty)] : [],
      }
    },
    first,
  )
  return { pass: kind === 'recorded' ? (pass as Pass | null) : null, subject, guarded: kind === 'guarded' }
}

/** A reminder shows what its copy shows, and nothing else: where that has changed since, none is sent. */
function passFor(
  sender: Sender,
  subject: Case,
  duty: Remind,
  coded: boolean,
  contents: readonly Content[],
): Pass | null {
  const { minted } = subject.deliveries.find(one => one.delivery_id === duty.delivery_id) ?? {}
  const pass = mintPass(sender, subject, copyOf(subject, duty), coded, contents, true)
  return isHopeless(pass.way) || pass.display_hash !== minted?.display_hash ? null : pass
}

const reminded = ({ delivery_id, step }: Remind, pass: Pass | null): Deed => ({
  type: 'REQUEST_REMINDED',
  body: { delivery_id, step, ...(pass !== null && { token_hash: pass.token_hash }) },
})
