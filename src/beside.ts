// What was found out about an object, kept with it and gone with it. A WeakMap is not that: this engine takes its values
// through every collection of young objects, and lets go of them only in one of all; at a request's twenty contents that
// was a tenth of its cost.
//
// BE1  Nobody sees it: it is no member that is spelt, copied or compared.
export class Beside<K extends object, V> {
  readonly #mark = Symbol('beside')

  get(one: K): V | undefined {
    return (one as { readonly [mark: symbol]: V | undefined })[this.#mark]
  }

  set(one: K, value: V): void {
    Object.defineProperty(one, this.#mark, { value, configurable: true, writable: true })
  }
}
