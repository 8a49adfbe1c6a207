// The one file of ours an adapter may import: the words a channel and the lane share, and what all channels need.
export { schemaOf } from '../compiler/decision.js'
export { writeDelegation } from '../compiler/delegate.js'
export { describeAnswer, describeLine, describeOption, describeReply } from '../compiler/describe.js'
export { letterOf } from '../compiler/option.js'
export type { AskedReason, Decision, FormSchema, Option, ReplySchema } from '../compiler/reply-schema.js'
export type { Reason } from '../reason.js'
export { CHANNELS, type Channel, PROOFS, type Proof } from '../request/channel.js'
export { type Content, type Exhibit, exhibitWhole, type Line } from '../request/content/exhibit.js'
export { lookAlike } from '../request/content/look-alike.js'
export { type Display, isMissing, type ShownHandle, tellsEnough } from '../request/display.js'
export type { DefaultAction, RequestType } from '../request/request.js'
export { UNSEEN } from '../request/text.js'
export {
  APPROVAL_WORDS,
  defaultWords,
  inGroups,
  inUtc,
  kindWords,
  ladderWords,
  originWords,
  type Rested,
  restWords,
  typeWord,
  urgencyWord,
} from '../request/words.js'
export { reasonOf, type Say } from '../say.js'
export {
  type Adapter,
  type AdapterParts,
  type Beside,
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
export { LIMITS } from './limits.js'
export { behindMargin, LEFT_OUT, NOT_HELD, wordsOn } from './margin.js'
export { html, type Markup } from './markup.js'
export {
  ASSERTED,
  type Dress,
  type Form,
  type Page,
  type PageState,
  type ReplyPage,
  type Typed,
} from './page.js'
export { aborted, pause, Retries } from './pause.js'
export { Seen } from './seen.js'
export { quotedLines, sheetOf } from './sheet.js'
export {
  besideWords,
  draw,
  endingWords,
  opener,
  type Phrase,
  recordedWords,
  refusalWords,
  unnamed,
  type Voice,
} from './words.js'
