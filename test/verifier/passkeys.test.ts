// Assertions of passkeys in the eyes of both verifiers: the vectors, and what becomes of them when they are touched.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAssertion } from '../../src/passkey/assertion.js'
import { decode, encode } from '../../src/passkey/base64url.js'
import { type Confirmed, challengeOf } from '../../src/passkey/challenge.js'
import { type Evidence, hashEvidence, isEvidence } from '../../src/passkey/evidence.js'
import { hashCredential } from '../../src/token/credential.js'
import { ALL } from '../faults/rig.js'
import { type Chance, chanceOf } from './chance.js'
import { maySkip, Second, without } from './second.js'

const TOUCHED = ALL ? 3_000 : 200

type Vector = { readonly name: string; readonly confirmed: Confirmed; readonly evidence: Evidence }
const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../vectors/passkeys/assertions.json', import.meta.url), 'utf8'),
)

describe.skipIf(maySkip)(`assertions, by both verifiers${without}`, () => {
  let second: Second
  beforeAll(() => {
    second = new Second()
  })
  afterAll(() => second.end())

  async function agreed(evidence: Evidence, confirmed: Confirmed, deed: string): Promise<string | null> {
    const theirs = await second.ask('assertion', { evidence, confirmed })
    const challenge = challengeOf(confirmed)
    const checked = isEvidence(evidence) ? await checkAssertion(evidence, challenge) : null
    const ours = checked && {
      challenge,
      evidence_hash: hashEvidence(evidence),
      credential_hash: hashCredential(evidence),
      flaw: checked.ok ? null : checked.flaw,
    }
    expect(theirs, `${deed}: ${JSON.stringify(evidence)}`).toEqual(ours)
    return ours === null ? 'no_evidence' : ours.flaw
  }

  test('are told alike, each of the vectors', async () => {
    for (const { name, evidence, confirmed } of VECTORS) await agreed(evidence, confirmed, name)
  })

  test(`touched ${TOUCHED} times, are told alike, and none is taken`, { timeout: 600_000 }, async () => {
    const met = new Set<string | null>()
    for (let seed = 0; seed < TOUCHED; seed++) {
      const chance = chanceOf(seed)
      const { evidence, confirmed } = chance.of(VECTORS)
      met.add(await agreed(touched(evidence, chance), confirmed, `touch ${seed}`))
    }
    for (const flaw of ['no_assertion', 'another_challenge', 'another_origin', 'another_key'])
      expect(met).toContain(flaw)
    expect(met).not.toContain(null)
  })
})

const TOUCHABLE = ['public_key', 'authenticator_data', 'client_data_json', 'signature'] as const

/** One bit of one part turned over; of a key the coordinates too, so that points of no curve are among them. */
function touched(evidence: Evidence, chance: Chance): Evidence {
  const name = chance.of(TOUCHABLE)
  const bytes = decode(evidence[name]) ?? new Uint8Array()
  const at = chance.upTo(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.upTo(8))
  return { ...evidence, [name]: encode(bytes) }
}
