/** A build over resources that were built before: what is remembered must not be what was true then. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { BuildInput } from '../../../src/domain/resources/build-snapshot.ts'
import { splitSnapshot } from '../../../src/domain/snapshot/shards.ts'
import { build, grant, organization, provider, secrets, virtualKey } from './resource-samples.ts'

const contentHash = (text: string) => createHash('sha256').update(text).digest('hex')

const NAMES = ['a', 'b', 'c'] as const

/** All that a key's entry follows from besides the key. */
const world = fc.record({
  privileges: fc.constantFrom(['overrideRouting'], ['overrideRouting', 'demask'], []),
  ceiling: fc.constantFrom(undefined, '5', '50'),
  room: fc.constantFrom(1, 2, 50),
  tier: fc.constantFrom('gold', 'tin'),
  organizations: fc.constantFrom([], ['acme'], ['other']),
  text: fc.constantFrom('x', 'y'),
  former: fc.constantFrom([], ['f'.repeat(64)]),
  enabled: fc.boolean(),
  /** Which key has been edited, and how often. */
  edits: fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.nat(2) }),
})

const keys = new Map<string, ReturnType<typeof virtualKey>>()

/** The same object for the same edit, as a store of the cluster has it. */
function keyOf(name: string, edit: number) {
  const id = `${name} ${edit}`
  const budgets = [
    { window: 'Month', limitUSD: String(edit + 4), reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' },
  ]
  const made = keys.get(id) ?? virtualKey({ privileges: { trace: edit === 1 }, budgets } as object, name)
  keys.set(id, made)
  return made
}

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never

function inputOf(now: World, copied: boolean): Partial<BuildInput> {
  const ceiling = now.ceiling === undefined ? {} : { maxBudgetUSDPerMonthPerKey: now.ceiling }
  const grants = [grant({ privileges: [...now.privileges], maxKeysPerNamespace: now.room, ...ceiling })]
  const virtualKeys = NAMES.map((name) => keyOf(name, now.edits[name]))
  return {
    organizations: [organization({ grants })],
    providers: [
      provider({ enabled: now.enabled, access: { organizations: [...now.organizations] } }),
      provider({ access: { namespaceSelector: { matchLabels: { tier: 'gold' } } } }, 'golden'),
    ],
    namespaces: [{ name: 'team', labels: { tier: now.tier } }],
    virtualKeys: copied ? structuredClone(virtualKeys) : virtualKeys,
    secretValue: secrets({ 'team/b-virtual-key/key': now.text.repeat(40) }),
    retiringDigests: (_namespace, name) =>
      name === 'c' ? now.former.map((digest) => ({ digest, notAfterMs: 9e12 })) : [],
  }
}

t.test('whatever has changed in between, it is the build of resources that were never seen before', async () => {
  fc.assert(
    fc.property(fc.array(world, { minLength: 2, maxLength: 8 }), (worlds) => {
      for (const now of worlds) {
        const again = build({ ...inputOf(now, false), contentHash })
        const anew = build(inputOf(now, true))
        const shards = (output: typeof anew, hash = contentHash) => splitSnapshot(output.snapshot, [], hash)
        const told = (output: typeof anew, hash = contentHash) =>
          JSON.stringify([output.snapshot, [...output.revisions], output.conditions, shards(output, hash)])
        if (told(again) !== told(anew, (text) => contentHash(text))) return false
      }
      return true
    }),
    { numRuns: 300 },
  )
})

t.test('what is as it was is the same object: keys, and shards whose keys all are', async (t) => {
  const virtualKeys = [virtualKey({}, 'a'), virtualKey({}, 'b')]
  const other = virtualKey({}, 'c')
  const elsewhere = { ...other, metadata: { ...other.metadata, namespace: 'else' } }
  const organizationOf = (privileges: 'trace'[]) =>
    organization({
      grants: [
        grant({ name: 'here', namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'team' } } }),
        grant({ privileges }),
      ],
    })
  const made = ['trace', undefined].map((privilege) => {
    const organizations = [organizationOf(privilege === undefined ? [] : ['trace'])]
    const { snapshot } = build({ organizations, virtualKeys: [...virtualKeys, elsewhere], contentHash })
    return { keys: snapshot.virtualKeys, shards: splitSnapshot(snapshot, [], contentHash) }
  })
  const [first, second] = made
  const same = (list: 'keys' | 'shards') => first?.[list].map((one, index) => one === second?.[list][index])
  t.same(
    first?.keys.map(({ id }) => id),
    ['else/c', 'team/a', 'team/b'],
  )
  t.same(same('keys'), [false, true, true])
  t.same(
    first?.shards.map(({ name }) => name),
    ['tg:cfg:catalog', 'tg:cfg:org:acme', 'tg:cfg:ns:else', 'tg:cfg:ns:team'],
  )
  t.same(same('shards'), [false, false, false, true])
})
