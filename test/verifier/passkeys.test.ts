// Assertions of passkeys in the eyes of both verifiers: the vectors, and what becomes of them when they are touched.
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digest } from '../../src/canonical.js'
import { checkAssertion } from '../../src/passkey/assertion.js'
import { decode, encode } from '../../src/passkey/base64url.js'
import { type Confirmed, challengeOf } from '../../src/passkey/challenge.js'
import { hashCredential } from '../../src/passkey/credential.js'
import { type Evidence, hashEvidence, isEvidence } from '../../src/passkey/evidence.js'
import { ALL } from '../faults/rig.js'
import { PRESENT, VERIFIED } from '../passkey/authenticator.js'
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

  const { confirmed, evidence } = VECTORS.find(({ name }) => name === 'a YES by EdDSA') as Vector
  const challenge = challengeOf(confirmed)

  test.each([
    ['that adds nothing', '01'.padEnd(64, '0')],
    ['that adds nothing, with a sign', `${'01'.padEnd(62, '0')}80`],
    ['that adds nothing, spelt otherwise', `ee${'ff'.repeat(30)}7f`],
    ['that adds nothing, spelt otherwise, with a sign', `ee${'ff'.repeat(31)}`],
    ['of order two', `ec${'ff'.repeat(30)}7f`],
    ['of order four', '00'.repeat(32)],
    ['of order four, spelt otherwise', `ed${'ff'.repeat(30)}7f`],
    ['of order eight', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['of order eight, with a sign', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['of order eight, the other', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ])('of a key %s are none: one signature would hold for every answer', async (deed, point) => {
    const public_key = encode(Buffer.from(`a4010103272006215820${point}`, 'hex'))
    const signature = encode(Buffer.from('01'.padEnd(128, '0'), 'hex'))
    expect(await agreed({ ...evidence, public_key, signature }, confirmed, deed)).toBe('no_assertion')
  })

  const said = `"type":"webauthn.get","challenge":"${challenge}","origin":"https://lane.example.org"`
  test.each<[string, string, string | null]>([
    ['a number that is none', `{${said},"n":NaN}`, 'no_assertion'],
    ['a number beyond all', `{${said},"n":1e999}`, null],
    ['lists in lists', `{${said},"n":${'['.repeat(1700)}${']'.repeat(1700)}}`, null],
    ['the challenge twice, the right one last', `{"challenge":"no",${said}}`, null],
    ['the challenge twice, the right one first', `{${said},"challenge":"no"}`, 'another_challenge'],
    ['all of it by inheritance', `{"__proto__":{${said}}}`, 'no_assertion'],
    ['half a pair of surrogates', `{${said},"n":"\\ud800"}`, null],
    ['a mark of byte order', `\ufeff{${said}}`, 'no_assertion'],
    ['a space that is none of JSON’s', `\u00a0{${said}}`, 'no_assertion'],
    ['a comma too many', `{${said},}`, 'no_assertion'],
    ['a frame that is 0', `{${said},"crossOrigin":0}`, 'another_origin'],
    ['an origin with a line behind it', `{${said.replace('org"', 'org\\n"')}}`, 'another_origin'],
    ['an origin with a dot behind it', `{${said.replace('org"', 'org."')}}`, 'another_origin'],
  ])('of an authenticator that signs whatever a page wants, with %s, are told alike', async (...vector) => {
    const [deed, client, flaw] = vector
    const signed = signing(Buffer.from(client))
    expect(await agreed({ ...evidence, ...signed }, confirmed, deed)).toBe(flaw)
  })
})

/** Whatever a browser would say, signed by a key that was made for it. */
function signing(
  client: Buffer,
): Pick<Evidence, 'public_key' | 'client_data_json' | 'authenticator_data' | 'signature'> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const data = Buffer.concat([digest('lane.example.org'), Buffer.of(PRESENT | VERIFIED, 0, 0, 0, 0)])
  return {
    public_key: encode(Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), x])),
    client_data_json: encode(client),
    authenticator_data: encode(data),
    signature: encode(sign(null, Buffer.concat([data, digest(client)]), privateKey)),
  }
}

const TOUCHABLE = ['public_key', 'authenticator_data', 'client_data_json', 'signature'] as const

/** One bit of one part turned over; of a key the coordinates too, so that points of no curve are among them. */
function touched(evidence: Evidence, chance: Chance): Evidence {
  const name = chance.of(TOUCHABLE)
  const bytes = decode(evidence[name]) ?? new Uint8Array()
  const at = chance.upTo(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.upTo(8))
  return { ...evidence, [name]: encode(bytes) }
}
