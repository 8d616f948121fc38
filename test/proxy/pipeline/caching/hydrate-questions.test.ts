import t from 'tap'
import { Secret } from '../../../../src/domain/secret.ts'
import { createConfiguration, type DerivedSecrets } from '../../../../src/proxy/config/configuration.ts'
import { QuestionHydrator } from '../../../../src/proxy/pipeline/caching/hydrate-questions.ts'
import { StoredQuestions } from '../../../../src/proxy/stores/cache/stored-questions.ts'
import { TwoLevelCache } from '../../../../src/proxy/stores/cache/two-level-cache.ts'
import { keyEntry, snapshotOf } from '../../../helpers/snapshots.ts'

const secret = new Secret('ab'.repeat(32))
const SECRETS: DerivedSecrets = { digestOf: () => '', redactionSecretOf: () => secret, cacheKeyOf: () => secret }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** Configurations whose keys are in these projects, with answers by meaning on. */
function configuration(...projects: string[]) {
  const policies = { cache: { semantic: { enabled: true } } }
  const virtualKeys = projects.map((project) => ({ ...keyEntry(`a/${project}`), project, policies }))
  return createConfiguration(snapshotOf({ virtualKeys }), new Map(), SECRETS)
}

t.test('each scope is read once, one after the other, and again when it has been away', async (t) => {
  const read: string[] = []
  class Recording extends StoredQuestions {
    override async hydrate(scope: { readonly project: string | undefined }): Promise<void> {
      read.push(`begin ${scope.project}`)
      await new Promise((resolve) => setImmediate(resolve))
      if (scope.project === 'broken') throw new Error('broken')
      read.push(`end ${scope.project}`)
    }
  }
  const now = () => 0
  const cache = new TwoLevelCache({ redis: undefined, now })
  const hydrator = new QuestionHydrator({ cache, questions: new Recording({ redis: undefined, now }), log: quiet })
  hydrator.follow(configuration('one', 'broken', 'two'))
  hydrator.follow(configuration('one', 'two'))
  hydrator.follow(configuration('one'))
  hydrator.follow(configuration('one', 'two'))
  await hydrator.done()
  t.strictSame(read, ['begin one', 'end one', 'begin broken', 'begin two', 'end two', 'begin two', 'end two'])
})
