import t from 'tap'
import { semanticScopes } from '../../../../src/domain/caching/semantic/semantic-scopes.ts'
import { compileSnapshot } from '../../../../src/domain/snapshot/compiled-snapshot.ts'
import type { PolicySettings } from '../../../../src/domain/snapshot/snapshot.ts'
import { keyEntry, organizationEntry, snapshotOf } from '../../../helpers/snapshots.ts'

const ON: PolicySettings = { cache: { semantic: { enabled: true } } }
const OFF: PolicySettings = { cache: { semantic: { enabled: false } } }

function scopesOf(key: object, project: PolicySettings = {}, organization: PolicySettings = {}) {
  const acme = organizationEntry('acme')
  const projects = [{ name: 'shop', defaults: project, limits: acme.limits }]
  const virtualKeys = [
    { ...keyEntry('a/one'), ...key },
    { ...keyEntry('a/two'), ...key },
  ]
  const organizations = [{ ...acme, defaults: organization, projects }]
  return semanticScopes(compileSnapshot(snapshotOf({ organizations, virtualKeys })))
}

t.test('a scope is named once where any level switches it on and none nearer switches it off', async (t) => {
  const shop = [{ organization: 'acme', project: 'shop' }]
  t.strictSame(scopesOf({}), [])
  t.strictSame(scopesOf({ policies: ON }), [{ organization: 'acme', project: undefined }])
  t.strictSame(scopesOf({ policies: ON, project: 'shop' }), shop)
  t.strictSame(scopesOf({ project: 'shop' }, ON), shop)
  t.strictSame(scopesOf({ project: 'shop' }, {}, ON), shop)
  t.strictSame(scopesOf({ policies: OFF, project: 'shop' }, ON, ON), [])
  t.strictSame(scopesOf({ policies: ON, suspended: true }), [])
  t.strictSame(scopesOf({ policies: { cache: { exact: { enabled: false }, semantic: { enabled: true } } } }), [])
})
