// Every day many files share one process, and none of them may find it otherwise than a fresh one: each leaves the
// environment, the place, the timers, the clock and the wire as they were. With CI=true each has a process of its own.
import { afterAll, expect, vi } from 'vitest'

const shared = () => ({
  env: { ...process.env },
  place: process.cwd(),
  mask: process.umask(),
  own: { setTimeout, setInterval, setImmediate, clearTimeout, Date, fetch },
})

const found = shared()
afterAll(() => {
  // Whatever is put back late must not come over the next file.
  vi.restoreAllMocks()
  expect(shared()).toEqual(found)
})
