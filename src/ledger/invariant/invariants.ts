// The faults that must never be found in a ledger, by the numbers of the list in docs/spec/ledger.md. Each is checked
// from the exported lines alone, by the files beside this one.

export const INVARIANTS = {
  I1: 'No gap, repeat or step back in seq; prev is the hash before; every line is the RFC 8785 text of its entry and has its hash.',
  I3: 'No CHECKPOINT_SIGNED of another root than the tree had at its size, larger than the ledger before it or smaller than one before it, and none by a key that was not announced.',
  I4: 'No entry outside its schema, no unknown member, no request that the door would have refused.',
  I5: 'No time that goes back, and no time-out while the clock is suspect.',
  I7: 'No second REQUEST_RESOLVED, none without REQUEST_OPENED, and nothing that would change the outcome after it.',
  I8: 'No resolution without its causes, all of its own request, the last directly before it, and of the kind it claims.',
  I9: 'No second REQUEST_OPENED for an id.',
  I10: 'No time-out before the deadline; no reply accepted and nothing withdrawn at the deadline or after it.',
  I12: "No default but the request's own, conservative one; `undelivered` exactly when no delivery stood.",
  I13: 'No answer outside the reply schema.',
  I14: 'No accepted reply whose token was not issued to its sender for its delivery.',
  I15: 'No token and no provider message accepted twice.',
  I16: 'Nobody asked and no answer taken who is not among the recipients.',
  I17: 'No request hash and no token hash that differs between what was opened, claimed and sent.',
  I19: 'No second decision about an outcome and no CONTINUE for an approval without a YES; no policy token but for one, bound to its request and reply; none that expires at another time than it says, and none spent by another, twice, too late or once revoked.',
  I22: 'No control, bidirectional, zero-width or otherwise invisible character in what is shown; under rules 2 no blank, mark or overlay that hides what stands beside it.',
  I23: 'No token, API key or reply handle in the ledger.',
  I24: 'No inbound reply without its checks in their fixed order, and no accepted one whose event is not the one hashed.',
  I25: 'No send that was not claimed before, no attempt out of order, none claimed once the request is resolved.',
  I27: 'No callback that was not registered with its request, none before the resolution, early, out of order or after the last.',
  I28: 'No LANE_STARTED under older rules than one before it.',
  I29: 'No resolution without its decision directly behind it, unless a director outside the lane holds the run.',
  I30: 'No LEDGER_SEALED but one, directly after LANE_STARTED, with the size and the hash that the ledger had before both; where the seals and their key are at hand, no append without its seal.',
  I31: 'No quorum but over an approval by YES and NO, no electorate without everybody who was asked; nobody votes who is not of it, and nobody twice.',
  I32: 'No step that the ladder does not have, done twice, before its moment without its reason, or after the outcome; nobody added whom it does not name; nothing urgent held, and nothing into the last quarter of its time.',
  I33: 'Nothing handed on by somebody whose it is not, to somebody asked before, or through more than three hands; no answer from somebody who has handed it on.',
  I34: 'No display hash that is not that of the display, as the opening and what the delivery shows of the contents make it; no content shown that was not recorded with the request, and none erased while it is open.',
  I35: "No answer by a passkey without its evidence directly before it, and none of somebody who had no such passkey, or had none any more; no evidence of any other reply; no passkey registered twice, and none taken back that was not somebody's.",
} as const

export type Invariant = keyof typeof INVARIANTS

/** An entry's breach of an invariant. Each check names the first that it finds. */
export type Flaw = { readonly invariant: Invariant; readonly message: string }
export const flaw = (invariant: Invariant, message: string): Flaw => ({ invariant, message })
