// Every route of the door, as its description tells it: what it takes, what it answers, and whose key opens it.
type Answer = {
  readonly status: number
  readonly body?: string
  readonly media?: string
  readonly words: string
}
export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly summary: string
  /** Any of these scopes; absent where the route is open. */
  readonly scopes?: readonly string[]
  readonly query?: Readonly<Record<string, unknown>>
  readonly takes?: { readonly media: string; readonly body?: string }
  readonly answers: readonly Answer[]
}

export const HTML = 'text/html'
const NDJSON = 'application/x-ndjson'
const whole = (minimum: number, maximum?: number) => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
})
export const text = { type: 'string' }
const ok = (body: string, words: string, status = 200): Answer => ({ status, body, words })
const said = (status: number, words: string): Answer => ({ status, media: 'text/plain', words })
const hook = (path: string, more: readonly Answer[] = []): Route => ({
  method: 'post',
  path,
  summary: "A provider's webhook, verified by its signature; 404 where the channel takes none",
  answers: [said(200, 'taken'), said(401, 'not proven to come from the provider'), ...more],
})

export const ROUTES: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/requests',
    summary: 'Put a typed request before people',
    scopes: ['request'],
    takes: { media: 'application/json', body: 'Submission' },
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
    takes: { media: 'application/json', body: 'Withdrawal' },
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
    takes: { media: 'application/json', body: 'Spending' },
    answers: [ok('Spent', 'spent, now or before under this spend_id')],
  },
  {
    method: 'post',
    path: '/v1/policy-tokens/{jti}/revoke',
    summary: 'Take an approval back before it is spent',
    scopes: ['operate'],
    takes: { media: 'application/json', body: 'Revocation' },
    answers: [ok('Revoked', 'revoked')],
  },
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
    takes: { media: 'application/json', body: 'RunDecision' },
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
    takes: { media: 'application/octet-stream' },
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
  {
    method: 'post',
    path: '/v1/recipients/{id}/invitations',
    summary: 'Invite a person to link an address of their own',
    scopes: ['operate'],
    takes: { media: 'application/json', body: 'NewInvitation' },
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
    takes: { media: 'application/json', body: 'NewKey' },
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
  {
    method: 'get',
    path: '/r/{handle}',
    summary: 'The reply page; drawing it decides nothing',
    answers: [{ status: 200, media: HTML, words: 'the page' }],
  },
  {
    method: 'post',
    path: '/r/{handle}',
    summary: 'Answer from the reply page',
    takes: { media: 'application/x-www-form-urlencoded', body: 'ReplyForm' },
    answers: [
      { status: 200, media: HTML, words: 'recorded, as a page' },
      ok('Answered', 'recorded, where JSON is asked for'),
    ],
  },
  {
    method: 'get',
    path: '/r/{handle}/blobs/{hash}',
    summary: 'Stored content of this request, as escaped text',
    answers: [{ status: 200, media: HTML, words: 'a page' }],
  },
  hook('/hooks/slack', [
    { status: 200, media: 'application/json', words: 'what the form it came from shows' },
    said(400, 'signed, and not readable'),
    said(503, 'to be sent again'),
    { status: 503, media: 'application/problem+json', body: 'Problem', words: 'to be sent again' },
  ]),
  hook('/hooks/telegram', [said(400, 'verified, and no update')]),
  hook('/hooks/sms', [
    { status: 200, media: 'text/xml', words: 'taken; what the person is told, if anything' },
    said(400, 'signed, and no message'),
  ]),
  hook('/hooks/email/{provider}', [
    said(404, 'no such provider'),
    { status: 404, media: 'application/problem+json', body: 'Problem', words: 'the channel takes none' },
    said(406, 'it carries no raw message'),
    said(503, 'to be sent again'),
    { status: 503, media: 'application/problem+json', body: 'Problem', words: 'to be sent again' },
  ]),
  {
    method: 'get',
    path: '/',
    summary: 'What this is',
    answers: [ok('About', 'name and version'), { status: 200, media: HTML, words: 'the same, as a page' }],
  },
  { method: 'get', path: '/healthz', summary: 'Alive', answers: [ok('Health', 'alive')] },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Able to take a request',
    answers: [ok('Readiness', 'ready, or ready with late alarms'), ok('Readiness', 'not ready', 503)],
  },
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'The public signing keys',
    answers: [ok('Jwks', 'a JWK set')],
  },
  {
    method: 'get',
    path: '/openapi.json',
    summary: 'This description',
    answers: [ok('Anything', 'OpenAPI 3.1')],
  },
]
