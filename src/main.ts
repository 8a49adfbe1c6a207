// Puts the house together: reads what the operator decided, opens the store, starts the rooms in the order in which
// they need each other, and stops them in the reverse order.
import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { outboxWriter, webAdapter } from '../adapters/web/index.js'
import { isOpen } from './agenda/case.js'
import { openStore, startAlarms } from './assembly/profile.js'
import { welcome } from './assembly/welcome.js'
import { openDesk } from './channel/desk.js'
import { startListening } from './channel/listening.js'
import { makeAdapters, warnOfHalves } from './channel/make.js'
import { instant } from './clock.js'
import { GRAMMAR } from './compiler/compile.js'
import {
  type Config,
  checkConfig,
  configFileOf,
  loadConfig,
  OUTBOX_FILE,
  outboxOpen,
} from './config/config.js'
import { keepPrivate, leaveAddress } from './config/data-directory.js'
import {
  configuredChannels,
  defaultUrl,
  type Environment,
  settings as readSettings,
  type Settings,
} from './config/settings.js'
import type { Alarms } from './deadline/alarms.js'
import { within } from './delivery/patience.js'
import type { Entry } from './event.js'
import { showCase } from './http/case.js'
import { Guesses } from './http/guesses.js'
import { startMetrics } from './http/metrics.js'
import { buildServer } from './http/server.js'
import { Watch } from './http/watch.js'
import { type FirstKeys, firstKeys, keepGiven } from './keys/first-keys.js'
import { KeyBook } from './keys/key-book.js'
import { keepRenewing } from './keys/renewal.js'
import { openSecret } from './keys/secret.js'
import { KNOWN_EVERYWHERE_MS, keepKeyring } from './keys/signing.js'
import { NotUnlocked, unlock } from './keys/unlocking.js'
import { Lane } from './lane/lane.js'
import type { Store } from './ledger/contract.js'
import { alone, onEntry } from './ledger/replica.js'
import { Directory } from './people/directory.js'
import { Rests } from './people/rests.js'
import type { Channel } from './request/channel.js'
import { NEWEST_RULES } from './rules.js'
import { reasonOf, type Say } from './say.js'
import { KeyringSealed } from './token/key-row.js'
import { stamper } from './token/stamp.js'
import { readVersion } from './version.js'
import { allowanceOf, isCallable, URL_WORDS } from './waiter/address.js'
import { startWaiters } from './waiter/wait.js'

/** Whatever is under way at SIGTERM has this long; what is cut short is owed again at the next start. */
const DRAIN_MS = 8_000

/** The lane cannot start, and why, in sentences for the operator. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}

export type Running = {
  readonly url: string
  /** Set on the first start only. */
  readonly keys: FirstKeys | null
  close(): Promise<void>
}

export async function serve(env: Environment, print: (text: string) => void = console.log): Promise<Running> {
  const settings = requireSettings(env)
  const config = await requireConfig(settings)
  const log = pino({ level: settings.logLevel, base: null }, pino.destination({ dest: 2, sync: false }))
  closeToOthers(settings.dataDir, log)
  const store = await openStore(settings)
  try {
    return await start(settings, config, store, log, print)
  } catch (error) {
    await store.ledger.close()
    throw error
  }
}

async function start(
  settings: Settings,
  config: Config,
  store: Store,
  log: Logger,
  print: (text: string) => void,
): Promise<Running> {
  const { ledger, shelf } = store
  store.seals.onBroken(what =>
    log.error({ what }, 'a seal is broken: somebody has written to the database; it gives no right'),
  )
  const secret = openSecret(settings.dataDir, settings.secret)
  const version = readVersion()
  const shared = settings.profile === 'cluster'
  const onStale = (error: unknown): void =>
    log.error({ err: error }, 'what another replica changed could not be read; it is tried again')
  const keys = new KeyBook(store)
  const ring = await alone(store, 'start', async () => {
    await unlock(store, secret, {
      type: 'LANE_STARTED',
      body: { version, grammar: GRAMMAR, profile: settings.profile, rules: NEWEST_RULES },
    }).catch(error => {
      throw error instanceof NotUnlocked || error instanceof KeyringSealed
        ? new CannotStart(error.message)
        : error
    })
    await keepGiven(keys, settings.apiKey, instant(ledger.now()))
    return keepKeyring(store, secret, shared ? KNOWN_EVERYWHERE_MS : 0, onStale)
  })
  const keeping = shared ? keys.follow(onStale) : null

  const outbox = outboxWriter(join(settings.dataDir, OUTBOX_FILE))
  const printsLinks = outboxOpen(config, configuredChannels(settings))
  const web = webAdapter({ outbox: printsLinks, write: outbox.write, print })
  const closing = new AbortController()
  const publicUrl = { current: settings.publicUrl }
  const say: Say = (level, words, about = {}) => log[level](about, words)
  warnOfHalves(settings, say)
  const { banners } = config.email
  const { stamp } = stamper(ring.current().messageId)
  const parts = { publicUrl: () => publicUrl.current, say, banners, stamp }
  const made = await makeAdapters(settings, parts).catch(error => {
    throw new CannotStart(reasonOf(error))
  })
  const adapters = new Map([web, ...made].map(adapter => [adapter.channel, adapter]))
  const directory = await Directory.open(config.recipients, shelf)
  const forget = onEntry(ledger, 'RECIPIENT_LINKED', () => directory.refresh(), onStale)
  // What was linked between the reading and the listening: nobody would tell of it again.
  if (shared) await directory.refresh()
  const rests = await Rests.open(store)
  const keyName = (id: string): string => keys.nameOf(id)

  const allow = allowanceOf(config.callbacks.allow)

  let alarms: Alarms | null = null
  const lane = new Lane({
    store,
    config,
    directory,
    rests,
    adapters,
    keyring: ring.current,
    publicUrl: () => publicUrl.current,
    keyName,
    onTrouble: (error, about) =>
      log.error({ err: error, ...about }, 'something owed could not be done; it stays owed'),
    onAlarm: (subject, at) => alarms?.set(subject, at),
    ...(settings.webhookSecrets !== null && {
      calls: { keys: settings.webhookSecrets, allow, agent: `interrupt-lane/${version}`, show: showCase },
    }),
  })
  const waiters = startWaiters(ledger, async id => {
    const subject = await lane.current(id)
    return subject === null || !isOpen(subject)
  })
  const metrics = startMetrics(store, waiters.waiting)
  ledger.onOwnCommit(entries => warnOfFailures(entries, log))
  const onStranger = (channel: Channel): void => metrics.strangers.inc({ why: `unknown_${channel}` })
  const desk = (channel: Channel) => openDesk(channel, { lane, store, directory, keyName, onStranger })
  const app = buildServer(
    {
      lane,
      store,
      config,
      adapters,
      desk,
      keys,
      keyring: ring.current,
      signing: ring,
      waiters,
      page: web,
      printsLinks,
      csrf: stamper(ring.current().csrf),
      publicUrl: () => publicUrl.current,
      metrics,
      guesses: new Guesses(() => ledger.now()),
      watch: new Watch(
        () => ledger.now(),
        (about, words) => log.warn(about, words),
      ),
      alarmTroubles: () => alarms?.troubles() ?? [],
      version,
      now: () => ledger.now(),
      closing: closing.signal,
      ...(settings.webhookSecrets !== null && {
        callback: { words: URL_WORDS, isCallable: url => isCallable(url, allow) },
      }),
    },
    {
      trustProxy: settings.trustProxy,
      prefix: new URL(settings.publicUrl).pathname.replace(/\/$/, ''),
      isHttps: settings.publicUrl.startsWith('https:'),
    },
    log,
  )

  const overdue = await ledger.due(ledger.now(), Number.MAX_SAFE_INTEGER)
  await app.listen({ host: settings.host, port: settings.port })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : settings.port
  const url = defaultUrl(settings.host, port)
  if (!settings.publicUrlGiven) publicUrl.current = url
  leaveAddress(settings.dataDir, url)
  // Alarms start once links can be opened: a link that is sent before that would lead nowhere.
  const ringing = await startAlarms(settings, store, id => lane.advance(id), say)
  alarms = ringing
  const listening = startListening(adapters.values(), store, desk, say)
  const madeKeys = await alone(store, 'start', () =>
    firstKeys(keys, settings.apiKey, settings.dataDir, instant(ledger.now())),
  ).catch(async error => {
    await finish(app, listening, ringing, lane)
    throw error
  })
  const renewing = keepRenewing({ lane, ledger, ring, onTrouble: onStale })
  log.info(
    { url, public_url: publicUrl.current, version, overdue: overdue.length },
    startLine(overdue.length),
  )
  const recipients = Object.keys(config.recipients)
  print(
    welcome({
      url,
      publicUrl: publicUrl.current,
      version,
      keys: madeKeys,
      settings,
      printsLinks,
      recipients,
    }),
  )

  return {
    url,
    keys: madeKeys,
    async close() {
      log.info('stopping: no new work is taken, what is under way is finished')
      closing.abort()
      waiters.stop()
      renewing.stop()
      await within(DRAIN_MS, finish(app, listening, ringing, lane), undefined)
      keeping?.stop()
      forget()
      rests.stop()
      ring.stop()
      await outbox.close()
      await ledger.close()
      log.info('stopped')
    },
  }
}

/** In either profile: the outbox and the operator's key lie there. */
function closeToOthers(dataDir: string, log: Logger): void {
  const { corrected, flaws } = keepPrivate(dataDir)
  if (flaws.length > 0) throw new CannotStart(flaws.join('\n'))
  for (const words of corrected) log.warn(`${words}; who could read it before may have`)
}

/** Who looks for why somebody was not asked, or could not answer, looks here first. */
function warnOfFailures(entries: readonly Entry[], log: Logger): void {
  for (const { type, request_id, body } of entries) {
    if (type === 'CODES_RESTED')
      log.warn(body, 'too many wrong codes came in the name of this person; none is taken')
    if (type !== 'DELIVERY_FAILED') continue
    const { channel, recipient, code, attempt, final } = body
    const next = final ? 'it is not tried again there' : 'it is tried again'
    log.warn({ request_id, channel, recipient, code, attempt }, `a delivery failed; ${next}`)
  }
}

const startLine = (overdue: number): string =>
  overdue === 0
    ? 'ready; no deadline passed while it was down'
    : `ready; ${overdue} ${overdue === 1 ? 'request was' : 'requests were'} due while it was down`

async function finish(
  app: { close(): Promise<unknown> },
  listening: { stop(): Promise<void> },
  alarms: { stop(): Promise<void> },
  lane: Lane,
): Promise<undefined> {
  await listening.stop()
  await app.close()
  await alarms.stop()
  await lane.drain()
}

function requireSettings(env: Environment): Settings {
  const read = readSettings(env)
  if (!read.ok) throw new CannotStart(read.problems.map(problem => problem.message).join('\n'))
  return read.settings
}

async function requireConfig(settings: Settings): Promise<Config> {
  const file = configFileOf(settings)
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new CannotStart(loaded.problems.map(problem => problem.message).join('\n'))
  const problems = checkConfig(loaded.config, settings)
  if (problems.length > 0) throw new CannotStart(problems.map(line => `${file}: ${line}`).join('\n'))
  return loaded.config
}
