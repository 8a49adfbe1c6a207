import { defineConfig } from 'vitest/config'

const ci = process.env.CI === 'true'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/memory.ts'],
    // A third of the processor's time is the loading of the same modules in a process for each file: every day they share
    // one, which each file leaves as it found it; with CI=true each has its own.
    isolate: ci,
    setupFiles: ['test/untouched.ts'],
    // Real servers and browsers start inside tests; two cores share the work. A busy machine is no failure: with CI=true a
    // test has four times as long, and so has what it waits for (test/until.ts).
    testTimeout: ci ? 120_000 : 30_000,
    hookTimeout: ci ? 240_000 : 60_000,
    maxWorkers: 2,
  },
})
