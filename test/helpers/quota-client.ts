/**
 * A process that uses a budget as a proxy would, to be killed: `node quota-client.ts URL NAME COUNT`.
 * Sends 200-odd admissions at once, settles a third of those admitted, tells its parent and waits with the rest open.
 */
import { connectRedis } from '../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../src/proxy/stores/redis/redis-quota-store.ts'
import { charge, KILL_TEST_PLAN, need } from './quota.ts'

const [, , url = '', name = '', count = '0'] = process.argv
const redis = connectRedis(url, { callTimeoutMs: 20_000 })
await redis.waitUntilReady(20_000)
const store = new RedisQuotaStore(redis)
let settled = 0

async function request(index: number): Promise<'refused' | 'settled' | 'open'> {
  const admission = await store.admit({ id: `${name}-${index}`, plan: KILL_TEST_PLAN, need: need(100) })
  if (admission.type === 'refused') return 'refused'
  if (index % 3 !== 0) return 'open'
  await store.settle(admission.reservation, charge(40))
  settled += 40
  return 'settled'
}

const outcomes = await Promise.all(Array.from({ length: Number(count) }, (_, index) => request(index)))
const open = outcomes.filter((outcome) => outcome === 'open').length
process.send?.({ settled, open })
// Keeps the process, and with it the reservations, until it is killed.
setInterval(() => undefined, 1_000)
