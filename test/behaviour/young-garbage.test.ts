/**
 * What ended requests leave behind is found dead by the young collector. Where something of theirs is referred to by what
 * is old and dead itself, each request is copied twice and waits for a full collection. @see src/domain/linked-list.ts
 */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { startRedis } from '../helpers/redis.ts'

const CONNECTIONS = 32
/** Of each: enough for tables to become old, and for two dozen collections after that. */
const REQUESTS = 125

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
upstream.otherwise(ok(chatCompletion('What was asked for is done. '.repeat(20))))
const redis = await startRedis()
t.teardown(() => redis.stop())

const manifests = {
  'all.yaml': yaml(
    provider({ name: 'p', url: upstream.url }),
    virtualKey({
      spec: [
        '  policies: { flags: [pii-safe], cache: { exact: { enabled: true } } }',
        '  budgets: [{ window: Month, limitUSD: "1000000" }]',
        '  tokenQuotas: [{ window: Day, kind: Total, limit: 1000000000000 }]',
      ].join('\n'),
    }),
  ),
}

/** Megabytes of the heap before and after each collection of the young in the later half, but for the first after a full one. */
function youngCollections(output: string) {
  const found = [...output.matchAll(/Scavenge ([\d.]+) .*? -> ([\d.]+) |Mark-Compact/g)]
  const sizes = found.map(([, before, after]) => ({ before: Number(before), after: Number(after) }))
  return sizes.slice(sizes.length / 2).flatMap(({ before, after }, index, later) => {
    const last = later[index - 1]
    return last === undefined || Number.isNaN(last.after + after)
      ? []
      : [{ made: before - last.after, kept: after - last.after }]
  })
}

t.test('hardly anything of a request reaches the old generation', async (t) => {
  const gateway = await startGateway(t, {
    manifests,
    args: ['--redis', redis.url],
    nodeFlags: ['--trace-gc', '--min-semi-space-size=8', '--max-semi-space-size=8'],
  })
  let misses = 0
  async function client(name: number): Promise<void> {
    for (let index = 0; index < REQUESTS; index++) {
      const content = `${name} ${index}: please write to maria.rossi@example.com about it. `.repeat(10)
      const response = await gateway.chat({ messages: [{ role: 'user', content }] }, { 'cache-control': 'max-age=60' })
      misses += Number(response.headers.get('x-gateway-cache') === 'miss')
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, name) => client(name)))
  t.equal(misses, CONNECTIONS * REQUESTS)
  const collections = youngCollections(gateway.output())
  t.ok(collections.length > 8, `${collections.length} collections`)
  const made = collections.reduce((sum, each) => sum + each.made, 0)
  const kept = collections.reduce((sum, each) => sum + each.kept, 0)
  // One or two of a hundred; with one Set of responses in progress, fifteen.
  t.ok(kept / made < 0.06, `${kept.toFixed(1)} of ${made.toFixed(1)} MB were kept`)
})
