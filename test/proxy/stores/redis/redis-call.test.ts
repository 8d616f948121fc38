import t from 'tap'
import { Generation } from '../../../../src/proxy/stores/redis/redis-call.ts'
import { RedisUnavailableError } from '../../../../src/proxy/stores/redis/redis-errors.ts'
import type { RedisWire } from '../../../../src/proxy/stores/redis/redis-wire.ts'

/** Of a server that is frozen, with its sockets open. */
const FROZEN: RedisWire = { send: never, sendToAll: never, destroy: () => undefined }
const EVENTS = { stalled: () => undefined, failed: (error: unknown) => error }

t.test('a call that is late already when the clock is set again is given up without a warning', async (t) => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  t.teardown(() => process.off('warning', warned))
  const generation = new Generation(FROZEN, 1_000, EVENTS)
  const calls = [20, 60].map((timeoutMs) => generation.awaitReply(never(), timeoutMs))
  // Rings in the same turn as the clock, and keeps the process busy until after the second call's bound.
  setTimeout(() => {
    for (const end = performance.now() + 100; performance.now() < end;);
  }, 20)
  for (const call of calls) await t.rejects(call, RedisUnavailableError)
  generation.retire()
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(warnings, [])
})

t.test('a call on a connection that was given up with none waiting ends too', async (t) => {
  const generation = new Generation(FROZEN, 1_000, EVENTS)
  await generation.awaitReply(Promise.resolve('PONG'), 50)
  generation.retire()
  await t.rejects(generation.awaitReply(never(), 100), RedisUnavailableError)
})

t.test('calls that are never answered end when their connection is given up under them', async (t) => {
  const generation = new Generation(FROZEN, 1_000, EVENTS)
  const calls = [20, 40, 60].map((timeoutMs) => generation.awaitReply(never(), timeoutMs))
  generation.retire()
  for (const call of calls) await t.rejects(call, RedisUnavailableError)
})

t.test('an error reply to a call that was given up is not made good for', async (t) => {
  const generation = new Generation(FROZEN, 1_000, EVENTS)
  const late = Promise.withResolvers<unknown>()
  let recoveries = 0
  const recover = () => {
    recoveries++
    return Promise.resolve('sent again')
  }
  await t.rejects(generation.awaitReply(late.promise, 20, recover), RedisUnavailableError)
  late.reject(new Error('NOSCRIPT No matching script.'))
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(recoveries, 0)
  t.equal(generation.inFlight, 0)
  t.equal(await generation.awaitReply(Promise.reject(new Error('NOSCRIPT')), 20, recover), 'sent again')
  generation.retire()
})

function never(): Promise<never> {
  return new Promise(() => undefined)
}
