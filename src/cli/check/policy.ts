// Whether the people who may approve an action could: a request that nobody can answer in a way that is enough only waits
// for its default.
import type { Channel, Proof } from '../../adapter.js'
import { type Config, outboxOpen, type Person } from '../../config.js'
import { type Finding, warn } from './finding.js'

const VOUCHED: Readonly<Partial<Record<Channel, Proof>>> = {
  slack: 'slack_signed',
  telegram: 'telegram_id',
  email: 'dmarc',
  sms: 'sms_from',
}

/** Whose messages carry the link with its code; the cards of the others are answered where they stand. */
const CARRIES_CODE: readonly Channel[] = ['email', 'sms']

/** What this person's answers can prove: by each channel, and by the link that it carries or the console prints. */
function proofsOf({ channels }: Person, printed: boolean): readonly Proof[] {
  return channels.flatMap((channel): Proof[] => {
    const vouched = VOUCHED[channel]
    if (vouched !== undefined) return CARRIES_CODE.includes(channel) ? [vouched, 'link_code'] : [vouched]
    return printed ? ['console'] : []
  })
}

export function checkApprovers(config: Config, running: readonly Channel[]): Finding[] {
  const printed = outboxOpen(config, running)
  return Object.entries(config.actions).flatMap(([action, { approvers, proofs }]) => {
    const unable = approvers.filter(userId => {
      const person = config.recipients[userId]
      return person === undefined || !proofsOf(person, printed).some(proof => proofs.includes(proof))
    })
    if (unable.length === 0) return []
    const who =
      unable.length === approvers.length ? 'none of its approvers can' : `${unable.join(', ')} cannot`
    const message = `${action}: ${who} give any of its proofs (${proofs.join(', ')})`
    return [warn('policy', message, 'give them a channel that proves enough, or add a proof to the action')]
  })
}
