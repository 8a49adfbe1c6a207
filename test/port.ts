// A port for a server that must be told its own. It lies below those the system gives to outgoing connections and to
// listeners on 0, so that none of them takes it between the look and the server's start; it is chosen by chance,
// because other test files look at the same time.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [FIRST, BEYOND] = [20_000, 32_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, BEYOND)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
