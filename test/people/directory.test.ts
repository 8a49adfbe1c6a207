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

describe('whose an address is', () => {
  let stage: Stage
  afterEach(() => stage.close())

  test('is found without asking every person, and the web’s is nobody’s', async () => {
    const people = Array.from(
      { length: 300 },
      (_, n) => `  p${n}: { name: P, sms: "+1555${1000000 + n}", web: true }`,
    )
    stage = await raise(configure(`recipients:\n${people.join('\n')}\n`))
    let asked = 0
    const counted = new Proxy(stage.config.recipients, {
      ownKeys(target) {
        asked++
        return Reflect.ownKeys(target)
      },
      get(target, name) {
        asked++
        return Reflect.get(target, name)
      },
    })
    const directory = await Directory.open(counted, stage.store.shelf)
    asked = 0
    expect(directory.whoHas('sms', '+15551000299')).toBe('p299')
    expect(directory.whoHas('sms', '+15559999999')).toBeNull()
    expect(directory.whoHas('web', true)).toBeNull()
    expect(asked).toBe(0)
  })
})
