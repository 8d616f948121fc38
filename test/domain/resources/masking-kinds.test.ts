import t from 'tap'
import { OPTIONAL_KINDS } from '../../../src/domain/guardrails/masking/personal/optional-kinds.ts'
import { MASKING_KINDS } from '../../../src/domain/resources/masking-kinds.ts'
import { resolveOrganization } from '../../../src/domain/resources/organizations.ts'
import { organization } from './resource-samples.ts'

t.test('the kinds that are known are those that guardrails find', async (t) => {
  t.same(new Set(MASKING_KINDS), new Set(['EMAIL', 'KEY', 'CARD', ...Object.keys(OPTIONAL_KINDS)]))
})

t.test('an organization with a kind that nothing finds is accepted, and its condition says so', async (t) => {
  const accepted = (kinds: string[]) => {
    const masking = { kinds, custom: [{ kind: 'BADGE', pattern: 'B-\\d{6}' }] }
    const { entry, conditions } = resolveOrganization(
      organization({ compliance: { quotaFailure: 'Closed', masking } }),
      () => undefined,
    )
    t.ok(entry)
    return conditions.conditions.map(({ type, status, reason, message }) => [type, status, reason, message])
  }
  t.same(accepted(['PHONE', 'BADGE', 'EMAIL'])[0], ['Accepted', 'True', 'Accepted', ''])
  const [first, ready] = accepted(['PHONE', 'PHONES'])
  t.match(first, ['Accepted', 'True', 'UnknownMaskingKind', /nothing finds PHONES; there are EMAIL, .*, BADGE$/])
  t.match(ready, ['Ready', 'True'])
})
