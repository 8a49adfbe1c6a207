// The hash of a reply schema, by which a reply token names the schema it was minted for.
import { type Hash, hashOf } from '../canonical.js'
import type { ReplySchema } from '../compiler/reply-schema.js'

const hashed = (schema: ReplySchema): Hash => hashOf('lane/reply-schema/v1', schema)
/** The commonest schema, and without a reason always the same. */
const YES_NO = hashed({ kind: 'yes_no' })

export const hashReplySchema = (schema: ReplySchema): Hash =>
  schema.kind === 'yes_no' && schema.reason === undefined ? YES_NO : hashed(schema)
