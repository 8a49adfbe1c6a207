// The responses to an artifact as its agent's lane gives them, and whether a file is one of them. One that was written
// yesterday may read otherwise today (a person has another name now, a key was revoked, it was asked for in another
// profile): its signature says that it was given all the same.
import { call, type Endpoint, jsonOf, type Trouble } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import type { Profile } from '../../interop/aah/words.js'
import { takenApart } from '../../interop/aah/write.js'
import { isSignedArtifact } from '../../token/artifact-jws.js'

type Fields = Readonly<Record<string, unknown>>
/** Oldest first. */
export type Responses = { readonly kind: 'responses'; readonly items: readonly Fields[] }

export async function responsesTo(
  endpoint: Endpoint,
  requestId: string,
  profile: Profile,
): Promise<Responses | Trouble> {
  const path = `/v1/aah/artifacts/${encodeURIComponent(requestId)}/responses?profile=${profile}`
  const answered = await call(endpoint, { path })
  if (answered.kind !== 'answer') return answered
  const body = jsonOf(answered)
  const items = isFields(body) && Array.isArray(body.items) ? body.items.filter(isFields) : []
  return { kind: 'responses', items }
}

/** As it stands in a file. */
export const spelt = (response: Fields): string => `${JSON.stringify(response, null, 2)}\n`

type Newest = { readonly response: Fields; readonly overall_status: string; readonly status: string }

export function newestOf({ items }: Responses): Newest | null {
  const response = items.at(-1)
  if (response === undefined) return null
  const { extensions, content, sections } = response
  const own = isFields(extensions) && isFields(extensions.interrupt_lane) ? extensions.interrupt_lane : {}
  const [section] = Array.isArray(sections) ? sections : [content]
  const body = isFields(section) && isFields(section.body) ? section.body : {}
  const data = isFields(body.data) ? body.data : {}
  return { response, overall_status: String(data.overall_status), status: String(own.request_status) }
}

/** Whether these bytes are a response that this lane has given to this request; null if it cannot be asked. */
export async function isGiven(
  endpoint: Endpoint,
  requestId: string,
  { items }: Responses,
  bytes: Buffer,
): Promise<boolean | null> {
  const found = jsonOf({ body: bytes })
  if (!isFields(found) || spelt(found) !== bytes.toString()) return false
  const apart = takenApart(found)
  if (apart === null || apart.request_id !== requestId) return false
  // A key that was revoked vouches for nothing; but what it signed is still said today.
  if (items.some(item => takenApart(item)?.text === apart.text)) return true
  const answered = await call(endpoint, { path: '/.well-known/jwks.json' })
  if (answered.kind !== 'answer') return null
  const published = jsonOf(answered)
  const keys = isFields(published) && Array.isArray(published.keys) ? published.keys.filter(isFields) : []
  return isSignedArtifact(keys, apart.text, apart.signature)
}
