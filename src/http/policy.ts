// A run proves its right to act here: a policy token is spent, once, on exactly the approved action and parameters;
// and an operator can take one back.
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Spent } from '../director/spend.js'
import { ID, ID_WORDS } from '../request/field.js'
import { refusalOf } from '../request/refusal.js'
import { holdsSecret } from '../request/secrecy.js'
import { callerOf, type Door } from './door.js'
import { problemCodes, type Refusals, refuse } from './problem.js'
import { ok, type Route, type RouteRequest, route, takesJson } from './route.js'
import { REASON_WORDS, revocation } from './withdrawal.js'

/** As many as an approval may have; their names and handles are judged by their hash. */
const MAX_PARAMETERS = 20
const LONGEST = 256
const TOKEN_WORDS = 'the string of decision.policy_token'
const ACTION_WORDS = 'the action that was approved, such as PUBLISH'
const PARAMETERS_WORDS = `the parameters that were approved: 1 to ${MAX_PARAMETERS} names, each with its handle`

const spending = z.strictObject({
  token: z.string({ error: TOKEN_WORDS }).min(1, { error: TOKEN_WORDS }).max(4096, { error: TOKEN_WORDS }),
  action: z
    .string({ error: ACTION_WORDS })
    .min(1, { error: ACTION_WORDS })
    .max(LONGEST, { error: ACTION_WORDS }),
  parameters: z
    .record(z.string().max(LONGEST), z.string({ error: PARAMETERS_WORDS }).max(LONGEST), {
      error: PARAMETERS_WORDS,
    })
    .refine(given => Object.keys(given).length >= 1 && Object.keys(given).length <= MAX_PARAMETERS, {
      error: PARAMETERS_WORDS,
    })
    .meta({ minProperties: 1, maxProperties: MAX_PARAMETERS }),
  spend_id: z
    .string({ error: ID_WORDS })
    .regex(ID, { error: ID_WORDS })
    // It is written into the ledger for good.
    .refine(id => !holdsSecret(id), { error: `${ID_WORDS}, and not an API key` }),
})

const REFUSALS: Refusals<Extract<Spent, { kind: 'refused' }>['why']> = {
  invalid: ['policy_token_invalid', 'This is not a policy token that this lane has issued.'],
  mismatch: [
    'policy_mismatch',
    'A policy token is good for the key that opened the approval, its action and exactly its parameters.',
  ],
  already_spent: [
    'already_spent',
    'The policy token was spent under another spend_id. Ask for a new approval.',
  ],
  expired: ['policy_token_expired', 'The approval is too old to act on. Ask for a new one.'],
  revoked: ['policy_token_revoked', 'The approval was taken back before it was spent.'],
}

export const POLICY_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/policy-tokens/spend',
    operationId: 'spendPolicyToken',
    summary: 'Spend an approval on exactly what was approved; again under the same spend_id',
    scopes: ['request'],
    takes: takesJson('Spending', spending),
    answers: [ok('Spent', 'spent, now or before under this spend_id')],
    refuses: ['invalid_request', ...problemCodes(REFUSALS)],
    handle: spend,
  }),
  route({
    method: 'post',
    path: '/v1/policy-tokens/{jti}/revoke',
    operationId: 'revokePolicyToken',
    summary: 'Take an approval back before it is spent',
    scopes: ['operate'],
    takes: { ...takesJson('Revocation', revocation), optional: true },
    answers: [ok('Revoked', 'revoked, now or before')],
    refuses: ['invalid_request', 'already_spent'],
    handle: revoke,
  }),
]

async function spend({ lane }: Door, request: RouteRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = spending.safeParse(request.body)
  if (!body.success) {
    const errors = refusalOf(request.body, body.error.issues)
    return refuse(reply, 'invalid_request', 'The body is {token, action, parameters, spend_id}.', errors)
  }
  const { token, action, parameters, spend_id } = body.data
  const by = callerOf(request).key_id
  const result = await lane.director.spend(token, { action, parameters, spend_id, by })
  if (result.kind === 'refused') return refuse(reply, ...REFUSALS[result.why])
  return reply.send({ jti: result.jti, action, spend_id, spent_at: result.at })
}

async function revoke(
  { lane }: Door,
  request: RouteRequest<'jti'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = revocation.safeParse(request.body ?? {})
  if (!body.success)
    return refuse(reply, 'invalid_request', `The body is {"reason": ${REASON_WORDS}}, or none at all.`)
  const { jti } = request.params
  const { reason = NO_REASON } = body.data
  const result = await lane.director.revoke(jti, reason, callerOf(request).key_id)
  switch (result.kind) {
    case 'unknown':
      return refuse(reply, 'not_found', 'There is no policy token with that jti.')
    case 'already_spent':
      return refuse(reply, 'already_spent', 'The policy token was spent before it could be revoked.')
    case 'revoked':
      return reply.send({ jti, revoked_at: result.at })
  }
}

/** The ledger's words when an operator gives no reason. */
const NO_REASON = 'revoked by an operator'
