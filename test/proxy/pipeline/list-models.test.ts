import t from 'tap'
import type { KeyAccess } from '../../../src/domain/snapshot/snapshot.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { openai } from '../../../src/proxy/adapters/openai.ts'
import { nearestModel } from '../../../src/proxy/pipeline/list-models.ts'
import { compile, key, model, policy, provider } from '../../domain/routing/samples.ts'
import { organizationEntry } from '../../helpers/snapshots.ts'

const MANY = Array.from({ length: 2_400 }, (_, index) => model(`vendor-model-${index}`))

const compiled = compile(
  provider('one', [...MANY, model('chat-last', { aliases: ['other-words'] })]),
  provider('two', [model('hidden')]),
)

function nearestFor(wrong: string, access: Partial<KeyAccess> = {}): string | undefined {
  const configuration = {
    compiled,
    credentialOf: () => undefined,
    digestOf: (text: string) => text,
    redactionSecretOf: () => new Secret('x'),
    cacheKeyOf: () => new Secret('x'),
  }
  const caller = { configuration, key: key(access), organization: organizationEntry('acme'), project: undefined }
  return nearestModel({ ...caller, policy: policy() }, openai, wrong)
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
