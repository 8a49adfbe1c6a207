// What needs no key: what this is, how it is, and what it can do.
import { HTML, ok, type Route } from './route.js'

export const ANYBODY: readonly Route[] = [
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
    answers: [
      ok('Readiness', 'ready, or ready with late alarms or broken seals'),
      ok('Readiness', 'not ready', 503),
    ],
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
