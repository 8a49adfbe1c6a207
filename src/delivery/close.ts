// Edits a delivered copy to its outcome, so that nobody finds a live button on a question that is settled.
import type { Adapter, Ending } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import type { Duty } from '../agenda/owed.js'
import { within } from '../patience.js'
import type { Recorder } from '../record/record.js'
import type { Display } from '../request/display.js'

const CLOSE_TIMEOUT_MS = 10_000

type Close = Extract<Duty, { kind: 'close' }>

type Closer = Pick<Recorder, 'record'> & {
  readonly adapter: (channel: Close['channel']) => Adapter | null
  readonly refs: (deliveryId: string) => Promise<readonly string[]>
  readonly onTrouble: (error: unknown, about: { request_id: string; delivery_id: string }) => void
}

/** The text a copy is edited to: how the request ended, and what was asked. */
type Edit = { readonly ending: Ending; readonly display: Display }

export async function close(closer: Closer, first: Case, duty: Close, to: Edit): Promise<Case> {
  const edited = await edit(closer, first, duty, to)
  const events = [{ type: 'DELIVERY_CLOSED', body: { delivery_id: duty.delivery_id, edited } }] as const
  // Editing twice does no harm, so it is not claimed; the second finds it recorded.
  const { subject } = await closer.record(
    first.request_id,
    current =>
      isClosed(current, duty) ? { leave: 'closed' as const } : { tell: () => ({ events }), rides: true },
    first,
  )
  return subject
}

const isClosed = ({ deliveries }: Case, { delivery_id }: Close): boolean =>
  deliveries.some(one => one.delivery_id === delivery_id && one.state === 'closed')

/** One try: a copy that cannot be edited is still closed, because the ledger refuses every later reply. */
async function edit(
  closer: Closer,
  { request_id }: Case,
  { channel, delivery_id }: Close,
  { ending, display }: Edit,
): Promise<boolean> {
  const adapter = closer.adapter(channel)
  const refs = await closer.refs(delivery_id)
  try {
    const edits = refs.map(async ref => adapter?.close?.(ref, ending, display))
    const all = Promise.all(edits).then(() => refs.length > 0)
    return await within(CLOSE_TIMEOUT_MS, all, false)
  } catch (error) {
    closer.onTrouble(error, { request_id, delivery_id })
    return false
  }
}
