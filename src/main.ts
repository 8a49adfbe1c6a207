// Puts the house together, in stages: keys, channels, the lane, the door, the clocks. Each stage returns its parts
// and notes how they are stopped; everything is stopped in the reverse order, also after a start that failed.
import pino, { type Logger } from 'pino'
import { openChannels } from './assembly/channels.js'
import { startClocks } from './assembly/clocks.js'
import { openDoor } from './assembly/door.js'
import { CannotStart, type House } from './assembly/house.js'
import { type HeldKeys, openKeys } from './assembly/keys.js'
import { openLane } from './assembly/lane.js'
import { openStore } from './assembly/profile.js'
import { giveUp } from './assembly/rollback.js'
import { Stops } from './assembly/stops.js'
import { welcome } from './assembly/welcome.js'
import { instant, machineClock } from './clock.js'
import { type Config, checkConfig, configFileOf, loadConfig } from './config/config.js'
import { keepPrivate } from './config/data-directory.js'
import { type Environment, settings as readSettings, type Settings } from './config/settings.js'
import { type FirstKeys, firstKeys } from './keys/first-keys.js'
import { alone } from './ledger/replica.js'
import type { Say } from './say.js'
import { firstLink } from './session/first-link.js'
import { stamper } from './token/stamp.js'
import { readVersion } from './version.js'

export { CannotStart } from './assembly/house.js'

/** Work under way at SIGTERM has this long; work that is cut short is owed again at the next start. */
const DRAIN_MS = 8_000

export type Running = {
  readonly url: string
  /** Set on the first start only. */
  readonly keys: FirstKeys | null
  close(): Promise<void>
}

type ServeOptions = {
  /** The size of the checkpoint that is given up (`--accept-rollback`). */
  readonly acceptRollback?: number
  /** Whether somebody sees what is printed: then a newcomer is shown a link that signs them in. */
  readonly isTerminal?: boolean
}

export async function serve(
  env: Environment,
  print: (text: string) => void = console.log,
  { acceptRollback, isTerminal = false }: ServeOptions = {},
): Promise<Running> {
  const settings = requireSettings(env)
  const config = await requireConfig(settings)
  const log = pino({ level: settings.logLevel, base: null }, pino.destination({ dest: 2, sync: false }))
  closeToOthers(settings.dataDir, log)
  const house = { ...(await openHouse(settings, config, log, print)), acceptRollback: acceptRollback ?? null }
  const { stops } = house
  try {
    const { url, keys } = await start(house, isTerminal)
    const close = async (): Promise<void> => {
      log.info('stopping: no new work is taken, what is under way is finished')
      await stops.run(DRAIN_MS)
      log.info('stopped')
    }
    return { url, keys, close }
  } catch (error) {
    await stops.run(DRAIN_MS)
    throw error
  }
}

async function openHouse(
  settings: Settings,
  config: Config,
  log: Logger,
  print: (text: string) => void,
): Promise<Omit<House, 'acceptRollback'>> {
  const store = await openStore(settings)
  const say: Say = (level, words, about = {}) => log[level](about, words)
  const stops = new Stops(say, () => machineClock.monotonic())
  stops.add(() => store.ledger.close())
  store.seals.onBroken(what =>
    say('error', 'a seal is broken: somebody has written to the database; it gives no right', { what }),
  )
  const onStale = (error: unknown): void =>
    log.error({ err: error }, 'what another replica changed could not be read; it is tried again')
  const publicUrl = { current: settings.publicUrl }
  return { settings, config, store, version: readVersion(), log, say, stops, publicUrl, print, onStale }
}

async function start(house: House, isTerminal: boolean): Promise<Omit<Running, 'close'>> {
  const { settings, store } = house
  const keys = await openKeys(house)
  const channels = await openChannels(house, keys.ring)
  const laid = openLane(house, keys, channels)
  if (keys.givenUp !== null) await giveUp(keys.givenUp, keys.notary, store.ledger, laid.lane)
  const overdue = await store.ledger.due(store.ledger.now(), Number.MAX_SAFE_INTEGER)
  const opened = await openDoor(house, keys, channels, laid)
  await startClocks(house, keys, channels, laid, opened)
  house.stops.add(await laid.enrolment.start())
  const made = await alone(store, 'start', () =>
    firstKeys(keys.book, settings.apiKey, settings.dataDir, instant(store.ledger.now())),
  )
  greet(house, {
    url: opened.url,
    keys: made,
    printsLinks: channels.printsLinks,
    overdue: overdue.length,
    console: isTerminal ? linkOf(house, keys) : null,
  })
  return { url: opened.url, keys: made }
}

/** The link by which a newcomer signs in, where there is one for them. */
const linkOf = ({ config, publicUrl, store }: House, { ring }: HeldKeys): string | null =>
  firstLink({
    csrf: stamper(ring.current().csrf),
    people: config.recipients,
    publicUrl: publicUrl.current,
    now: store.ledger.now(),
  })

type Greeting = Pick<Parameters<typeof welcome>[0], 'url' | 'keys' | 'printsLinks' | 'console'> & {
  readonly overdue: number
}

function greet(house: House, { overdue, ...greeting }: Greeting): void {
  const { url } = greeting
  const { settings, config, version, say, print } = house
  const publicUrl = house.publicUrl.current
  say('info', startLine(overdue), { url, public_url: publicUrl, version, overdue })
  const recipients = Object.keys(config.recipients)
  print(welcome({ ...greeting, publicUrl, version, settings, recipients }))
}

const startLine = (overdue: number): string =>
  overdue === 0
    ? 'ready; no deadline passed while it was down'
    : `ready; ${overdue} ${overdue === 1 ? 'request was' : 'requests were'} due while it was down`

/** In either profile: the outbox and the operator's key lie there. */
function closeToOthers(dataDir: string, log: Logger): void {
  const { corrected, flaws } = keepPrivate(dataDir)
  if (flaws.length > 0) throw new CannotStart(flaws.join('\n'))
  for (const words of corrected) log.warn(`${words}; who could read it before may have`)
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
