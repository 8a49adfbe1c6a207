// Elements by which mail programs mark what they put below an answer. Each is some program's own name; none depends on
// a language.
import type { Tag } from './tag.js'

/** What an element says about what is inside it, or about everything after it. */
export type Landmark = 'quoted' | 'signature' | 'quoted_from_here' | 'set_in' | null

const QUOTED_CLASSES = new Set([
  'gmail_quote',
  'gmail_quote_container',
  'gmail_attr',
  'gmail_extra',
  'yahoo_quoted',
  'protonmail_quote',
  'tutanota_quote',
  'moz-cite-prefix',
  'moz-email-headers-table',
  'zmail_extra',
])
const SIGNATURE_CLASSES = new Set([
  'gmail_signature',
  'gmail_signature_prefix',
  'moz-signature',
  'protonmail_signature_block',
])
const QUOTED_IDS = new Set(['reply-intro', 'yahoo_quoted'])
const SIGNATURE_IDS = new Set([
  'signature',
  'applemailsignature',
  'ms-outlook-mobile-signature',
  'ms-outlook-mobile-body-signature',
  'composer_signature',
  '_mailautosig',
])
/** Outlook puts the mail it answers beside these, not inside them. */
const FROM_HERE_IDS = new Set([
  'appendonsend',
  'divrplyfwdmsg',
  'mail-editor-reference-message-container',
  'stopspelling',
])

/** A blockquote that does not say that it quotes is how editors set in a paragraph, too: what is inside must tell. */
export function roleOf({ name, id, classes, cites }: Tag): Landmark {
  const isBlock = name === 'blockquote'
  if (isBlock && cites) return 'quoted'
  const key = id.toLowerCase()
  if (FROM_HERE_IDS.has(key)) return 'quoted_from_here'
  if (QUOTED_IDS.has(key)) return 'quoted'
  if (SIGNATURE_IDS.has(key)) return 'signature'
  for (const one of classes.toLowerCase().split(' ')) {
    if (QUOTED_CLASSES.has(one)) return 'quoted'
    if (SIGNATURE_CLASSES.has(one)) return 'signature'
  }
  return isBlock ? 'set_in' : null
}
