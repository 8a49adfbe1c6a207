// Sentences an operator reads instead of a status code.

import { type HttpProblem, jsonOf, type Trouble } from '../client/call.js'
import { isFields } from '../client/case.js'

export function explain(trouble: Trouble, url: string): string[] {
  if (trouble.kind === 'problem') return explainProblem(trouble, url)
  switch (trouble.why) {
    case 'refused':
      return [
        `no lane answers at ${url} (${trouble.detail})`,
        'start one here with `lane serve`, or set LANE_URL to where it runs',
      ]
    case 'unknown_host':
      return [`the host of ${url} is not known (${trouble.detail}); check LANE_URL`]
    case 'timeout':
      return [`the lane at ${url} did not answer in time`]
    case 'interrupted':
      return [`the connection to ${url} broke off (${trouble.detail})`]
  }
}

function explainProblem(problem: HttpProblem, url: string): string[] {
  const told = jsonOf(problem)
  if (!isFields(told)) return [`${url} answered ${problem.status}, and not as a lane does; check LANE_URL`]
  const code = typeof told.code === 'string' ? ` (${told.code})` : ''
  const errors = Array.isArray(told.errors) ? told.errors.filter(isFields) : []
  return [
    `${problem.status}${code}: ${told.detail ?? told.title ?? 'no reason given'}`,
    ...errors.map(
      ({ field, read, accepted }) => `  ${field || 'the body'}: read ${read}; accepted: ${accepted}`,
    ),
    ...(problem.status === 401 ? ['the key is LANE_API_KEY, or data/operator.key beside the lane'] : []),
  ]
}
