// A stop takes no new work and finishes what is under way; whoever only holds the line is hung up on.
import { once } from 'node:events'
import { connect } from 'node:net'
import { it } from 'vitest'
import { startLane } from '../lane-under-test.js'

/** Below the eight seconds after which a stop waits for nobody. */
const BEFORE_PATIENCE_ENDS_MS = 7_000

it(
  'a connection that never asked anything does not hold up a stop',
  async () => {
    const lane = await startLane()
    const socket = connect(Number(new URL(lane.url).port), '127.0.0.1').resume()
    await once(socket, 'connect')
    const hungUp = once(socket, 'close')
    // Once this is answered the server has taken the connection before it, too.
    await lane.call('GET', '/healthz')
    await lane.close()
    await hungUp
  },
  BEFORE_PATIENCE_ENDS_MS,
)
