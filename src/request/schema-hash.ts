// What a reply token says of the schema it was minted for.
import { type Hash, hashOf } from '../canonical.js'
import type { ReplySchema } from '../compiler/reply-schema.js'

const hashed = (schema: ReplySchema): Hash => hashOf('lane/reply-schema/v1', schema)
/** The commonest of all, and always the same. */
const YES_NO = hashed({ kind: 'yes_no' })

export const hashReplySchema = (schema: ReplySchema): Hash =>
  schema.kind === 'yes_no' ? YES_NO : hashed(schema)
