// What is found by keys of chance, each by an index that is written late.
import type { Database } from 'better-sqlite3'
import { Contents } from './contents.js'
import { Grants } from './grants.js'

export type Late = { readonly contents: Contents; readonly grants: Grants }

export const openLate = (db: Database): Late => ({ contents: new Contents(db), grants: new Grants(db) })

/** Outside of transactions: where places have become many, they go into their index. */
export function settle({ contents, grants }: Late): void {
  contents.settle()
  grants.settle()
}
