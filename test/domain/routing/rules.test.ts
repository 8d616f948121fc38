import t from 'tap'
import { compileRules } from '../../../src/domain/routing/rules.ts'
import type { RuleInput } from '../../../src/domain/routing/rules.ts'
import type { RemovalRule } from '../../../src/domain/routing/route.ts'
import type { ModelEntry, ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { parsePricePer1K } from '../../../src/domain/quota/money.ts'
import { compile, deploymentOf, health, key, model, policy, price, provider } from './samples.ts'

interface Case {
  readonly name: string
  readonly model?: Partial<ModelEntry>
  readonly provider?: Partial<ProviderEntry>
  readonly input?: Partial<RuleInput>
  readonly rule: RemovalRule | undefined
  readonly detail?: RegExp
}

const chat = {
  model: undefined,
  needs: ['chat'],
  minPromptTokens: 0,
  probablePromptTokens: 0,
  maxOutputTokens: 0,
} as const

function removalOf(test: Case) {
  const compiled = compile(provider('one', [model('gpt', test.model)], test.provider))
  const input: RuleInput = {
    access: key().access,
    policy: policy(),
    request: chat,
    health: health(),
    nowMs: 1000,
    ...test.input,
  }
  return compileRules(input)(deploymentOf(compiled, 'one/gpt'))
}

const excludeModels = (...names: string[]): Partial<RuleInput> => ({
  policy: policy({ excludeModels: new Set(names) }),
})
const excludeCountries = (...names: string[]): Partial<RuleInput> => ({
  policy: policy({ excludeCountries: new Set(names) }),
})
const maxCost = (per1K: string): Partial<RuleInput> => ({ policy: policy({ maxCost: parsePricePer1K(per1K) }) })
const access = (...models: string[]): Partial<RuleInput> => ({ access: key({ models }).access })

const CASES: Case[] = [
  { name: 'nothing is asked', rule: undefined },
  { name: 'the model is on the list', input: access('gpt'), rule: undefined },
  { name: 'an alias is on the list', model: { aliases: ['fast'] }, input: access('fast'), rule: undefined },
  { name: 'a suffix glob fits', input: access('gp*'), rule: undefined },
  { name: 'a star in the middle is no glob', input: access('g*t'), rule: 'not-allowed' },
  { name: 'the list has other models', input: access('other', 'gpt-4*'), rule: 'not-allowed' },
  {
    name: 'the upstream name is no name of the list',
    model: { upstreamName: 'up' },
    input: access('up'),
    rule: 'not-allowed',
  },
  {
    name: 'the provider is excluded',
    input: { policy: policy({ excludeProviders: new Set(['one']) }) },
    rule: 'excluded-provider',
    detail: /one/,
  },
  {
    name: 'another provider is excluded',
    input: { policy: policy({ excludeProviders: new Set(['two', 'on']) }) },
    rule: undefined,
  },
  {
    name: 'the provider is excluded in capitals',
    input: { policy: policy({ excludeProviders: new Set(['ONE']) }) },
    rule: 'excluded-provider',
  },
  {
    name: 'the model is excluded by name',
    input: excludeModels('gpt'),
    rule: 'excluded-model',
    detail: /x-llm-exclude-models/,
  },
  {
    name: 'the model is excluded by alias',
    model: { aliases: ['fast'] },
    input: excludeModels('fast'),
    rule: 'excluded-model',
  },
  {
    name: 'the model is excluded by upstream name',
    model: { upstreamName: 'gpt-2025' },
    input: excludeModels('gpt-2025'),
    rule: 'excluded-model',
  },
  {
    name: 'the model is excluded by provider and upstream name',
    model: { upstreamName: 'gpt-2025' },
    input: excludeModels('one/gpt-2025'),
    rule: 'excluded-model',
  },
  { name: 'the model is excluded by provider and name', input: excludeModels('one/gpt'), rule: 'excluded-model' },
  {
    name: 'the model is excluded by provider and alias',
    model: { aliases: ['fast'] },
    input: excludeModels('one/fast'),
    rule: 'excluded-model',
  },
  { name: 'the model is excluded at another provider', input: excludeModels('two/gpt'), rule: undefined },
  { name: 'the model is excluded as Gemini lists it', input: excludeModels('models/gpt'), rule: 'excluded-model' },
  { name: 'models are excluded as Gemini lists them', input: excludeModels('models/gp*'), rule: 'excluded-model' },
  { name: 'the beginning of that is none of a model', input: excludeModels('m*', 'models/'), rule: undefined },
  { name: 'the model is excluded in capitals', input: excludeModels('GPT'), rule: 'excluded-model' },
  { name: 'the model is excluded by a glob', input: excludeModels('gp*'), rule: 'excluded-model' },
  {
    name: 'its only country is excluded',
    model: { countries: ['us'] },
    input: excludeCountries('us'),
    rule: 'excluded-country',
    detail: /us/,
  },
  {
    name: 'one of its countries is excluded',
    model: { countries: ['de', 'us'] },
    input: excludeCountries('us'),
    rule: 'excluded-country',
  },
  {
    name: 'gb is excluded, and its is uk',
    model: { countries: ['uk'] },
    input: excludeCountries('gb'),
    rule: 'excluded-country',
  },
  {
    name: 'uk is excluded, and its is gb',
    model: { countries: ['gb'] },
    input: excludeCountries('uk'),
    rule: 'excluded-country',
  },
  {
    name: 'it may be anywhere in the eu, and a country of it is excluded',
    model: { countries: ['eu'] },
    input: excludeCountries('de'),
    rule: 'excluded-country',
  },
  {
    name: 'the eu is excluded, and it is in one of its countries',
    model: { countries: ['fr'] },
    input: excludeCountries('eu'),
    rule: 'excluded-country',
  },
  {
    name: 'the eurozone is excluded, and it is in the eu',
    model: { countries: ['eu'] },
    input: excludeCountries('ez'),
    rule: 'excluded-country',
  },
  {
    name: 'the eurozone is excluded, and it is in a country with money of its own',
    model: { countries: ['se'] },
    input: excludeCountries('ez'),
    rule: undefined,
  },
  {
    name: 'the eu is excluded, and it is in none of its countries',
    model: { countries: ['ch'] },
    input: excludeCountries('eu'),
    rule: undefined,
  },
  {
    name: 'it may be anywhere in the eu, and another country is excluded',
    model: { countries: ['eu'] },
    input: excludeCountries('us'),
    rule: undefined,
  },
  { name: 'another country is excluded', model: { countries: ['de'] }, input: excludeCountries('us'), rule: undefined },
  {
    name: 'the country of its provider is excluded',
    model: { countries: ['de'] },
    provider: { countries: ['us'] },
    input: excludeCountries('us'),
    rule: 'excluded-country',
  },
  {
    name: 'only its provider states a country, another one',
    provider: { countries: ['fr'] },
    input: excludeCountries('us'),
    rule: undefined,
  },
  {
    name: 'it states no country',
    input: excludeCountries('us'),
    rule: 'excluded-country',
    detail: /states no country/,
  },
  {
    name: 'the input price is above the limit',
    model: price('6', '1'),
    input: maxCost('0.005'),
    rule: 'cost',
    detail: /input price 0\.006 above 0\.005 .*x-llm-max-cost or a policy/,
  },
  {
    name: 'the output price is above the limit',
    model: price('1', '6'),
    input: maxCost('0.005'),
    rule: 'cost',
    detail: /output price 0\.006/,
  },
  { name: 'the larger price is the limit', model: price('1', '5'), input: maxCost('0.005'), rule: undefined },
  { name: 'it is free and the limit is 0', model: price('0', '0'), input: maxCost('0'), rule: undefined },
  { name: 'it has no price and there is a limit', input: maxCost('100'), rule: 'cost', detail: /no price/ },
  {
    name: 'its quality is too low',
    model: { quality: 0.69 },
    input: { policy: policy({ minQuality: 0.7 }) },
    rule: 'quality',
    detail: /0\.69 below 0\.7, .*x-llm-min-quality or a policy/,
  },
  {
    name: 'its quality is just enough',
    model: { quality: 0.7 },
    input: { policy: policy({ minQuality: 0.7 }) },
    rule: undefined,
  },
  { name: 'it only makes embeddings', model: { capabilities: ['embeddings'] }, rule: 'capability', detail: /chat/ },
  {
    name: 'it lacks tools',
    input: { request: { ...chat, needs: ['chat', 'tools', 'vision'] } },
    rule: 'capability',
    detail: /tools, vision/,
  },
  {
    name: 'the prompt leaves room for one token',
    model: { contextWindow: 11 },
    input: { request: { ...chat, minPromptTokens: 10 } },
    rule: undefined,
  },
  {
    name: 'the prompt leaves room for none',
    model: { contextWindow: 10 },
    input: { request: { ...chat, minPromptTokens: 10 } },
    rule: 'context-window',
  },
  { name: 'its window is unknown', input: { request: { ...chat, minPromptTokens: 1e9 } }, rule: undefined },
  { name: 'it cools down', input: { health: health({ 'one/gpt': 1001 }) }, rule: 'cooling-down', detail: /1 s/ },
  { name: 'its cool-down is over', input: { health: health({ 'one/gpt': 1000 }) }, rule: undefined },
  {
    name: 'it cools down and is too poor',
    input: { health: health({ 'one/gpt': 5000 }), policy: policy({ minQuality: 1 }) },
    rule: 'quality',
  },
]

for (const test of CASES) {
  t.test(`${test.rule === undefined ? 'keeps' : 'removes'} a deployment when ${test.name}`, async (t) => {
    const removal = removalOf(test)
    t.equal(removal?.rule, test.rule)
    if (test.detail !== undefined) t.match(removal?.detail, test.detail)
  })
}
