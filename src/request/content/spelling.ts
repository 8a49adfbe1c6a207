// The canonical spelling of contents, as it came. A body whose escapes are all the short ones spells its texts as RFC 8785
// does: the piece of the body between the quotation marks need not be put together again to be hashed.
//
// CW1  The spelling of a text is canonical(text), or none is known.

/** By the contents that were read, which live as long as their submission. */
const spellings = new WeakMap<object, ReadonlyMap<string, string>>()

/** `spelt` are the texts of these contents by their handles, quotation marks included. */
export const keepSpelling = (contents: object, spelt: ReadonlyMap<string, string>): void =>
  void spellings.set(contents, spelt)

export const spellingOf = (contents: object, handle: string): string | undefined =>
  spellings.get(contents)?.get(handle)
