import t from 'tap'
import { planRoute } from '../../../src/domain/routing/plan-route.ts'
import type { RouteInput } from '../../../src/domain/routing/plan-route.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import { compile, health, key, model, policy, price, provider } from './samples.ts'

/** `gpt` at one and two, `llama` at two and three, an embedding model at three, a secret model where the key may not go. */
const COMPILED = compile(
  provider('one', [
    model('gpt', { ...price('4', '8'), aliases: ['smart'], priority: 10, quality: 0.9, countries: ['us'] }),
  ]),
  provider('two', [
    model('gpt', { ...price('3', '6'), priority: 20, countries: ['de'] }),
    model('llama', { ...price('1', '2'), priority: 30, countries: ['de'] }),
  ]),
  provider('three', [
    model('llama', { priority: 40, countries: ['fr'] }),
    model('embed', { capabilities: ['embeddings'], priority: 1 }),
    model('org/slash', { priority: 90, countries: ['fr'] }),
  ]),
  provider('hidden', [model('gpt', { priority: 1 }), model('secret-model', {})]),
  provider('off', [model('gpt')], { enabled: false }),
)

function plan(
  name: string | undefined,
  { tokens = [1, 0], ...fields }: Partial<Omit<RouteInput, 'request'>> & { tokens?: readonly [number, number] } = {},
) {
  const [probablePromptTokens, maxOutputTokens] = tokens
  const request = { model: name, needs: ['chat'], minPromptTokens: 1, probablePromptTokens, maxOutputTokens } as const
  const outcome = planRoute({
    compiled: COMPILED,
    key: key(),
    policy: policy(),
    health: health(),
    nowMs: 0,
    ...fields,
    request,
  })
  if (outcome.type === 'refused') return outcome
  return { ...outcome, ids: outcome.candidates.map(({ deployment }) => deployment.id) }
}

const idsOf = (outcome: ReturnType<typeof plan>): string[] => (outcome.type === 'plan' ? outcome.ids : [])
const errorOf = (outcome: ReturnType<typeof plan>): GatewayError | undefined =>
  outcome.type === 'refused' ? outcome.error : undefined

const AUTO_ORDER = ['one/gpt', 'two/gpt', 'two/llama', 'three/llama', 'three/org/slash']

t.test('an absent model and auto mean all of the key, by priority', async (t) => {
  for (const name of [undefined, 'auto']) {
    const outcome = plan(name)
    t.same(idsOf(outcome), AUTO_ORDER)
    t.match(outcome, { method: 'priority', removed: [{ rule: 'capability', deployment: { id: 'three/embed' } }] })
  }
})

t.test('a scoring method ranks all that is left', async (t) => {
  const outcome = plan('auto', { policy: policy({ scoringMethod: 'cost' }) })
  t.same(idsOf(outcome), ['two/llama', 'two/gpt', 'one/gpt', 'three/llama', 'three/org/slash'])
  t.match(outcome, { method: 'cost' })
})

t.test(
  'what a request will probably not fit into comes after what states that it has room, within its group',
  async (t) => {
    const compiled = compile(
      provider('one', [
        model('a', { priority: 1, contextWindow: 100, maxOutputTokens: 20 }),
        model('b', { priority: 2, contextWindow: 200 }),
      ]),
      provider('two', [model('a', { priority: 4, contextWindow: 300 }), model('c', { priority: 3 })]),
    )
    const order = ['one/a', 'one/b', 'two/c', 'two/a']
    const behind = ['one/b', 'two/c', 'two/a', 'one/a']
    const idsFor = (name: string, prompt: number, answer: number) =>
      idsOf(plan(name, { compiled, tokens: [prompt, answer] }))
    t.same(idsFor('auto', 100, 0), order)
    t.same(idsFor('auto', 101, 0), behind)
    t.same(idsFor('auto', 81, 20), behind)
    t.same(idsFor('auto', 80, 100), order, 'no more than the model writes')
    t.same(idsFor('auto', 250, 0), ['two/c', 'two/a', 'one/a', 'one/b'])
    t.same(idsFor('auto', 1e9, 0), order, 'nobody states enough')
    t.same(idsFor('a', 150, 0), ['two/a', 'one/a', 'one/b', 'two/c'], 'the named model still first')
    t.same(idsFor('one/a', 150, 0)[0], 'one/a')
  },
)

t.test('where no provider is in use the refusal says so', async (t) => {
  const off = compile(provider('one', [model('gpt')], { enabled: false }))
  for (const compiled of [compile(), off]) {
    for (const name of [undefined, 'auto', 'gpt', 'one/gpt', 'nobodys']) {
      t.match(errorOf(plan(name, { compiled })), {
        code: 'no_healthy_provider',
        status: 503,
        retryable: false,
        message: 'there is no model: no provider is in use',
        details: { retryAfterSeconds: undefined },
      })
    }
    t.match(errorOf(plan('auto', { compiled, key: key({ allowAuto: false }) })), { code: 'model_not_allowed' })
  }
})

t.test('where only other keys have a provider in use the refusal is no fault of this one', async (t) => {
  for (const name of ['auto', 'gpt', 'secret-model']) {
    t.match(errorOf(plan(name, { key: key({ providers: ['off'] }) })), {
      code: 'no_healthy_provider',
      retryable: false,
      message: 'there is no model: no provider that this key may use is in use',
    })
  }
})

t.test('a key without auto must name a model', async (t) => {
  for (const name of [undefined, 'auto']) {
    t.match(errorOf(plan(name, { key: key({ allowAuto: false }) })), { code: 'model_not_allowed', status: 403 })
  }
  t.same(idsOf(plan('llama', { key: key({ allowAuto: false }) })).slice(0, 2), ['two/llama', 'three/llama'])
})

t.test('a named model comes first at all its providers, then other models back it up', async (t) => {
  t.same(idsOf(plan('llama')), ['two/llama', 'three/llama', 'one/gpt', 'two/gpt', 'three/org/slash'])
  t.same(idsOf(plan('smart')), ['one/gpt', 'two/gpt', 'two/llama', 'three/llama', 'three/org/slash'], 'by alias')
})

t.test('SameModel leaves a named model without other backups', async (t) => {
  t.same(idsOf(plan('llama', { policy: policy({ fallback: 'SameModel' }) })), ['two/llama', 'three/llama'])
})

t.test('a scoring method ranks within the named model and within its backups', async (t) => {
  const outcome = plan('gpt', { policy: policy({ scoringMethod: 'cost' }) })
  t.same(idsOf(outcome), ['two/gpt', 'one/gpt', 'two/llama', 'three/llama', 'three/org/slash'])
})

t.test('provider/model pins one provider; its backups begin with the same model elsewhere', async (t) => {
  t.same(idsOf(plan('two/gpt')), ['two/gpt', 'one/gpt', 'two/llama', 'three/llama', 'three/org/slash'])
  t.same(idsOf(plan('one/smart')).slice(0, 2), ['one/gpt', 'two/gpt'], 'by alias')
  t.same(idsOf(plan('two/gpt', { policy: policy({ fallback: 'SameModel' }) })), ['two/gpt'])
})

t.test('a model whose own name has a slash is found by it', async (t) => {
  t.equal(idsOf(plan('org/slash'))[0], 'three/org/slash')
  t.equal(idsOf(plan('three/org/slash'))[0], 'three/org/slash')
})

t.test('an exact model name wins over a deployment of the same text', async (t) => {
  const compiled = compile(provider('one', [model('gpt')]), provider('two', [model('one/gpt')]))
  t.equal(idsOf(plan('one/gpt', { compiled }))[0], 'two/one/gpt')
})

t.test('unknown, hidden and switched-off models are not found, in the same words', async (t) => {
  const messages = ['nothing', 'secret-model', 'hidden/gpt', 'off/gpt', '__proto__', 'one/', '/', ''].map((name) => {
    const error = errorOf(plan(name))
    t.match(
      error,
      { code: 'model_not_found', status: 404, details: { param: 'model' }, message: /; the list of models has / },
      name,
    )
    return error?.message.replace(JSON.stringify(name), 'NAME')
  })
  t.equal(new Set(messages).size, 1)
})

t.test('a long name is cut in the message', async (t) => {
  t.ok((errorOf(plan('x'.repeat(100_000)))?.message.length ?? 0) < 300)
})

t.test('a visible model that is not on the list of the key is forbidden', async (t) => {
  const only = key({ models: ['llama'] })
  t.match(errorOf(plan('gpt', { key: only })), { code: 'model_not_allowed', status: 403 })
  t.match(errorOf(plan('one/gpt', { key: only })), { code: 'model_not_allowed', status: 403 })
  t.same(idsOf(plan('llama', { key: only })), ['two/llama', 'three/llama'], 'and no backup either')
  t.same(idsOf(plan('auto', { key: only })), ['two/llama', 'three/llama'])
})

t.test('a key that reaches nothing is told so', async (t) => {
  t.match(errorOf(plan('auto', { key: key({ providers: [] }) })), { code: 'model_not_allowed' })
  t.match(errorOf(plan('auto', { key: key({ models: ['none'] }) })), { code: 'model_not_allowed' })
})

t.test('exclusions bind backups', async (t) => {
  t.same(idsOf(plan('gpt', { policy: policy({ excludeProviders: new Set(['one', 'three']) }) })), [
    'two/gpt',
    'two/llama',
  ])
})

t.test('backups serve where the rules of the request remove the named model', async (t) => {
  const excludeModels = new Set(['gpt'])
  t.same(idsOf(plan('gpt', { policy: policy({ excludeModels }) })), ['two/llama', 'three/llama', 'three/org/slash'])
  t.match(errorOf(plan('gpt', { policy: policy({ excludeModels, fallback: 'SameModel' }) })), {
    code: 'no_eligible_model',
  })
})

t.test('a request whose rules leave nothing is told each candidate and the rule', async (t) => {
  const outcome = plan('auto', { policy: policy({ excludeCountries: new Set(['de', 'fr']), minQuality: 0.95 }) })
  const error = errorOf(outcome)
  t.match(error, { code: 'no_eligible_model', status: 400, retryable: false })
  t.match(error?.message, /one\/gpt: quality \(quality 0\.9 below/)
  t.match(error?.message, /two\/gpt: excluded-country/)
  t.match(error?.message, /three\/embed: excluded-country/)
  t.notMatch(error?.message, /hidden|secret/)
  t.equal(outcome.removed.length, 6)
})

t.test('an embedding model never serves chat', async (t) => {
  t.match(errorOf(plan('embed', { policy: policy({ fallback: 'SameModel' }) })), { code: 'no_eligible_model' })
})

t.test('the list of a refusal is bounded', async (t) => {
  const models = Array.from({ length: 60 }, (_, index) => model(`m${index}`))
  const error = errorOf(plan('auto', { compiled: compile(provider('one', models)), policy: policy({ minQuality: 1 }) }))
  t.equal(error?.message.match(/one\/m/g)?.length, 20)
  t.match(error?.message, /and 40 more/)
})

t.test('cooling down alone is a 503 with the shortest wait', async (t) => {
  const cooling = health({ 'two/llama': 9_500, 'three/llama': 4_100 })
  const error = errorOf(plan('llama', { health: cooling, policy: policy({ fallback: 'SameModel' }), nowMs: 1_000 }))
  t.match(error, { code: 'no_healthy_provider', status: 503, retryable: true, details: { retryAfterSeconds: 4 } })
})

t.test('where all that is cooling down refuses the gateway, asking again is not advised', async (t) => {
  const cooling = { 'two/llama': 9_500, 'three/llama': 4_100 }
  const refusalWith = (refusing: string[]) =>
    errorOf(
      plan('llama', { health: health(cooling, {}, refusing), policy: policy({ fallback: 'SameModel' }), nowMs: 1_000 }),
    )
  const final = refusalWith(['two/llama', 'three/llama'])
  t.match(final, { code: 'no_healthy_provider', status: 503, retryable: false, details: { retryAfterSeconds: 4 } })
  t.match(
    final?.message,
    /cooling down, as its provider refuses this gateway \(its key, account, address or name of the model\)/,
  )
  t.notMatch(final?.message, /two|three/, 'no provider is named')
  const passing = refusalWith(['three/llama'])
  t.match(passing, { retryable: true, details: { retryAfterSeconds: 9 } }, 'the other is waited for')
  t.notMatch(passing?.message, /refuses/)
})

t.test('what is out by the health checks of its provider is not told to be cooling down', async (t) => {
  const out = { 'two/llama': 9_500, 'three/llama': 4_100 }
  const planWith = (failing: string[]) =>
    plan('llama', { health: health(out, {}, [], failing), policy: policy({ fallback: 'SameModel' }), nowMs: 1_000 })
  const all = planWith(['two/llama', 'three/llama'])
  t.match(errorOf(all), { code: 'no_healthy_provider', retryable: true, details: { retryAfterSeconds: 4 } })
  t.match(errorOf(all)?.message, /is out, as the health checks of its provider fail$/)
  t.same(
    all.removed.filter(({ rule }) => rule === 'cooling-down').map(({ detail }) => detail),
    ['the health checks of its provider fail', 'the health checks of its provider fail'],
  )
  const some = errorOf(planWith(['two/llama']))
  t.match(some?.message, /is cooling down, or out as the health checks of its provider fail$/)
})

t.test('a wait below a second is sent as one', async (t) => {
  const error = errorOf(
    plan('org/slash', { health: health({ 'three/org/slash': 10 }), policy: policy({ fallback: 'SameModel' }) }),
  )
  t.equal(error?.details.retryAfterSeconds, 1)
})

t.test('cooling down decides the refusal also where other candidates are removed by rules', async (t) => {
  const outcome = plan('llama', {
    health: health({ 'two/llama': 5_000 }),
    policy: policy({ fallback: 'SameModel', excludeProviders: new Set(['three']) }),
  })
  t.match(errorOf(outcome), { code: 'no_healthy_provider' })
})

t.test('backups serve while the named model cools down', async (t) => {
  t.same(idsOf(plan('gpt', { health: health({ 'one/gpt': 5_000, 'two/gpt': 5_000 }) })), [
    'two/llama',
    'three/llama',
    'three/org/slash',
  ])
})

t.test('the order does not depend on the order of the snapshot', async (t) => {
  const reversed = compile(...COMPILED.snapshot.providers.toReversed())
  for (const name of ['auto', 'gpt', 'two/gpt', 'llama']) {
    for (const scoringMethod of [undefined, 'cost', 'latency', 'quality', 'balanced'] as const) {
      const fields = { policy: policy({ scoringMethod }) }
      t.same(
        idsOf(plan(name, { ...fields, compiled: reversed })),
        idsOf(plan(name, fields)),
        `${name} ${scoringMethod}`,
      )
    }
  }
})
