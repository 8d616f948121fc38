import t from 'tap'
import { InvalidSnapshotError, parseSnapshot } from '../../../src/domain/snapshot/parse-snapshot.ts'
import { build, grant, organization, provider, virtualKey } from '../resources/resource-samples.ts'

function sample(): Record<string, unknown> {
  const { snapshot } = build({
    organizations: [organization({ grants: [grant({})], projects: [{ name: 'search' }] })],
    providers: [provider({ endpoint: { allowInsecureHTTP: false, headers: { 'x-a': 'b' } } })],
    virtualKeys: [virtualKey({ policies: { tags: { team: 'x' } } })],
  })
  return JSON.parse(JSON.stringify(snapshot))
}

/** The sample with one field, by its path, set to another value. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const document = sample()
  let at: Record<string | number, unknown> = document
  for (const part of path.slice(0, -1)) at = at[part] as Record<string | number, unknown>
  at[path.at(-1) ?? ''] = value
  return document
}

function isFrozenDeep(value: unknown): boolean {
  return (
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeep))
  )
}

t.test('a good snapshot comes back whole and frozen', async (t) => {
  const parsed = parseSnapshot(sample())
  t.same(parsed, sample())
  t.ok(isFrozenDeep(parsed))
})

t.test('a bad one is refused with the first field that is wrong', async (t) => {
  const cases: readonly [readonly (string | number)[], unknown, RegExp][] = [
    [['schema'], 2, /schema 2 is not 1/],
    [['revision'], 5, /revision is not text/],
    [['providers'], {}, /providers is not a list/],
    [['providers', 0, 'type'], 'Mistral', /providers\[0\]\.type is not one of OpenAI/],
    [['providers', 0, 'timeouts', 'connectMs'], 0, /providers\[0\]\.timeouts\.connectMs is not a whole number from 1/],
    [['providers', 0, 'models', 0, 'quality'], 2, /providers\[0\]\.models\[0\]\.quality is not a number from 0 to 1/],
    [['providers', 0, 'models', 0, 'pricing'], { input: 1.5, output: 1 }, /pricing\.input is not a whole number/],
    [['providers', 0, 'endpoint', 'headers'], { a: 1 }, /endpoint\.headers\.a is not text/],
    [['virtualKeys', 0, 'privileges', 'demask'], 'true', /virtualKeys\[0\]\.privileges\.demask is not true or false/],
    [['virtualKeys', 0, 'digests'], [{}], /virtualKeys\[0\]\.digests\[0\]\.digest is not text/],
    [['virtualKeys', 0, 'policies', 'flags'], ['pii'], /policies\.flags\[0\] is not one of pii-safe/],
    [['organizations', 0, 'limits'], null, /organizations\[0\]\.limits is not an object/],
  ]
  for (const [path, value, message] of cases) {
    t.throws(() => parseSnapshot(changed(path, value)), { name: 'InvalidSnapshotError', message })
  }
  for (const value of [undefined, null, 'x', [], 7]) t.throws(() => parseSnapshot(value), InvalidSnapshotError)
})

t.test('fields that the contract does not know are left out', async (t) => {
  t.same(parseSnapshot(changed(['virtualKeys', 0, 'credential'], 'secret')), sample())
})

t.test('a tag named __proto__ is a tag', async (t) => {
  const tags: unknown = JSON.parse('{"__proto__":"x"}')
  const { policies } = parseSnapshot(changed(['virtualKeys', 0, 'policies', 'tags'], tags)).virtualKeys[0] ?? {}
  t.same(Object.entries(policies?.tags ?? {}), [['__proto__', 'x']])
  t.equal(Object.getPrototypeOf({}), Object.prototype)
})
