// What an agent's run reads and leaves: decisions, doctrine, events, content, and who can be asked.
import { ok, type Route, text, whole } from './route.js'

export const RUNS: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/runs/{id}',
    summary: 'A run: mood, open requests, decisions, AHDB',
    scopes: ['request', 'direct'],
    answers: [ok('Run', 'the run')],
  },
  {
    method: 'post',
    path: '/v1/runs/{id}/decisions',
    summary: "An outside director's decision",
    scopes: ['direct'],
    takes: { media: ['application/json'], body: 'RunDecision' },
    answers: [ok('RunDecided', 'recorded', 201)],
  },
  {
    method: 'get',
    path: '/v1/doctrine',
    summary: 'The doctrine, ready for a prompt',
    answers: [{ status: 200, media: 'text/plain', words: 'the doctrine' }],
  },
  {
    method: 'get',
    path: '/v1/events',
    summary: 'The ledger as server-sent events',
    scopes: ['request', 'audit', 'direct'],
    query: { run_id: text, request_id: text, type: text, from: whole(0) },
    answers: [{ status: 200, media: 'text/event-stream', words: 'id: seq, event: type, data: the entry' }],
  },
  {
    method: 'put',
    path: '/v1/blobs',
    summary: 'Keep content so that a person can open it',
    scopes: ['request'],
    takes: { media: ['application/octet-stream'] },
    answers: [ok('Blob', 'kept', 201), ok('Blob', 'kept before')],
  },
  {
    method: 'get',
    path: '/v1/blobs/{handle}',
    summary: 'Content this key has put',
    scopes: ['request'],
    answers: [{ status: 200, media: 'text/plain', words: 'the bytes' }],
  },
  {
    method: 'get',
    path: '/v1/recipients',
    summary: 'Who can be asked; no addresses',
    scopes: ['request'],
    answers: [ok('Recipients', 'ids, names and channels')],
  },
]
