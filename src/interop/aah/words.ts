// The words of AAH (Agent Artifact Handoff) that the lane reads and writes: AAH-HITL-001 decisions on envelopes of
// version 0.1 and 0.5.
import { sha256 } from '../../canonical.js'
import { ID } from '../../request/field.js'

export const VERSIONS = ['0.1', '0.5'] as const
export type Version = (typeof VERSIONS)[number]

/** Every subtype of this category is somebody's decision; the lane answers one of them. */
export const CATEGORY = 'decision/'
export const REQUEST = 'decision/request'
export const RESPONSE = 'decision/response'

/** The media type and the schema of a body, by the artifact's type. */
export const BODY_OF = {
  [REQUEST]: {
    media: 'application/vnd.aah.decision-request+json',
    schema: 'aah:decision/request@1.0',
  },
  [RESPONSE]: {
    media: 'application/vnd.aah.decision-response+json',
    schema: 'aah:decision/response@1.0',
  },
} as const
export type ArtifactType = keyof typeof BODY_OF

/** The section of a v0.5 artifact that holds the body. */
export const SECTION_TYPE = 'structured/json'

/** How the state of a decision is written: in its own words, or in those of the envelope's published schema. */
export const PROFILES = ['decisions', 'strict-envelope'] as const
export type Profile = (typeof PROFILES)[number]

/** The states of a request. */
export type Status = 'pending' | 'partial' | 'resolved' | 'expired' | 'escalated' | 'withdrawn'

const ID_PREFIX = 'aah-'
const ID_HEX = 32
const made = (text: string): string => `${ID_PREFIX}${sha256(text).slice(7, 7 + ID_HEX)}`

/** The lane's id for an artifact's: its own where the lane could have given it, else one made of it. */
export const requestIdOf = (artifactId: string): string =>
  ID.test(artifactId) ? artifactId : made(artifactId)

/** A run of its own, so that no artifact waits for another. */
export function runIdOf(requestId: string): string {
  const runId = `${ID_PREFIX}${requestId}`
  return ID.test(runId) ? runId : made(requestId)
}
