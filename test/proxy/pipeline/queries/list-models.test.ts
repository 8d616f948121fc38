import t from 'tap'
import type { KeyAccess } from '../../../../src/domain/snapshot/snapshot.ts'
import { Secret } from '../../../../src/domain/secret.ts'
import { openai } from '../../../../src/proxy/adapters/openai.ts'
import { findModel, listModels, nearestModel } from '../../../../src/proxy/pipeline/queries/list-models.ts'
import type { GovernedCaller } from '../../../../src/proxy/pipeline/resolve-request-policy.ts'
import { compile, key, model, policy, provider } from '../../../domain/routing/samples.ts'
import { organizationEntry } from '../../../helpers/snapshots.ts'

const BUDGET = { window: 'Month', limit: 1_000, reset: 'Calendar', warnAtPercent: 80 } as const

const MANY = Array.from({ length: 2_400 }, (_, index) => model(`vendor-model-${index}`))

const compiled = compile(
  provider('one', [...MANY, model('chat-last', { aliases: ['other-words'] })]),
  provider('two', [model('hidden')]),
)

function callerOf(compiledSnapshot = compiled, access: Partial<KeyAccess> = {}): Omit<GovernedCaller, 'policy'> {
  const configuration = {
    compiled: compiledSnapshot,
    credentialOf: () => undefined,
    digestOf: (text: string) => text,
    redactionSecretOf: () => new Secret('x'),
    cacheKeyOf: () => new Secret('x'),
  }
  return { configuration, key: key(access), organization: organizationEntry('acme'), project: undefined }
}

function nearestFor(wrong: string, access: Partial<KeyAccess> = {}): string | undefined {
  return nearestModel({ ...callerOf(compiled, access), policy: policy() }, openai, wrong)
}

t.test('a wrong name is compared with all names of the list, however many there are', async (t) => {
  t.equal(nearestFor('chat-lost'), 'chat-last')
  t.equal(nearestFor('vendor-modle-2399'), 'vendor-model-2399')
  t.equal(nearestFor('nothing-of-that-kind'), undefined)
})

t.test('no name is told that the list does not show', async (t) => {
  t.equal(nearestFor('hiden'), 'hidden')
  t.equal(nearestFor('hiden', { providers: ['one'] }), undefined)
  t.equal(nearestFor('chat-lost', { models: ['hidden'] }), undefined)
  t.equal(nearestFor('other-wordss'), undefined, 'an alias')
  t.equal(nearestFor('aut'), 'auto')
  t.equal(nearestFor('aut', { allowAuto: false }), undefined)
  t.equal(nearestFor('aut', { providers: [] }), undefined)
})

t.test('a model without a price is on no list where a budget has to know what it costs', async (t) => {
  const pricing = { input: 1e9, output: 2e9 }
  const prices = compile(provider('one', [model('priced', { pricing }), model('unpriced')]))
  const modelsUnder = (onExceed?: 'Block' | 'Warn'): unknown[] => {
    const caller = { ...callerOf(prices), policy: policy() }
    const budgets = onExceed === undefined ? [] : [{ ...BUDGET, onExceed }]
    const limited = { ...caller, key: { ...caller.key, limits: { ...caller.key.limits, budgets } } }
    return [listModels(limited, openai).map(({ id }) => id), findModel(limited, openai, 'one/unpriced')?.id]
  }
  t.same(modelsUnder(), [['auto', 'priced', 'unpriced'], 'one/unpriced'])
  t.same(modelsUnder('Warn'), [['auto', 'priced', 'unpriced'], 'one/unpriced'])
  t.same(modelsUnder('Block'), [['auto', 'priced'], undefined])
})
