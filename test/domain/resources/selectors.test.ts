import t from 'tap'
import type { SelectorRequirement } from '../../../src/domain/resources/kinds.ts'
import { matchesSelector, namespaceLabels } from '../../../src/domain/resources/selectors.ts'

const labels = { team: 'search', tier: '' }

t.test('an empty selector matches everything', async (t) => {
  t.ok(matchesSelector({}, {}))
  t.ok(matchesSelector({ matchLabels: {}, matchExpressions: [] }, labels))
})

t.test('each operator has the meaning that Kubernetes gives it', async (t) => {
  const cases: readonly [SelectorRequirement, boolean][] = [
    [{ key: 'team', operator: 'In', values: ['a', 'search'] }, true],
    [{ key: 'team', operator: 'In', values: ['a'] }, false],
    [{ key: 'none', operator: 'In', values: [''] }, false],
    [{ key: 'team', operator: 'NotIn', values: ['search'] }, false],
    [{ key: 'none', operator: 'NotIn', values: ['search'] }, true],
    [{ key: 'tier', operator: 'Exists' }, true],
    [{ key: 'none', operator: 'Exists' }, false],
    [{ key: 'tier', operator: 'DoesNotExist' }, false],
    [{ key: 'toString', operator: 'DoesNotExist' }, true],
  ]
  for (const [requirement, expected] of cases) {
    t.equal(matchesSelector({ matchExpressions: [requirement] }, labels), expected, JSON.stringify(requirement))
  }
})

t.test('all parts of a selector must match', async (t) => {
  const matchExpressions: readonly SelectorRequirement[] = [{ key: 'none', operator: 'Exists' }]
  t.notOk(matchesSelector({ matchLabels: { team: 'search' }, matchExpressions }, labels))
  t.notOk(matchesSelector({ matchLabels: { team: 'search', tier: 'x' } }, labels))
})

t.test('a namespace cannot claim the name of another by a label', async (t) => {
  const labelsOf = namespaceLabels([{ name: 'evil', labels: { 'kubernetes.io/metadata.name': 'good' } }])
  t.same(labelsOf('evil'), { 'kubernetes.io/metadata.name': 'evil' })
  t.same(labelsOf('unknown'), { 'kubernetes.io/metadata.name': 'unknown' })
})
