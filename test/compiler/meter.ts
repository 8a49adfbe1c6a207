// Counts the work of the compiler without a clock: V8 tells how often each block of its bundle ran, the engine of
// patterns included.
import { Session } from 'node:inspector/promises'
import { BUNDLE } from './realm.js'

export type Meter = {
  /** Blocks run by it. */
  steps(work: () => unknown): Promise<number>
  stop(): void
}

/** Counting must begin before the code is first compiled, or its blocks carry no counters: load the bundle after this. */
export async function startMeter(): Promise<Meter> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const counts = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const own = result.filter(script => script.url.endsWith(BUNDLE))
    return own
      .flatMap(script => script.functions.flatMap(it => it.ranges))
      .reduce((sum, range) => sum + range.count, 0)
  }
  return {
    async steps(work) {
      await counts()
      work()
      return counts()
    },
    stop: () => session.disconnect(),
  }
}
