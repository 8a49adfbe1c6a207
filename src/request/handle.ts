// Pointers to content, never content. A `sha256:` handle fixes its content; the others are names whose content may
// change, and are shown as such. One spelling each: hex is lower case, so that equal content has equal handles.
import type { Hash } from '../canonical.js'
import { isHash } from '../shortcut.js'

export const FIXED_HANDLE = /^sha256:[0-9a-f]{64}$/
export const HANDLE = /^(?:sha256:[0-9a-f]{64}|(?:doc|receipt|diff|run|artifact):[A-Za-z0-9._-]{1,128})$/

export const isFixedHandle = (text: string): text is Hash => isHash(text)

export const FIXED_HANDLE_WORDS = 'sha256: and 64 lower-case hex digits, the hash of the content'
export const HANDLE_WORDS =
  'a pointer, never content: sha256: and 64 lower-case hex digits, ' +
  'or doc:, receipt:, diff:, run: or artifact: and 1 to 128 of A-Z a-z 0-9 . _ -'
