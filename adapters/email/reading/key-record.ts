// The record a domain publishes its key in (RFC 6376, 3.6.1), as far as it says what the key is for. mailauth looks
// at the key and its version alone; a key that the domain published for another use vouches for no mail here.

/** `identity`: the domain of the signature's `i=`, which may lie below the domain that signs. */
type Use = { readonly domain: string; readonly identity: string; readonly algorithm: string }

export function isKeyFor(record: string, { domain, identity, algorithm }: Use): boolean {
  const tags = readTags(record)
  if (tags === null) return false
  const isEmails = listOf(tags, 's', '*').some(service => service === '*' || service === 'email')
  const isSha256s = listOf(tags, 'h', 'sha256').includes('sha256')
  const flags = listOf(tags, 't', '')
  const isTheirs = identity === domain || !flags.includes('s')
  // A domain that is only testing declares that its signatures prove nothing: such a mail is as good as unsigned.
  const isMeant = !flags.includes('y')
  return isEmails && isSha256s && isTheirs && isMeant && `${tags.get('k') ?? 'rsa'}-sha256` === algorithm
}

const listOf = (tags: ReadonlyMap<string, string>, name: string, usual: string): string[] =>
  (tags.get(name) ?? usual).split(':').map(one => one.trim())

/** Null for a record that says a tag twice, or whose version is not its first tag: others read it differently. */
function readTags(record: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>()
  for (const [index, tag] of record.split(';').entries()) {
    const equals = tag.indexOf('=')
    const name = tag.slice(0, Math.max(equals, 0)).trim()
    if (name === '' && tag.trim() === '') continue
    if (name === '' || tags.has(name) || (name === 'v' && index > 0)) return null
    tags.set(name, tag.slice(equals + 1).trim())
  }
  return tags.has('v') && tags.get('v') !== 'DKIM1' ? null : tags
}
