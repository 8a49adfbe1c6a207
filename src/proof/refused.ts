// Why a proof is refused: the codes of docs/spec/proof.md, in the order in which they are asked.

const REASONS = [
  'malformed',
  'checkpoint_unsigned',
  'story_unsigned',
  'not_included',
  'part_missing',
  'request_altered',
  'display_altered',
  'reply_unfounded',
  'right_missing',
  'outcome_differs',
  'decision_differs',
  'evidence_differs',
  'words_altered',
  'not_consistent',
  'untrusted',
] as const

export class ProofRefused extends Error {
  override readonly name = 'ProofRefused'
  readonly code: (typeof REASONS)[number]
  constructor(code: (typeof REASONS)[number], message: string) {
    super(message)
    this.code = code
  }
}
