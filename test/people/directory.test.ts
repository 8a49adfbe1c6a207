// Whose an address is: one person's, as the channel spells it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Directory } from '../../src/people/directory.js'
import { configure, raise, type Stage } from '../lane/stage.js'

const CONFIG = `
recipients:
  kim: { name: Kim, email: Kim@Example.org }
`

describe('an address of mail', () => {
  let stage: Stage
  let directory: Directory
  beforeEach(async () => {
    stage = await raise(configure(CONFIG))
    directory = await Directory.open(stage.config.recipients, stage.store.shelf)
  })
  afterEach(() => stage.close())

  test('is one in any case of A to Z', () => {
    expect(directory.whoHas('email', 'kiM@example.ORG')).toBe('kim')
  })

  test.each([
    ['U+212A, which the language folds onto k', '\u212aim@example.org'],
    ['U+0130, which it folds onto i and a mark', 'k\u0130m@example.org'],
  ])('that is spelt with %s is nobody’s', (_, address) => {
    expect(directory.whoHas('email', address)).toBeNull()
  })
})
