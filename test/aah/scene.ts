// Artifacts as agents of the AAH world write them: the example of its proposal, its dates moved to where a test needs
// them; and a lane with the people it asks.
import { expect } from 'vitest'
import type { Answer, LaneUnderTest } from '../lane-under-test.js'

export type Json = Record<string, unknown>

export const CONFIG = `
recipients:
  gracie: { name: Gracie Redfern, role: product_owner, web: true }
  manager: { name: The manager, web: true }
actions:
  PUBLISH: { approvers: [gracie, manager], proofs: [console, link_code] }
forms: { proofs: [console, link_code], approvers: [gracie, manager] }
aah:
  route: [{ to: gracie }]
  escalate: { manager@example.com: manager }
limits: { requests_per_recipient_per_hour: 0 }
`

const HOUR_MS = 3_600_000
export const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString()

/** The four decisions of the proposal's example. */
export const DECISIONS = [
  {
    id: 'd1',
    type: 'approval',
    prompt: 'Approve target audience segments?',
    description: 'Segments: DIY brides (60%), Event planners (30%), Venues (10%)',
    required: true,
    default: null,
  },
  {
    id: 'd2',
    type: 'approval',
    prompt: 'Approve budget allocation?',
    description: '$5k/month: Google (50%), LinkedIn (25%), Meta (15%), Content (10%)',
    required: true,
    default: null,
  },
  {
    id: 'd3',
    type: 'choice',
    prompt: 'Select launch timing',
    options: [
      { value: 'immediate', label: 'Launch immediately' },
      { value: 'next_week', label: 'Launch next Monday' },
      { value: 'next_month', label: 'Wait for Q2' },
    ],
    required: true,
    default: 'next_week',
  },
  {
    id: 'd4',
    type: 'approval',
    prompt: 'Offer 14-day free trial?',
    description: 'No credit card required for trial signup',
    required: false,
    default: true,
  },
]

export const BLOCKING = [
  { task_id: 'TASK-457', description: 'Launch campaign' },
  { task_id: 'TASK-458', description: 'Create landing pages' },
]

type More = {
  readonly artifact?: Json
  readonly source?: Json
  readonly content?: Json
  readonly data?: Json
  readonly handoff?: Json
  readonly lifecycle?: Json
  readonly rest?: Json
}

const dataOf = (data: Json = {}): Json => ({
  context: 'Review the proposed marketing strategy before launch.',
  decisions: DECISIONS,
  blocking: BLOCKING,
  deadline: inHours(31),
  escalation: { after: '24h', to: 'manager@example.com' },
  ...data,
})

export const bodyOf = (data: Json = {}): Json => ({ schema: 'aah:decision/request@1.0', data: dataOf(data) })

/** The example of the proposal, version 0.1. */
export function artifactOf(id: string, more: More = {}): Json {
  const { data = {} } = more
  return {
    aah_version: '0.1',
    artifact: {
      id,
      type: 'decision/request',
      title: 'Approve Marketing Strategy',
      created_at: '2026-02-16T10:00:00Z',
      ...more.artifact,
    },
    source: { agent_id: 'product-manager', task_id: 'TASK-456', ...more.source },
    content: {
      media_type: 'application/vnd.aah.decision-request+json',
      body: bodyOf(data),
      ...more.content,
    },
    handoff: {
      target_role: 'human',
      expects_response: true,
      response_deadline: inHours(31),
      priority: 'high',
      ...more.handoff,
    },
    lifecycle: { status: 'pending', visibility: 'team', ...more.lifecycle },
    ...more.rest,
  }
}

/** The same decisions, as version 0.5 writes them. */
export function sectionedOf(id: string, data: Json = {}, more: Json = {}): Json {
  return {
    aah_version: '0.5',
    artifact: {
      id,
      type: 'decision/request',
      title: 'Approve Marketing Strategy',
      created_at: '2026-02-16T10:00:00Z',
    },
    sections: [
      {
        id: 'main',
        heading: 'Decisions',
        type: 'structured/json',
        body: bodyOf(data),
        agent_id: 'product-manager',
        position: 0,
        created_at: '2026-02-16T10:00:00Z',
        updated_at: '2026-02-16T10:00:00Z',
        version: 1,
      },
    ],
    lifecycle: { status: 'active', visibility: 'team' },
    ...more,
  }
}

/** One decision and nothing beside it. */
export const single = (id: string, decision: Json, more: More = {}): Json =>
  artifactOf(id, {
    ...more,
    data: {
      decisions: [{ id: 'd1', prompt: 'Which one is it?', required: true, ...decision }],
      blocking: [],
      escalation: {},
      ...more.data,
    },
  })

export type Signed = {
  readonly artifact: { readonly id: string; readonly type: string; readonly created_at: string }
  readonly source: Json
  readonly content: { readonly body: { readonly data: Data } }
  readonly sections: readonly { readonly body: { readonly data: Data } }[]
  readonly handoff: { readonly parent_artifact_ids: readonly string[]; readonly target_agent: string }
  readonly lifecycle: Json
  readonly extensions: { readonly interrupt_lane: Json & { readonly signature: string } }
}
type Data = {
  readonly request_id: string
  readonly responses: readonly Json[]
  readonly overall_status: string
  readonly summary: string
}

/** An agent that posts artifacts and reads what becomes of them. */
export function agent(at: () => LaneUnderTest) {
  const pathOf = (id: string): string => `/v1/aah/artifacts/${encodeURIComponent(id)}`
  const post = (body: unknown, options: { readonly key?: string } = {}): Promise<Answer> =>
    at().call('POST', '/v1/aah/artifacts', { body, ...options })
  return {
    pathOf,
    post,
    async opened(body: Json): Promise<Answer> {
      const answer = await post(body)
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
      return answer
    },
    status: async (id: string): Promise<unknown> =>
      ((await at().call('GET', pathOf(id))).json.lifecycle as Json | undefined)?.status,
    async responses(id: string, profile = ''): Promise<readonly Signed[]> {
      const answer = await at().call('GET', `${pathOf(id)}/responses${profile}`)
      expect(answer.status).toBe(200)
      return answer.json.items as readonly Signed[]
    },
  }
}

/** Where each flaw lies that a refusal names. */
export const fieldsOf = (answer: Answer): readonly string[] =>
  ((answer.json.errors ?? []) as { field: string }[]).map(({ field }) => field)
