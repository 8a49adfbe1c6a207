// What is asked and what comes of it: requests, and the approvals that are spent.
import { ok, type Route, text, whole } from './route.js'

export const REQUESTS: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/requests',
    summary: 'Put a typed request before people',
    scopes: ['request'],
    takes: { media: ['application/json'], body: 'Submission' },
    answers: [ok('Case', 'opened; said after the commit', 201), ok('Case', 'the same request again')],
  },
  {
    method: 'get',
    path: '/v1/requests',
    summary: 'List cases, newest first, 50 a page',
    scopes: ['request', 'audit'],
    query: { state: text, run_id: text, cursor: text },
    answers: [ok('CaseList', 'a page')],
  },
  {
    method: 'get',
    path: '/v1/requests/{id}',
    summary: 'One case',
    scopes: ['request', 'audit'],
    answers: [ok('Case', 'the case')],
  },
  {
    method: 'get',
    path: '/v1/requests/{id}/wait',
    summary: 'Wait for the outcome',
    scopes: ['request', 'audit'],
    query: { timeout_seconds: whole(1, 60) },
    answers: [ok('Case', 'resolved'), ok('Case', 'still open', 202)],
  },
  {
    method: 'post',
    path: '/v1/requests/{id}/withdraw',
    summary: 'Take a request back',
    scopes: ['request', 'operate'],
    takes: { media: ['application/json'], body: 'Withdrawal' },
    answers: [ok('Case', 'withdrawn')],
  },
  {
    method: 'post',
    path: '/v1/requests/{id}/erase',
    summary: 'Forget the raw words of every reply to a request',
    scopes: ['operate'],
    answers: [ok('Erased', 'what was forgotten')],
  },
  {
    method: 'post',
    path: '/v1/policy-tokens/spend',
    summary: 'Spend an approval on exactly what was approved; again under the same spend_id',
    scopes: ['request'],
    takes: { media: ['application/json'], body: 'Spending' },
    answers: [ok('Spent', 'spent, now or before under this spend_id')],
  },
  {
    method: 'post',
    path: '/v1/policy-tokens/{jti}/revoke',
    summary: 'Take an approval back before it is spent',
    scopes: ['operate'],
    takes: { media: ['application/json'], body: 'Revocation', optional: true },
    answers: [ok('Revoked', 'revoked')],
  },
]
