// Two verifiers, written from the same pages in two languages, say the same of every ledger, sound or not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INVARIANTS } from '../../src/ledger/invariant/invariants.js'
import { ALL } from '../faults/rig.js'
import { bytesOfKept, everyKept } from '../ledger/kept.js'
import { soundLedger } from '../ledger/sound-ledger.js'
import { agreed, tampered } from './agreement.js'
import { formedLedger } from './formed.js'
import { bytesOf, chained, entriesOf, excerptsOf } from './ledger.js'
import { polledLedger } from './polled.js'
import { maySkip, Second, without } from './second.js'

const vectors = everyKept()

/** A sample every day, all of them with CI=true. */
const DEEDS = ALL ? 10_000 : 500
/** Of a sample. */
const MAY_BE_UNMET = 12
/** Small ledgers, because a deed in the middle of a large one says no more and takes longer. */
const EXCERPT = 20

describe.skipIf(maySkip)(`the second verifier${without}`, () => {
  let second: Second
  beforeAll(() => {
    second = new Second()
  })
  afterAll(() => second.end())

  test.each(vectors)('finds that %s holds, as ours does', async name => {
    const verdict = await agreed(second, bytesOfKept(name), name)
    expect(verdict).toMatchObject({ ok: true, entries: entriesOf(bytesOfKept(name).toString()).length })
  })

  test.each([
    ['with an entry of every type', soundLedger],
    ['of quorums', polledLedger],
    ['of forms', formedLedger],
  ])('finds that a ledger %s holds, and so do its first entries, however many', async (_, make) => {
    const { lines } = make()
    for (let size = 0; size <= lines.length; size++) {
      const verdict = await agreed(second, bytesOf(lines.slice(0, size)), `${size}`)
      expect(verdict).toMatchObject({ ok: true, entries: size })
    }
  })

  test(`says the same as ours of ${DEEDS} ledgers that were tampered with`, {
    timeout: 1_800_000,
  }, async () => {
    const told = [soundLedger(), polledLedger(), formedLedger()].map(({ lines }) => lines.join('\n'))
    const ledgers = [...told, ...vectors.map(name => bytesOfKept(name).toString())]
    const bases = ledgers.map(entriesOf).flatMap(entries => excerptsOf(entries, EXCERPT))
    for (const base of bases) {
      expect(await agreed(second, bytesOf(chained(base)), 'an excerpt')).toMatchObject({ ok: true })
    }
    const met = await tampered(second, bases, DEEDS)
    // Agreement is worth something only where every kind of verdict was met. The display has a deed of its own, below.
    const unmet = ['holds', 'beyond', ...Object.keys(INVARIANTS)].filter(
      verdict => verdict !== 'I34' && !met.has(verdict),
    )
    expect(unmet, JSON.stringify(Object.fromEntries(met))).toEqual(ALL ? [] : unmet.slice(0, MAY_BE_UNMET))
  })

  test('says the same as ours of a display that is not the one hashed (I34)', async () => {
    const entries = entriesOf(soundLedger().lines.join('\n'))
    const claims = entries.filter(({ type }) => type === 'DELIVERY_STARTED')
    const verdicts = await Promise.all(
      claims.map(claim => {
        const body = { ...claim.body, display_hash: `sha256:${'0'.repeat(64)}` }
        const changed = entries.map(entry => (entry === claim ? { ...entry, body } : entry))
        return agreed(second, bytesOf(chained(changed)), 'another display')
      }),
    )
    expect(verdicts.filter(({ first }) => first?.[0] === 'I34').length).toBeGreaterThan(0)
  })
})
