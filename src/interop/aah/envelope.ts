// The envelope of an artifact: the members that AAH publishes, each of its published type. Other members are anybody's
// and stay as they are; none of them is shown to a person or gives anything.
import { z } from 'zod'
import { readMoment } from '../../compiler/instant.js'
import { shownText } from '../../request/field.js'
import { FIXED_HANDLE, FIXED_HANDLE_WORDS } from '../../request/handle.js'
import { NEWEST_RULES } from '../../rules.js'
import { BODY_OF, REQUEST, RESPONSE, SECTION_TYPE, VERSIONS } from './words.js'

/** What the origin of a request names, and a label that people read. */
const MAX_NAME_CHARS = 200
const MAX_SECTIONS = 50
const MAX_URL_CHARS = 2_048

const NAME_WORDS = `1 to ${MAX_NAME_CHARS} visible characters on one line`
const TEXT_WORDS = 'a text'
const FLAG_WORDS = 'true or false'
const INSTANT_WORDS = 'an instant with its offset, such as 2026-02-17T17:00:00Z'
const COUNT_WORDS = 'a whole number from 0'
const OBJECT_WORDS = 'an object'
const TYPE_WORDS = `${REQUEST} or ${RESPONSE}; other subtypes of decision are passed over`
const BODY_WORDS = 'an object, or a text that holds it as JSON'
const URL_WORDS = `an address of at most ${MAX_URL_CHARS} characters`
const ENCODING_WORDS = 'utf-8'
const LIST_WORDS = 'a list of texts'

const name = shownText(MAX_NAME_CHARS, NAME_WORDS, NEWEST_RULES)
const text = z.string({ error: TEXT_WORDS })
const optionalText = text.exactOptional()
const count = z.int({ error: COUNT_WORDS }).min(0, { error: COUNT_WORDS }).exactOptional()
const isInstant = (value: string): boolean => (readMoment(value)?.instant ?? null) !== null
export const instantText = z.string({ error: INSTANT_WORDS }).refine(isInstant, { error: INSTANT_WORDS })
const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `one of ${words.join(', ')}` })
const loose = <S extends z.core.$ZodLooseShape>(fields: S) => z.looseObject(fields, { error: OBJECT_WORDS })

const artifact = loose({
  id: name,
  type: text.refine(type => Object.hasOwn(BODY_OF, type), { error: TYPE_WORDS }),
  title: optionalText,
  summary: optionalText,
  version: count,
  version_id: optionalText,
  previous_version_id: optionalText,
  created_at: instantText,
  updated_at: instantText.exactOptional(),
})

const source = loose({
  agent_id: name,
  agent_name: optionalText,
  agent_role: optionalText,
  framework: optionalText,
  framework_version: optionalText,
  session_id: optionalText,
  task_id: optionalText,
  task_description: optionalText,
  model: optionalText,
  organization_id: optionalText,
})

const common = {
  artifact,
  lifecycle: loose({
    retention: oneOf(['ephemeral', '7d', '30d', '90d', 'permanent']).exactOptional(),
    expires_at: instantText.exactOptional(),
    visibility: oneOf(['private', 'team', 'organization', 'public']).exactOptional(),
    status: optionalText,
    superseded_by: optionalText,
    tags: z.array(text, { error: LIST_WORDS }).exactOptional(),
  }).exactOptional(),
  handoff: loose({
    target_agent: optionalText,
    target_role: optionalText,
    expects_response: z.boolean({ error: FLAG_WORDS }).exactOptional(),
    response_deadline: instantText.exactOptional(),
    parent_artifact_ids: z.array(text, { error: LIST_WORDS }).exactOptional(),
    context: loose({}).exactOptional(),
    priority: oneOf(['low', 'normal', 'high', 'urgent']).exactOptional(),
  }).exactOptional(),
  extensions: loose({ aah_hitl: loose({ status: optionalText }).exactOptional() }).exactOptional(),
}

/** The body where it stands, or where it can be fetched. */
const carried = {
  body: z.union([z.string(), z.looseObject({})], { error: BODY_WORDS }).exactOptional(),
  body_url: z.string({ error: URL_WORDS }).max(MAX_URL_CHARS, { error: URL_WORDS }).exactOptional(),
  body_hash: z
    .string({ error: FIXED_HANDLE_WORDS })
    .regex(FIXED_HANDLE, { error: FIXED_HANDLE_WORDS })
    .exactOptional(),
  encoding: z.literal('utf-8', { error: ENCODING_WORDS }).exactOptional(),
  size_bytes: count,
  token_count: count,
}

const SECTION_WORDS = `1 to ${MAX_SECTIONS} sections, one of them of type ${SECTION_TYPE}`
const section = loose({
  id: text.regex(/^[a-z0-9][a-z0-9-]*$/, { error: 'an id of a-z 0-9 -' }),
  heading: name,
  type: text.regex(/^[a-z]+\/[a-z0-9-]+$/, { error: 'a type such as structured/json' }),
  ...carried,
  media_type: optionalText,
  agent_id: name,
  agent_name: optionalText,
  position: count,
  created_at: instantText,
  updated_at: instantText,
  version: count,
})

export const ENVELOPES = {
  '0.1': loose({
    aah_version: z.literal('0.1'),
    ...common,
    source,
    content: loose({ media_type: text, ...carried }),
  }),
  '0.5': loose({
    aah_version: z.literal('0.5'),
    ...common,
    source: source.exactOptional(),
    sections: z
      .array(section, { error: SECTION_WORDS })
      .min(1, { error: SECTION_WORDS })
      .max(MAX_SECTIONS, { error: SECTION_WORDS })
      .refine(all => all.filter(({ type }) => type === SECTION_TYPE).length === 1, { error: SECTION_WORDS }),
  }),
} as const
export const VERSION_WORDS = `one of ${VERSIONS.map(version => `"${version}"`).join(', ')}`

export type Envelope = z.infer<(typeof ENVELOPES)[keyof typeof ENVELOPES]>
/** The part of an envelope that carries the body. */
export type Carrier = z.infer<(typeof ENVELOPES)['0.1']>['content'] | z.infer<typeof section>
