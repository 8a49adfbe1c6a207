// The operator's routes, and the auditor's.
import { SCOPES } from '../../ledger/contract.js'
import { ok, type Route, whole } from './route.js'

const NDJSON = 'application/x-ndjson'

export const OPERATOR: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/recipients/{id}/invitations',
    summary: 'Invite a person to link an address of their own',
    scopes: ['operate'],
    takes: { media: ['application/json'], body: 'NewInvitation' },
    answers: [ok('Invitation', 'where it is accepted, once, until it expires', 201)],
  },
  {
    method: 'get',
    path: '/v1/ledger',
    summary: 'Exactly the hashed entries, one a line',
    scopes: ['audit'],
    query: { from: whole(0), limit: whole(1), profile: { enum: ['choir'] } },
    answers: [{ status: 200, media: NDJSON, words: 'entries' }],
  },
  {
    method: 'get',
    path: '/v1/raw-replies',
    summary: 'The raw words beside the ledger, one reply a line',
    scopes: ['audit'],
    answers: [{ status: 200, media: NDJSON, words: 'reply_id, request_id, salt (base64url), raw' }],
  },
  {
    method: 'post',
    path: '/v1/keys',
    summary: 'Make an API key; it is shown this once',
    scopes: ['operate'],
    takes: { media: ['application/json'], body: 'NewKey' },
    answers: [ok('MadeKey', 'made', 201)],
  },
  {
    method: 'get',
    path: '/v1/keys',
    summary: 'List the API keys',
    scopes: ['operate'],
    answers: [ok('Keys', 'without their secrets')],
  },
  {
    method: 'get',
    path: '/v1/keys/self',
    summary: 'The API key this is asked with',
    scopes: [...SCOPES],
    answers: [ok('Key', 'without its secret')],
  },
  {
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key',
    scopes: ['operate'],
    answers: [ok('RevokedKey', 'revoked')],
  },
  {
    method: 'post',
    path: '/v1/signing-keys/rotate',
    summary: 'Sign with a new key from now on',
    scopes: ['operate'],
    answers: [ok('Rotated', 'rotated', 201)],
  },
  {
    method: 'delete',
    path: '/v1/signing-keys/{kid}',
    summary: 'Revoke a signing key at once; what it signed is sent or minted anew',
    scopes: ['operate'],
    answers: [ok('RevokedSigningKey', 'revoked')],
  },
  {
    method: 'get',
    path: '/v1/backup',
    summary: 'A consistent copy of everything but the secret',
    scopes: ['operate'],
    answers: [{ status: 200, media: 'application/vnd.sqlite3', words: 'an SQLite file' }],
  },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Prometheus metrics',
    scopes: ['operate'],
    answers: [{ status: 200, media: 'text/plain', words: 'metrics' }],
  },
]
