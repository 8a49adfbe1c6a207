// The one file of ours an adapter may import: the words a channel and the lane share, and what all channels need.
export { describeAnswer, describeOption, describeReply } from '../compiler/describe.js'
export { letterOf } from '../compiler/option.js'
export type { Option, ReplySchema } from '../compiler/reply-schema.js'
export type { Reason } from '../reason.js'
export { CHANNELS, type Channel, PROOFS, type Proof } from '../request/channel.js'
export { type Display, isToldByContent, type ShownHandle } from '../request/display.js'
export type { DefaultAction, RequestType } from '../request/request.js'
export { UNSEEN } from '../request/text.js'
export { defaultWords, inGroups, inUtc, type Rested, restWords, typeWord } from '../request/words.js'
export { reasonOf, type Say } from '../say.js'
export {
  type Adapter,
  type AdapterParts,
  type Binding,
  type Desk,
  type Ending,
  type Finding,
  type Glance,
  type Hook,
  type HookAnswer,
  type Inbound,
  type Outbound,
  type RefusedReply,
  type Report,
  type Sent,
  TOO_LONG_HERE,
  UNVERIFIED,
  type Verdict,
} from './contract.js'
export { cutToCharacters, cutToUnits } from './cut.js'
export { html, type Markup } from './markup.js'
export type {
  Form,
  Page,
  PageState,
  ReplyPage,
} from './page.js'
export { aborted, pause, Retries } from './pause.js'
export { Seen } from './seen.js'
export { draw, endingWords, type Phrase, recordedWords, refusalWords, unnamed, type Voice } from './words.js'
