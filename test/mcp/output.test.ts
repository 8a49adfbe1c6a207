// The sentences for what is rare: a key or a request that is lost in the middle of a call.
import { expect, test } from 'vitest'
import { sentences } from '../../src/mcp/output.js'

const unknown = (code: string): string => sentences({ kind: 'unknown', id: 'q-1', code, detail: 'why' })

test.each([
  ['unauthenticated', 'report that it needs a valid key.'],
  ['scope_missing', 'report that it needs a key with that scope.'],
  ['not_found', 'The lane no longer has it. Do not call again: report it.'],
])('an outcome that is unknown for %s is reported, and not asked for again', (code, remedy) => {
  expect(unknown(code)).toMatch(/^It could not be learned what became of request q-1/)
  expect(unknown(code)).toContain(remedy)
  expect(unknown(code)).toMatch(/Act as if nobody had answered\.$/)
  expect(unknown(code)).not.toContain('same call again')
})

test('an outcome that is unknown for a lane that is away is asked for again', () => {
  expect(unknown('unreachable')).toContain('Make the same call again, nobody is asked twice by it')
})
