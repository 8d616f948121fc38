import t from 'tap'
import { namespacedName } from '../../../src/domain/resources/namespaced-name.ts'

t.test('a resource is named with its namespace, one of a cluster-scoped kind without', async (t) => {
  t.equal(namespacedName({ namespace: 'team', name: 'demo' }), 'team/demo')
  t.equal(namespacedName({ namespace: '', name: 'openai' }), 'openai')
  t.equal(namespacedName({ name: 'openai' }), 'openai')
})
