import { configDefaults, defineConfig } from 'vitest/config'

const ci = process.env.CI === 'true'
/** They measure the work of their process: nobody else may leave garbage in it. */
const ALONE = ['test/linear/linear.test.ts', 'test/delivery/fit.test.ts', 'test/email/reading/limits.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/memory.ts'],
    setupFiles: ['test/untouched.ts'],
    // Real servers and browsers start inside tests; two cores share the work. A busy machine is no failure: with CI=true a
    // test has four times as long, and so has what it waits for (test/until.ts).
    testTimeout: ci ? 120_000 : 30_000,
    hookTimeout: ci ? 240_000 : 60_000,
    maxWorkers: 2,
    projects: [
      // To load the same modules in a process for each file takes much of the processor's time: every day files share
      // one, which each leaves as it found it; with CI=true each has its own.
      {
        extends: true,
        test: {
          name: 'house',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          isolate: ci,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
