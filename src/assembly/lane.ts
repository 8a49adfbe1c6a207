// Third stage: the lane itself, the callers that wait for it, and the counts and warnings made as it commits.
import type { Alarms } from '../deadline/alarms.js'
import { Enrolment } from '../enrolment/enrolment.js'
import type { Entry } from '../event.js'
import { messageOfArtifact } from '../http/artifact.js'
import { messageOfCase, showCase } from '../http/case.js'
import { type Metrics, startMetrics } from '../http/metrics.js'
import { Lane } from '../lane/lane.js'
import { wordsOf } from '../ledger/beside.js'
import type { Say } from '../say.js'
import { allowanceOf, isCallable, URL_WORDS } from '../waiter/address.js'
import { startWaiters, type Waiters } from '../waiter/wait.js'
import type { Channels } from './channels.js'
import type { House } from './house.js'
import type { HeldKeys } from './keys.js'

export type Laid = {
  readonly lane: Lane
  readonly enrolment: Enrolment
  readonly waiters: Waiters
  readonly metrics: Metrics
  readonly keyName: (keyId: string) => string
  /** Set once links can be opened; nothing rings before. */
  readonly alarms: { current: Alarms | null }
}

export function openLane(house: House, { book, ring }: HeldKeys, channels: Channels): Laid {
  const { settings, config, store, stops, say, publicUrl, version } = house
  const alarms: Laid['alarms'] = { current: null }
  const allow = allowanceOf(config.callbacks.allow)
  const keyName = (id: string): string => book.nameOf(id)
  const { directory, rests, absences, passkeys, adapters, printsLinks } = channels
  const lane = new Lane({
    store,
    config,
    directory,
    rests,
    absences,
    passkeys,
    adapters,
    keyring: ring.current,
    publicUrl: () => publicUrl.current,
    keyName,
    onTrouble: (error, about) =>
      house.log.error({ err: error, ...about }, 'something owed could not be done; it stays owed'),
    onAlarm: (subject, at) => alarms.current?.set(subject, at),
    printsLinks,
    hasProvider: settings.oidc !== null,
    ...(settings.webhookSecrets !== null && {
      calls: {
        keys: settings.webhookSecrets,
        allow,
        agent: `interrupt-lane/${version}`,
        show: async subject =>
          (await messageOfArtifact({ store, config, signing: ring }, subject)) ??
          messageOfCase(showCase(subject, { words: await wordsOf(store.shelf, subject.replies) })),
      },
      callback: { words: URL_WORDS, isCallable: url => isCallable(url, allow) },
    }),
  })
  stops.addDraining(() => lane.drain())
  const onUnsettled = (error: unknown): void =>
    house.log.error(
      { err: error },
      'what somebody has said is theirs could not be recorded; it is tried again',
    )
  const enrolment = new Enrolment({ lane, store, config, adapters, directory, onTrouble: onUnsettled })
  const waiters = startWaiters(store.ledger)
  stops.stopping.addEventListener('abort', () => waiters.stop())
  const metrics = startMetrics(store, waiters.waiting)
  store.ledger.onOwnCommit(entries => warnOfFailures(entries, say))
  return { lane, enrolment, waiters, metrics, keyName, alarms }
}

/** Operators look here first when somebody was not reached, or could not answer. */
function warnOfFailures(entries: readonly Entry[], say: Say): void {
  for (const { type, request_id, body } of entries) {
    if (type === 'CODES_RESTED')
      say('warn', 'too many wrong codes came in the name of this person; none is taken', body)
    if (type !== 'DELIVERY_FAILED') continue
    const { channel, recipient, code, attempt, final } = body
    const next = final ? 'it is not tried again there' : 'it is tried again'
    say('warn', `a delivery failed; ${next}`, { request_id, channel, recipient, code, attempt })
  }
}
