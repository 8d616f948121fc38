import t from 'tap'
import { rankDeployments } from '../../../src/domain/routing/scoring.ts'
import type { ModelEntry, ScoringMethod } from '../../../src/domain/snapshot/snapshot.ts'
import { compile, health, model, price, provider } from './samples.ts'

function rank(
  method: ScoringMethod | undefined,
  models: Record<string, Partial<ModelEntry>>,
  latency: Record<string, number> = {},
) {
  const entries = Object.entries(models).map(([name, fields]) => model(name, fields))
  const measured = Object.fromEntries(Object.entries(latency).map(([name, ms]) => [`one/${name}`, ms]))
  return rankDeployments([compile(provider('one', entries)).deployments], method, health({}, measured))
}

const namesOf = (ranked: ReturnType<typeof rank>): string[] => ranked.map(({ deployment }) => deployment.model.name)

t.test('cost ranks by the sum of both prices, and models without a price last', async (t) => {
  const ranked = rank('cost', { none: {}, dear: price('5', '10'), mid: price('1', '10'), cheap: price('9', '1') })
  t.same(namesOf(ranked), ['cheap', 'mid', 'dear', 'none'])
  t.same([ranked[0]?.score, ranked[3]?.score], [1, 0])
})

t.test('cost puts a model without a price behind a free one', async (t) => {
  t.same(namesOf(rank('cost', { a: {}, free: price('0', '0') })), ['free', 'a'])
})

t.test('latency ranks by the average, and tries what was not measured like the fastest', async (t) => {
  const ranked = rank('latency', { slow: {}, fast: { priority: 200 }, fresh: {} }, { slow: 900, fast: 100 })
  t.same(namesOf(ranked), ['fresh', 'fast', 'slow'])
  t.same(
    ranked.map(({ score }) => score),
    [1, 1, 0],
  )
})

t.test('latency without any measurement falls back to priority', async (t) => {
  t.same(namesOf(rank('latency', { b: { priority: 2 }, a: { priority: 3 }, c: { priority: 1 } })), ['c', 'b', 'a'])
})

t.test('quality ranks by the stated quality', async (t) => {
  t.same(namesOf(rank('quality', { low: { quality: 0.1 }, high: { quality: 0.9 }, mid: { quality: 0.5 } })), [
    'high',
    'mid',
    'low',
  ])
})

t.test('balanced weighs cost 0.4, latency 0.3 and quality 0.3', async (t) => {
  const models = {
    cheap: { ...price('1', '1'), quality: 0.2 },
    fast: { ...price('3', '3'), quality: 0.2 },
    good: { ...price('3', '3'), quality: 0.8 },
  }
  const ranked = rank('balanced', models, { cheap: 500, fast: 100, good: 500 })
  const scores = Object.fromEntries(
    ranked.map(({ deployment, score }) => [deployment.model.name, Math.round(score * 1000) / 1000]),
  )
  t.same(scores, { cheap: 0.4, fast: 0.3, good: 0.3 })
})

t.test('ties go to the lower priority, then the higher weight, then the name', async (t) => {
  const ranked = rank('quality', {
    d: { priority: 2 },
    c: { priority: 1, weight: 1 },
    b: { priority: 1, weight: 1 },
    a: { priority: 1, weight: 5 },
    z: { priority: 0 },
  })
  t.same(namesOf(ranked), ['z', 'a', 'b', 'c', 'd'])
})

t.test('without a method the lowest priority number comes first and balanced ranks within it', async (t) => {
  const ranked = rank(undefined, {
    backup: { ...price('0', '0'), quality: 1, priority: 20 },
    dear: { ...price('9', '9'), priority: 10 },
    cheap: { ...price('1', '1'), priority: 10 },
  })
  t.same(namesOf(ranked), ['cheap', 'dear', 'backup'])
})

t.test('a method outranks priority', async (t) => {
  t.same(
    namesOf(rank('cost', { first: { ...price('9', '9'), priority: 1 }, cheap: { ...price('1', '1'), priority: 99 } })),
    ['cheap', 'first'],
  )
})

t.test('one deployment or none is ranked as well', async (t) => {
  t.same(
    rank('balanced', { only: {} }).map(({ score }) => score),
    [1],
  )
  t.same(rank('cost', {}), [])
})
