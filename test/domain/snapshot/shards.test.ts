import fc from 'fast-check'
import t from 'tap'
import { contentHash } from '../../../src/crypto/content-hash.ts'
import { InvalidSnapshotError } from '../../../src/domain/snapshot/parse-snapshot.ts'
import {
  assembledRevision,
  assembleSnapshot,
  CATALOG_SHARD,
  emptyOwnerShard,
  MAX_OWNER_ORGANIZATIONS,
  organizationShard,
  organizationsOf,
  ownerOfKey,
  ownerShard,
  parseShard,
  providersInUse,
  renderShard,
  SHARD_HEAD_LENGTH,
  signedText,
  splitSnapshot,
  type Shard,
  type ShardContent,
} from '../../../src/domain/snapshot/shards.ts'
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.ts'
import { keyEntry, organizationEntry, providerEntry, snapshotOf } from '../../helpers/snapshots.ts'

function find(shards: readonly ShardContent[], name: string): ShardContent {
  const shard = shards.find((one) => one.name === name)
  if (shard === undefined) throw new Error(`no shard ${name}`)
  return shard
}

function assembleFor(owner: string, shards: readonly ShardContent[]): Snapshot {
  const keys = find(shards, ownerShard(owner))
  const organizations = organizationsOf(keys).map((name) => find(shards, organizationShard(name)))
  return assembleSnapshot({ owner, catalog: find(shards, CATALOG_SHARD), organizations, keys }, contentHash).snapshot
}

function shard(content: Partial<Shard> = {}): Shard {
  return {
    ...emptyOwnerShard('a', contentHash),
    schema: 1,
    epoch: 1,
    sequence: 1,
    signature: 'A'.repeat(88),
    ...content,
  }
}

const name = fc.constantFrom('a', 'b', 'c-d', 'e.f')
const snapshots = fc
  .record({
    organizations: fc.uniqueArray(name, { minLength: 1 }),
    providers: fc.uniqueArray(name),
    keys: fc.uniqueArray(fc.record({ owner: name, key: name, organization: fc.nat() }), {
      selector: ({ owner, key }) => `${owner}/${key}`,
    }),
  })
  .map(({ organizations, providers, keys }) =>
    snapshotOf({
      organizations: organizations.map(organizationEntry),
      providers: providers.map((provider) => providerEntry(provider)),
      virtualKeys: keys.map(({ owner, key, organization }) =>
        keyEntry(`${owner}/${key}`, { organization: organizations[organization % organizations.length] ?? '' }),
      ),
    }),
  )

t.test('each owner gets exactly its keys, their organizations and all providers back', async (t) => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const owners = ['a', 'b', 'c-d', 'e.f']
      const shards = splitSnapshot(snapshot, owners, contentHash)
      for (const owner of owners) {
        const own = assembleFor(owner, shards)
        const virtualKeys = snapshot.virtualKeys.filter(({ id }) => ownerOfKey(id) === owner)
        const named = new Set(virtualKeys.map(({ organization }) => organization))
        t.same(own.virtualKeys, virtualKeys)
        t.same(own.providers, snapshot.providers)
        t.same(new Set(own.organizations), new Set(snapshot.organizations.filter((one) => named.has(one.name))))
      }
    }),
    { numRuns: 40 },
  )
})

t.test('a change touches the shards that it concerns and no other', async (t) => {
  const before = snapshotOf({ virtualKeys: [keyEntry('a/x'), keyEntry('b/y')] })
  const after = snapshotOf({ virtualKeys: [keyEntry('a/x'), keyEntry('b/y', { digest: 'new' })] })
  const revisions = (snapshot: Snapshot) =>
    new Map(splitSnapshot(snapshot, [], contentHash).map((one) => [one.name, one.revision]))
  const old = revisions(before)
  t.same(
    [...revisions(after)].filter(([key, revision]) => old.get(key) !== revision).map(([key]) => key),
    ['tg:cfg:ns:b'],
  )
  t.same([...old.keys()], ['tg:cfg:catalog', 'tg:cfg:org:acme', 'tg:cfg:ns:a', 'tg:cfg:ns:b'])
})

t.test('the revision of the whole changes with each part and not with their order', async (t) => {
  const parts = [
    { name: 'x', revision: '1' },
    { name: 'y', revision: '2' },
  ]
  const revision = assembledRevision(parts, contentHash)
  t.equal(assembledRevision(parts.toReversed(), contentHash), revision)
  t.not(assembledRevision([...parts, { name: 'z', revision: '3' }], contentHash), revision)
})

t.test('an owner needs the credentials of the providers that its keys may use', async (t) => {
  const snapshot = snapshotOf({
    providers: [providerEntry('p'), providerEntry('q')],
    virtualKeys: [keyEntry('a/x', { providers: ['p'] }), keyEntry('b/y', { providers: ['q'] })],
  })
  t.same(
    providersInUse(snapshot, 'a').map((one) => one.name),
    ['p'],
  )
})

t.test('shards that do not hold what their names say are refused', async (t) => {
  const shards = splitSnapshot(snapshotOf({ virtualKeys: [keyEntry('a/x')] }), [], contentHash)
  const catalog = find(shards, CATALOG_SHARD)
  const keys = find(shards, ownerShard('a'))
  const organization = find(shards, organizationShard('acme'))
  const assemble = (parts: object) => () =>
    assembleSnapshot({ owner: 'a', catalog, organizations: [organization], keys, ...parts }, contentHash)
  t.doesNotThrow(assemble({}))
  t.throws(assemble({ owner: 'b' }), { message: /hold one of another owner/ })
  t.throws(assemble({ organizations: [] }), { message: /the organization of a\/x is missing/ })
  t.throws(assemble({ organizations: [{ ...organization, name: organizationShard('other') }] }), {
    message: /tg:cfg:org:other holds another organization/,
  })
  t.throws(assemble({ catalog: { ...catalog, body: '{}' } }), { message: /providers is not a list/ })
  t.throws(assemble({ catalog: { ...catalog, body: '{' } }), { message: /tg:cfg:catalog is not JSON/ })
  t.throws(assemble({ keys: { ...keys, body: '{"virtualKeys":{}}' } }), InvalidSnapshotError)
  t.match(assemble({ keys: { ...keys, body: '{"virtualKeys":[{}]}' } })(), {
    snapshot: { virtualKeys: [] },
    unread: [/virtualKeys\[0\]\.id/],
  })
})

t.test('an owner with more organizations than a reader can ask for is refused', async (t) => {
  const virtualKeys = Array.from({ length: MAX_OWNER_ORGANIZATIONS + 1 }, (_, at) =>
    keyEntry(`a/k${at}`, { organization: `o${at}` }),
  )
  const keys = find(splitSnapshot(snapshotOf({ virtualKeys }), [], contentHash), ownerShard('a'))
  t.throws(() => organizationsOf(keys), { message: /more than 64 organizations/ })
  t.throws(() => organizationsOf({ ...keys, body: '{"virtualKeys":1}' }), { message: /tg:cfg:ns:a: virtualKeys/ })
})

t.test('a stored document is read back; what is not one is refused by name', async (t) => {
  const stored = shard()
  t.same(parseShard(stored.name, renderShard(stored)), stored)
  for (const text of ['', '7', '{}', renderShard({ ...stored, epoch: 0 }), '{"schema":2}'])
    t.throws(() => parseShard('tg:cfg:ns:a', text), { name: 'InvalidSnapshotError', message: /tg:cfg:ns:a/ })
})

t.test('whatever changes shows in the head of the document and in what is signed', async (t) => {
  const variants = [
    shard(),
    shard({ epoch: 2 }),
    shard({ sequence: Number.MAX_SAFE_INTEGER }),
    shard({ revision: '0123456789abcdef' }),
    shard({ signature: 'B'.repeat(88) }),
  ]
  const heads = variants.map((one) => renderShard(one).slice(0, SHARD_HEAD_LENGTH))
  t.equal(new Set(heads).size, variants.length)
  const signed = [...variants.slice(0, 4), shard({ name: 'tg:cfg:ns:b' }), shard({ body: '{}' })].map(signedText)
  t.equal(new Set(signed).size, 6)
})
