import { defineConfig } from 'vitest/config'

const ci = process.env.CI === 'true'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real servers and browsers start inside tests; two cores share the work. A busy machine is no failure: with CI=true a
    // test has four times as long, and so has what it waits for (test/until.ts).
    testTimeout: ci ? 120_000 : 30_000,
    hookTimeout: ci ? 240_000 : 60_000,
    maxWorkers: 2,
  },
})
