/** Scenarios 13 and 7 of the operator's tests with calls: failing providers and spent budgets, through a real sidecar. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { PROVIDERS } from '../../../src/operator/kube/resource.ts'
import { chatCompletion } from '../../helpers/answers.ts'
import { ok, status } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import type { FakeProvider } from '../../helpers/fake-provider.ts'
import {
  entry,
  organization,
  provider,
  secret,
  secretOf,
  startWorld,
  SYSTEM,
  virtualKey,
} from '../../helpers/operator.ts'
import { makePod, startCredentialsSource, startPodSidecar } from '../../helpers/pod-sidecar.ts'
import { until } from '../../helpers/redis.ts'

const SECRET_TEXT = 'sk-the-key-of-a-provider-0123456789'

function budget(limitUSD: string): JsonObject {
  return organization({ budgets: [{ window: 'Month', limitUSD }], projects: [{ name: 'web' }] })
}

t.test('providers that fail and budgets that end', async (t) => {
  const world = await startWorld(t, ['team'])
  if (world === undefined) return
  const { plane, redis } = world
  const [main, backup] = [await startFakeProvider(), await startFakeProvider()]
  for (const one of [main, backup]) {
    t.teardown(() => one.close())
    one.otherwise(ok(chatCompletion('hello')))
  }
  const at = (one: FakeProvider, priority: number, healthCheck: JsonObject): JsonObject => ({
    endpoint: { baseURL: `${one.url}/v1`, allowInsecureHTTP: true },
    priority,
    healthCheck,
    failover: { circuitBreaker: { consecutiveFailures: 5, openFor: '1s' } },
  })
  await world.apply(
    secret(SYSTEM, 'provider-main', { apiKey: SECRET_TEXT }),
    secret(SYSTEM, 'provider-backup', { apiKey: SECRET_TEXT }),
    provider('main', at(main, 10, { mode: 'Passive' })),
    provider('backup', at(backup, 20, { mode: 'Active', interval: '1s' })),
    budget('1000'),
    virtualKey('team', 'app', { project: 'web' }),
  )
  const source = await startCredentialsSource(world)
  const { operator } = source
  await plane.kubectl('create', 'serviceaccount', 'app', '-n', 'team')
  const sidecar = await startPodSidecar(t, plane, source, await makePod(plane, 'app-1', source.ca))
  await world.reaches('team/app', 'Ready', 'True Ready')
  const key = entry(await secretOf(world, 'team', 'app-virtual-key'), 'key')
  const call = async () => {
    const answer = await fetch(`${sidecar.data}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: JSON.stringify({ model: 'auto', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
    })
    return `${answer.status} ${/"code":"(\w+)"/.exec(await answer.text())?.[1] ?? ''}`.trim()
  }
  const healthy = async (name: string, wanted: string) => {
    let last = ''
    const isSo = async () => (last = await world.condition(PROVIDERS, undefined, name, 'Healthy')) === wanted
    await until(isSo, 30_000).catch(() => t.fail(`Healthy of ${name} is "${last}", not "${wanted}"`))
  }
  await until(async () => (await call()) === '200')

  t.test('13: a provider whose calls fail is said to be out, and auto uses the backup', async (t) => {
    await healthy('main', 'True NoFailureReported')
    main.otherwise(status(500))
    const [before, answers] = [backup.requests.length, [] as string[]]
    for (let number = 0; number < 6; number++) answers.push(await call())
    t.strictSame([...new Set(answers)], ['200'])
    t.ok(backup.requests.filter(({ method }) => method === 'POST').length > 0 && backup.requests.length > before)
    await healthy('main', 'False CircuitOpen')
    t.equal(await world.condition(PROVIDERS, undefined, 'main', 'Ready'), 'False CircuitOpen')
    main.otherwise(ok(chatCompletion('again')))
    const calls = main.requests.length
    await until(async () => {
      await call()
      return main.requests.length > calls
    })
    await healthy('main', 'True NoFailureReported')
    t.equal((await redis.cli('EXISTS', 'tg:ack:team::circuits')).trim(), '0', 'nothing is left where nothing is open')
  })

  t.test('13: a provider whose checks fail is said to be out, and back when they succeed', async (t) => {
    await healthy('backup', 'True Healthy')
    backup.otherwise(status(500), { path: '/v1/models' })
    await healthy('backup', 'False ProbeFailed')
    t.match(JSON.stringify(await world.read(PROVIDERS, undefined, 'backup')), /"state":"Down"/)
    backup.otherwise(ok({ data: [] }), { path: '/v1/models' })
    await healthy('backup', 'True Healthy')
    t.notOk(operator.output().includes(SECRET_TEXT))
    t.notOk(JSON.stringify(await plane.client.list(PROVIDERS)).includes(SECRET_TEXT))
  })

  t.test('7: calls end a budget, and the keys say so; a larger one lets them pass', async () => {
    await world.apply(budget('0.0008'))
    await until(async () => (await call()) === '429 budget_exceeded')
    await world.reaches('team/app', 'QuotaAvailable', 'False OrganizationBudgetExceeded')
    await world.apply(budget('0.0012'))
    await until(async () => (await call()) === '200')
    await world.reaches('team/app', 'Ready', 'True Ready')
  })

  t.test('14: a flush lets nobody pass who had spent all', async (t) => {
    await until(async () => (await call()) === '429 budget_exceeded')
    await world.reaches('team/app', 'QuotaAvailable', 'False OrganizationBudgetExceeded')
    const answers = new Set<string>()
    let isOver = false
    const calling = (async () => {
      while (!isOver) answers.add(await call())
    })()
    await redis.cli('FLUSHALL')
    await until(async () => (await redis.cli('EXISTS', 'tg:q:{acme}:whole')).trim() === '1')
    await until(() => answers.has('429 budget_exceeded') || answers.has('200'))
    isOver = true
    await calling
    t.notOk(answers.has('200'), [...answers].join())
    await until(async () => (await call()) === '429 budget_exceeded')
  })
})
