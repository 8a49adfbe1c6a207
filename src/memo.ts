// What was found out about an object, kept with it and gone with it. A WeakMap is not that: this engine carries its values
// through the collections of young objects and lets go of them in a collection of all alone, and the contents of a
// request are large.
//
// ME1  Nobody sees it: it is no member that is spelt, copied or compared.
export class Memo<K extends object, V> {
  readonly #mark = Symbol('memo')

  get(one: K): V | undefined {
    return (one as { readonly [mark: symbol]: V | undefined })[this.#mark]
  }

  set(one: K, value: V): void {
    Object.defineProperty(one, this.#mark, { value, configurable: true, writable: true })
  }
}
