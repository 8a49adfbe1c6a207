import { expect, test } from 'vitest'
import { Stops } from '../../src/assembly/stops.js'
import { machineClock } from '../../src/clock.js'

const never = new Promise<never>(() => undefined)
function staged() {
  const said: unknown[] = []
  const stopped: string[] = []
  const stops = new Stops((level, words, about) => said.push([level, words, about]), machineClock.monotonic)
  return { stops, said, stopped, note: (name: string) => () => void stopped.push(name) }
}

test('the last that was started is stopped first', async () => {
  const { stops, stopped, note } = staged()
  stops.add(note('ledger'))
  stops.addDraining(note('lane'))
  stops.add(note('door'))
  await stops.run(1_000)
  expect(stopped).toEqual(['door', 'lane', 'ledger'])
})

test('one that fails to stop keeps nothing else from it, and the operator is told', async () => {
  const { stops, stopped, said, note } = staged()
  stops.add(note('ledger'))
  stops.add(() => Promise.reject(new Error('the outbox is gone')))
  stops.add(() => {
    throw new Error('the door is stuck')
  })
  await stops.run(1_000)
  expect(stopped).toEqual(['ledger'])
  expect(said).toEqual([
    ['error', 'a part of the lane did not stop as it should', { why: 'the door is stuck' }],
    ['error', 'a part of the lane did not stop as it should', { why: 'the outbox is gone' }],
  ])
})

test('work that does not end has its time and no more, and what comes after it is stopped still', async () => {
  const { stops, stopped, note } = staged()
  stops.add(note('ledger'))
  stops.addDraining(note('alarms'))
  stops.addDraining(() => never)
  await stops.run(0)
  expect(stopped).toEqual(['alarms', 'ledger'])
})

test('streams and waits hear of it before anything is stopped', async () => {
  const { stops, stopped, note } = staged()
  stops.stopping.addEventListener('abort', note('waits'))
  stops.add(note('door'))
  await stops.run(1_000)
  expect(stopped).toEqual(['waits', 'door'])
})

test('it is stopped once', async () => {
  const { stops, stopped, note } = staged()
  stops.add(note('ledger'))
  await stops.run(1_000)
  await stops.run(1_000)
  expect(stopped).toEqual(['ledger'])
})
