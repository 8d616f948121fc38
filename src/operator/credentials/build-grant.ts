/** What an owner's sidecars get, from what is in force: nothing of providers and organizations that its keys do not use. */
import { deriveCacheKey, deriveKeyPepper, deriveRedactionSecret } from '../../crypto/derive.ts'
import type { Secret } from '../../domain/secret.ts'
import { ownerOfKey, providersInUse } from '../../domain/snapshot/shards.ts'
import type { Snapshot } from '../../domain/snapshot/snapshot.ts'
import type { GrantContent } from './ports.ts'

export interface GrantInput {
  readonly owner: string
  readonly snapshot: Snapshot
  /** Of all usable providers, by name. */
  readonly credentials: ReadonlyMap<string, Secret>
  /** The installation's master secret, hexadecimal. */
  readonly master: Secret
  readonly shardKeys: readonly Uint8Array[]
  readonly redis: GrantContent['redis']
  readonly trust?: string | undefined
}

export function buildGrant({
  owner,
  snapshot,
  credentials,
  master,
  shardKeys,
  redis,
  trust,
}: GrantInput): GrantContent {
  const keys = snapshot.virtualKeys.filter(({ id }) => ownerOfKey(id) === owner)
  const organizations = [...new Set(keys.map(({ organization }) => organization))].toSorted()
  return {
    shardKeys,
    redis,
    trust,
    credentials: new Map(
      providersInUse(snapshot, owner).flatMap(({ name }) => {
        const credential = credentials.get(name)
        return credential === undefined ? [] : [[name, credential]]
      }),
    ),
    keyPepper: deriveKeyPepper(master, owner),
    organizations: new Map(
      organizations.map((name) => [
        name,
        { redactionSecret: deriveRedactionSecret(master, name), cacheKey: deriveCacheKey(master, name) },
      ]),
    ),
  }
}
