// Whether a request asks for an approval, by what is decided and not by its type alone: a question that holds an
// approval gives a right as an approval does, and is answered by those, and with the proofs, that an approval needs.
import type { ReplySchema } from '../compiler/reply-schema.js'

type Substance = { readonly type: string; readonly reply_schema: ReplySchema }

export const isApproval = ({ type, reply_schema }: Substance): boolean =>
  type === 'REQUEST_APPROVAL' || holdsApproval(reply_schema)

/** Whether one decision of a form approves something. */
const holdsApproval = (schema: ReplySchema): boolean =>
  schema.kind === 'form' && schema.decisions.some(({ type }) => type === 'approval')
