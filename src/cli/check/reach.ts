// The lane from outside: its answer, its clock against ours, and the address in people's links.

import { isFields } from '../../client/case.js'
import { isLoopback } from '../../config/loopback.js'
import type { Settings } from '../../config/settings.js'
import { configuredChannels } from '../../config/settings.js'
import { JUMP_MS } from '../../ledger/clock.js'
import { reasonOf } from '../../say.js'
import { sayDuration } from '../duration.js'
import { schemeHint } from '../tell.js'
import { type Finding, fail, ok, warn } from './finding.js'

const PATIENCE_MS = 5_000
/** A Date header has whole seconds, and an answer takes some time. */
const CLOSE_ENOUGH_MS = 5_000

type Seen =
  | { readonly ok: true; readonly status: number; readonly body: unknown; readonly date: number }
  | { readonly ok: false; readonly why: string }

async function look(url: string): Promise<Seen> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
    const text = await response.text()
    const date = Date.parse(response.headers.get('date') ?? '')
    return { ok: true, status: response.status, body: parsed(text), date }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    // A DOMException has a number for a code, which says nothing to anybody.
    return { ok: false, why: typeof code === 'string' ? code : reasonOf(cause) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export async function checkLane(url: string, version: string, now: () => number): Promise<Finding[]> {
  const seen = await look(`${url}/readyz`)
  if (!seen.ok) {
    const remedy = schemeHint(url, seen.why) ?? 'start it with `lane serve`, or set LANE_URL to where it runs'
    return [fail('lane', `nothing answers at ${url} (${seen.why})`, remedy)]
  }
  return [judgeReady(seen.status, seen.body, url, version), judgeClock(seen.date, now())]
}

export function judgeReady(status: number, body: unknown, url: string, version: string): Finding {
  if (!isFields(body) || !isFields(body.checks))
    return fail(
      'lane',
      `${url} answers ${status}, and not as a lane does`,
      'check LANE_URL and the proxy before it',
    )
  const checks = Object.entries(body.checks).map(([name, result]) => `${name} ${result}`)
  if (status !== 200) return fail('lane', `not ready: ${checks.join(', ')}`, 'see the log of the lane')
  if (body.version !== undefined && body.version !== version)
    return warn(
      'lane',
      `the lane at ${url} is ${body.version}, this command ${version}`,
      'run the same version',
    )
  if (body.status === 'degraded') return judgeDegraded(body.checks, checks.join(', '))
  return ok('lane', `version ${version} is ready at ${url} (${checks.join(', ')})`)
}

/** Late alarms are late by seconds, a warning; a broken seal is somebody's deed, a failure. */
function judgeDegraded({ seals }: Readonly<Record<string, unknown>>, checks: string): Finding {
  return seals === undefined || seals === 'ok'
    ? warn('lane', `ready, with late alarms: ${checks}`, 'see to Redis; deadlines are kept')
    : fail(
        'lane',
        `ready, with broken seals: ${checks}`,
        'find out who can write to the database past the lane',
      )
}

export function judgeClock(theirs: number, ours: number): Finding {
  if (Number.isNaN(theirs))
    return warn('clock', 'the lane says no time', 'let the proxy pass its Date header')
  const apart = Math.abs(theirs - ours)
  if (apart <= CLOSE_ENOUGH_MS) return ok('clock', "the lane's clock and this one agree")
  const message = `the lane's clock is ${sayDuration(apart)} ${theirs > ours ? 'ahead of' : 'behind'} this one`
  const remedy = 'run a time service (chrony, systemd-timesyncd) on both machines'
  return apart > JUMP_MS ? fail('clock', message, remedy) : warn('clock', message, remedy)
}

/** Without PUBLIC_URL, links lead to the lane's own address. */
const addressOf = ({ publicUrl, publicUrlGiven, laneUrl }: Settings): string =>
  publicUrlGiven ? publicUrl : laneUrl

export async function checkPublicUrl(settings: Settings): Promise<Finding[]> {
  const url = addressOf(settings)
  const seen = await look(`${url}/healthz`)
  const wellSaid = seen.ok && seen.status === 200 && isFields(seen.body) && seen.body.status === 'ok'
  const hints = hintsOf(settings)
  if (wellSaid) return [ok('public url', `${url} reaches the lane`), ...hints]
  // This is then the lane's own address: `checkLane` reports that no lane answers there, with the remedy.
  if (!settings.publicUrlGiven) return hints
  const found = seen.ok
    ? `answers ${seen.status}, and not as the lane does`
    : `is not reachable (${seen.why})`
  const remedy = `PUBLIC_URL must lead to the lane from where people are: check DNS, the proxy and its path`
  return [fail('public url', `${url}/healthz ${found}`, remedy), ...hints]
}

/** Addresses that work from here and not from a person's phone. */
export function hintsOf(settings: Settings): Finding[] {
  const url = addressOf(settings)
  const { hostname, protocol } = new URL(url)
  const local = isLoopback(hostname)
  if (local && configuredChannels(settings).some(channel => channel !== 'web')) {
    const message = `links lead to ${url}, which only this machine can open`
    return [warn('public url', message, 'set PUBLIC_URL to the address people reach')]
  }
  if (local || protocol === 'https:') return []
  const message = 'links and codes travel unencrypted over http'
  return [warn('public url', message, 'put a proxy with https before the lane, and set PUBLIC_URL to it')]
}
