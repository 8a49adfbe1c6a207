// `interrupt-lane/client`: asking a person from a program. No packages: fetch, and node:crypto for the policy token.

export type { AnswerOf } from './answer.js'
export {
  type Callback,
  type CallbackOptions,
  CallbackRefused,
  type CallbackRefusedCode,
  verifyCallback,
} from './callback.js'
export type { ShownAnswer, ShownCase, ShownDecision, ShownDelivery } from './case.js'
export { type ConnectOptions, connect, type Lane } from './connect.js'
export type { Approval, Question, Review } from './draft.js'
export type { Handle, Opened } from './handle.js'
export type { Jwks } from './jwks.js'
export type {
  Answered,
  Defaulted,
  FieldError,
  Outcome,
  Pending,
  Refused,
  Unknown,
  Withdrawn,
} from './outcome.js'
export {
  type ApprovalOptions,
  assertApproved,
  hashParameters,
  NotApproved,
  type NotApprovedCode,
  type PolicyClaims,
} from './policy.js'
export type { Spend, Spent } from './spend.js'
