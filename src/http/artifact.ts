// The artifact that a request was made of, and the responses to it: both made from the ledger and what is kept beside it,
// whenever somebody asks.
import type { Case } from '../agenda/case.js'
import type { Config } from '../config/config.js'
import { readHeld } from '../delivery/contents.js'
import { type Artifact, readArtifact } from '../interop/aah/read.js'
import type { Profile } from '../interop/aah/words.js'
import { named, responsesTo, signedText, withSignature } from '../interop/aah/write.js'
import type { Signing } from '../keys/signing.js'
import { wordsOf } from '../ledger/beside.js'
import type { Store } from '../ledger/contract.js'
import type { Shown } from '../waiter/callback.js'

type ArtifactParts = {
  readonly store: Pick<Store, 'ledger' | 'shelf'>
  readonly config: Pick<Config, 'recipients'>
  readonly signing: Pick<Signing, 'artifacts'>
}

/** Null for a request that no artifact has opened, and for an artifact that was erased. */
export async function artifactOf(
  { store }: Pick<ArtifactParts, 'store'>,
  { origin, opened_by }: Pick<Case, 'origin' | 'opened_by'>,
): Promise<Artifact | null> {
  if (origin?.system !== 'aah') return null
  const bytes = (await readHeld(store.shelf, opened_by, [origin.hash])).get(origin.hash)
  if (bytes === undefined) return null
  const read = readArtifact(JSON.parse(Buffer.from(bytes).toString()))
  if (read.kind !== 'read') throw new Error(`the artifact ${origin.hash} was kept and cannot be read`)
  return read.artifact
}

/** Oldest first, each with its signature. */
export async function signedResponses(
  { store, config, signing }: ArtifactParts,
  { request_id, replies }: Case,
  artifact: Artifact,
  profile: Profile,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [story, words, sign] = await Promise.all([
    store.ledger.story(request_id),
    wordsOf(store.shelf, replies),
    signing.artifacts(),
  ])
  return responsesTo({ story, artifact, words, people: config.recipients, profile }).map(response =>
    withSignature(response, sign(signedText(response), response.at)),
  )
}

/** What a callback says of a request that an artifact has opened: the response it ended with. Null for any other. */
export async function messageOfArtifact(parts: ArtifactParts, subject: Case): Promise<Shown | null> {
  const artifact = await artifactOf(parts, subject)
  if (artifact === null) return null
  const whole = (await signedResponses(parts, subject, artifact, 'decisions')).at(-1)
  return whole === undefined ? null : { whole, short: named(whole) }
}
