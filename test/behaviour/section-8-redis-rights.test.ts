/** DESIGN section 8: a gateway whose login to Redis may do no more than docs/quotas.md names. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { stateFolder } from '../helpers/cache-scene.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { startAclRedis, until } from '../helpers/redis.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const [, RIGHTS = ''] = /```\n(~tg:q:[^`]*)```/.exec(readFileSync(join(ROOT, 'docs', 'quotas.md'), 'utf8')) ?? []

const LIMITS = `  budgets: [{ window: Total, limitUSD: "100" }, { window: Hour, limitUSD: "50", reset: Rolling }]
  tokenQuotas: [{ window: Minute, limit: 1000000 }]
  rateLimits: { requestsPerMinute: 1000, tokensPerMinute: 1000000, maxConcurrent: 10 }
  policies: { cache: { semantic: { enabled: true, model: e } } }`
const MODELS = [
  '{ name: m, pricing: { input: "1", output: "2" } }',
  '{ name: e, capabilities: [embeddings], pricing: { input: "1", output: "0" } }',
]
const CACHED = { 'cache-control': 'max-age=999' }

t.test('limits, cache, usage and audit need the named rights only', async (t) => {
  const redis = await startAclRedis(
    'gateway',
    'secret',
    RIGHTS.trim().replaceAll('{acme}', '{default}').replaceAll('\n', ' '),
  )
  t.teardown(() => redis.stop())
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('an answer')))
  upstream.otherwise(ok({ data: [{ embedding: [1, 0] }], usage: { prompt_tokens: 3 } }), { path: /embeddings$/ })
  const manifests = {
    'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models: MODELS }), virtualKey({ spec: LIMITS })),
  }
  const args = ['--redis', redis.url, '--state', stateFolder(t)]
  const one = await startGateway(t, { manifests, args })
  const two = await startGateway(t, { manifests, args })
  const ask = async (gateway: typeof one, content: string, headers: Record<string, string> = {}) => {
    const response = await gateway.chat({ messages: [{ role: 'user', content }] }, { ...CACHED, ...headers })
    await response.text()
    return `${response.status} ${response.headers.get('x-gateway-cache')}`
  }
  t.equal(await ask(one, 'How do I reset my password?'), '200 miss')
  for (const kind of ['a', 's']) await until(async () => (await redis.cli('KEYS', `tg:c:*:${kind}:*`)).trim() !== '')
  t.equal(await ask(two, 'How do I reset my password?'), '200 hit-l2')
  t.equal(await ask(one, 'Please tell me how to reset my password'), '200 hit-semantic')
  t.equal(await ask(one, 'something else', { 'x-llm-billing': 'async' }), '200 miss')
  const usage = await fetch(`${one.url}/v1/usage`, { headers: { authorization: `Bearer ${KEY}` } })
  t.equal(usage.status, 200)
  t.match(await usage.json(), { limits: [{ reserved: '0.000000' }] })
  await until(async () => Number(await redis.cli('XLEN', 'tg:audit:{default}')) >= 4)

  await redis.cli('ACL', 'SETUSER', 'gateway', '+xrange', '+scan', '+unlink')
  const sums = await tollgate('audit', '--redis', redis.url, '--sum-by', 'key')
  t.match(sums, /default\/test/)
  t.match(await tollgate('cache', 'purge', '--redis', redis.url, '--organization', 'default'), /^purged; [1-9]/)
  t.equal((await redis.cli('ACL', 'LOG')).trim(), '', 'nothing was refused')
  for (const gateway of [one, two]) t.notMatch(gateway.output(), /quota store lost/)
})

async function tollgate(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'src', 'main.ts'), ...args])
  return stdout
}
