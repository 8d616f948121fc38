/**
 * The configuration of a sidecar: what the operator grants over gRPC and the shards in Redis, put together and swapped.
 *
 *     grant ----> verifier, credentials, secrets --.
 *                                                   >--> configuration, where both are good
 *     Redis --look each second, or on a hint-------'
 *
 * Whatever fails, the last good configuration stays in force; how long it has not been confirmed is `staleMs`.
 */
import { contentHash } from '../../crypto/content-hash.ts'
import type { Acknowledgement } from '../../domain/snapshot/shard-store.ts'
import { assembledRevision, assembleSnapshot, providersInUse } from '../../domain/snapshot/shards.ts'
import type { Snapshot } from '../../domain/snapshot/snapshot.ts'
import { Acknowledger, type AcknowledgingRedis } from './acknowledge.ts'
import { createConfiguration, type ConfigurationHolder } from './configuration.ts'
import type { Grant } from './grant.ts'
import { ShardReader, type Look } from './shard-reader.ts'

/** A change is in force within two of these even without a hint. @see DESIGN section 9 */
const LOOK_EVERY_MS = 1_000
/** A change that concerns ten thousand sidecars must not have them all ask at the same moment. */
const HINT_SPREAD_MS = 200

export interface SidecarConfigurationOptions {
  /** Whose virtual keys are served: the pod's namespace. */
  readonly owner: string
  /** The pod's name. */
  readonly instance: string
  readonly redis: AcknowledgingRedis
  readonly holder: ConfigurationHolder
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
  }
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** 0..1, for the jitter. */
  readonly random: () => number
  /** Told of each new configuration: in force, or refused. */
  readonly loaded: (ok: boolean) => void
}

export class SidecarConfiguration {
  readonly #options: SidecarConfigurationOptions
  readonly #reader: ShardReader
  readonly #acknowledger: Acknowledger
  readonly #startedAtMs: number
  #grant: Grant | undefined
  #shards: Look['shards'] | undefined
  #confirmedAtMs: number | undefined
  /** What the configuration in force was made of. Incomplete: an organization, or its secrets, cannot be had. */
  #inForce: InForce | undefined
  /** Organizations whose secrets were taken away: what is held of their keys may be older than that, until it is read anew. */
  readonly #withdrawn = new Set<string>()
  #lastRefusal: string | undefined
  /** What was taken over whole the last time. */
  #taken: Acknowledgement | undefined
  #looking: Promise<void> | undefined
  #lookAgain = false
  #unreachable: string | undefined
  #unacknowledged: string | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: SidecarConfigurationOptions) {
    this.#options = options
    this.#reader = new ShardReader(options.owner)
    this.#acknowledger = new Acknowledger(options.owner, options.instance, options.now)
    this.#startedAtMs = options.now()
  }

  /** Milliseconds since the configuration in force was last seen to be the published one; before the first, since the start. */
  staleMs(): number {
    return Math.max(0, this.#options.now() - (this.#confirmedAtMs ?? this.#startedAtMs))
  }

  /** What the first configuration waits for, for people and without an address; undefined: one is in force. */
  get missing(): string | undefined {
    if (this.#inForce !== undefined) return undefined
    if (this.#grant === undefined) return 'the operator has not granted credentials yet'
    // Then it has no login to Redis either.
    if (this.#grant.organizations.size === 0)
      return `the namespace has no virtual key in force; kubectl get virtualkeys -n ${this.#options.owner} says why`
    if (this.#unreachable !== undefined) return 'the configuration cannot be read from Redis; the log says why'
    if (this.#lastRefusal !== undefined) return 'the configuration in Redis is refused; the log says why'
    return 'the configuration has not been read from Redis yet'
  }

  /** Puts a grant in force, at once where shards are at hand. Begins to look for shards with the first one. */
  use(grant: Grant): void {
    const first = this.#grant === undefined
    this.#withdraw(this.#grant, grant)
    this.#grant = grant
    this.#reader.forgetRefused()
    if (this.#shards !== undefined) this.#combine(this.#shards, grant)
    if (first) this.#schedule(0)
    else this.hint()
  }

  /** Something may have changed: look soon. */
  hint(): void {
    if (this.#looking !== undefined) this.#lookAgain = true
    else if (this.#grant !== undefined) this.#schedule(this.#options.random() * HINT_SPREAD_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#looking
    // Where this fails the entry expires.
    await this.#acknowledger.withdraw(this.#options.redis).catch(() => undefined)
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
        this.#schedule(this.#lookAgain ? 0 : LOOK_EVERY_MS)
        this.#lookAgain = false
      })
    }, afterMs)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const grant = this.#grant
    if (grant === undefined) return
    try {
      const { shards, refused } = await this.#reader.look(this.#options.redis, grant.verify)
      this.#answered()
      // What was read while secrets went and came may be of before.
      if (this.#grant === grant && refused.every(({ name }) => name !== shards.keys.name)) this.#believe(grant)
      for (const { name, reason, known } of refused) if (!known) this.#refuse(reason, name)
      this.#shards = shards
      const ok = this.#combine(shards, this.#grant ?? grant)
      if (ok && refused.length === 0) this.#confirmedAtMs = this.#options.now()
      if (ok) this.#taken = this.#acknowledgementOf(shards)
      // Also where something has been left out since: who no longer says what it runs counts as gone.
      if (this.#taken !== undefined) await this.#acknowledge(this.#taken)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** With an owner's last key goes its login, so that its sidecars can no longer read that this key is gone. */
  #withdraw(former: Grant | undefined, grant: Grant): void {
    // Also before anything is in force: the first look may have read them already.
    for (const name of former?.organizations ?? []) if (!grant.organizations.has(name)) this.#withdrawn.add(name)
  }

  /** What has been read since the secrets came back is as it is published. */
  #believe(grant: Grant): void {
    for (const name of this.#withdrawn) if (grant.organizations.has(name)) this.#withdrawn.delete(name)
  }

  /** Makes the configuration of both where it is not in force already. Returns whether all of it is. */
  #combine(shards: Look['shards'], grant: Grant): boolean {
    const revision = assembledRevision([shards.catalog, shards.keys, ...shards.organizations], contentHash)
    if (this.#isInForce(revision, grant)) return this.#inForce?.complete ?? false
    try {
      const { snapshot, unread } = assembleSnapshot(shards, contentHash)
      const usable = withCredentials(usableHere(snapshot, grant, this.#withdrawn), this.#options.owner, grant)
      this.#options.holder.swap(createConfiguration(usable, grant.credentials, grant.secrets))
      const isGranted = usable.organizations.length === snapshot.organizations.length
      const complete = isGranted && (shards.missing ?? []).length === 0 && unread.length === 0
      this.#inForce = { grant, revision, complete, withheld: this.#withdrawn.size }
      this.#lastRefusal = undefined
      this.#options.loaded(true)
      const counts = { providers: usable.providers.length, virtualKeys: usable.virtualKeys.length }
      this.#options.log.info({ revision, grant: grant.version, complete, ...counts }, 'configuration in force')
      if (unread.length > 0)
        this.#options.log.warn({ shard: shards.keys.name, keys: unread.length, reason: unread[0] }, 'keys left out')
      return complete
    } catch (error) {
      this.#refuse(error instanceof Error ? error.message : 'not a configuration')
      return false
    }
  }

  #isInForce(revision: string, grant: Grant): boolean {
    const current = this.#inForce
    return current?.revision === revision && current.grant === grant && current.withheld === this.#withdrawn.size
  }

  /** Once for the same reason: what is refused is looked at every second. */
  #refuse(reason: string, shard?: string): void {
    if (this.#lastRefusal === reason) return
    this.#lastRefusal = reason
    this.#options.loaded(false)
    this.#options.log.warn({ shard, reason, kept: this.#inForce?.revision }, 'configuration refused')
  }

  #acknowledgementOf({ catalog, keys, organizations }: Look['shards']): Acknowledgement {
    const shards = Object.fromEntries([catalog, keys, ...organizations].map((shard) => [shard.name, shard.revision]))
    return { revision: this.#inForce?.revision ?? '', shards }
  }

  async #acknowledge(taken: Acknowledgement): Promise<void> {
    try {
      await this.#acknowledger.tell(this.#options.redis, taken)
      this.#unacknowledged = undefined
    } catch (error) {
      // Tried again with the next look. What runs here does not depend on it.
      const reason = error instanceof Error ? error.message : 'unknown'
      if (this.#unacknowledged !== reason) this.#options.log.warn({ reason }, 'revision not acknowledged')
      this.#unacknowledged = reason
    }
  }

  #answered(): void {
    if (this.#unreachable !== undefined) this.#options.log.info({}, 'shards are read again')
    this.#unreachable = undefined
  }

  /** Once for each new reason: it would be said every second. */
  #failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : 'unknown'
    if (this.#unreachable === reason) return
    this.#unreachable = reason
    this.#options.log.warn({ reason, kept: this.#inForce?.revision }, 'shards not read')
  }
}

interface InForce {
  readonly grant: Grant
  readonly revision: string
  readonly complete: boolean
  /** How many organizations were withdrawn when it was made. */
  readonly withheld: number
}

/**
 * Without the keys that this workload's identity may not use, and without those of organizations whose secrets have not
 * been granted: their grant is on its way.
 */
function usableHere(snapshot: Snapshot, grant: Grant, withdrawn: ReadonlySet<string>): Snapshot {
  const { serviceAccount } = grant
  const isUsable = (organization: string) => grant.organizations.has(organization) && !withdrawn.has(organization)
  return {
    ...snapshot,
    organizations: snapshot.organizations.filter(({ name }) => isUsable(name)),
    virtualKeys: snapshot.virtualKeys.filter(({ organization, access: { serviceAccounts } }) => {
      const mayUse = serviceAccounts.length === 0 || serviceAccounts.includes(serviceAccount)
      return mayUse && isUsable(organization)
    }),
  }
}

/** A provider's key goes, or comes, a moment before Redis says that it is in use: without it, it is none to try. */
function withCredentials(snapshot: Snapshot, owner: string, { credentials }: Grant): Snapshot {
  const lacking = providersInUse(snapshot, owner).filter(
    (provider) => provider.credentials.type !== 'None' && !credentials.has(provider.name),
  )
  if (lacking.length === 0) return snapshot
  const unusable = new Set(lacking)
  return {
    ...snapshot,
    providers: snapshot.providers.map((provider) =>
      unusable.has(provider) ? { ...provider, enabled: false } : provider,
    ),
  }
}
