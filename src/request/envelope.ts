// The hash of what travels beside a request, as the caller gave it: the same id with another envelope is another request.
import { type Hash, hashOf } from '../canonical.js'
import type { Rules } from '../rules.js'
import type { Submission } from './parse.js'

type Envelope = Omit<Submission, 'request'>

/** By the rules a request was opened under. A member that was not given has no place in the hash. */
const ENVELOPES: Readonly<Record<Rules, (envelope: Envelope) => Hash>> = {
  '1': ({ run, recipients, callback_url }) => hashOf('lane/envelope/v1', { run, recipients, callback_url }),
  '2': ({ run, recipients, callback_url, quorum, urgency, ladder, origin }) =>
    hashOf('lane/envelope/v2', { run, recipients, callback_url, quorum, urgency, ladder, origin }),
}

export const envelopeHash = (envelope: Envelope, rules: Rules): Hash => ENVELOPES[rules](envelope)
