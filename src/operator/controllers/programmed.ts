/**
 * What is in force where it counts: which entries Redis holds, and which of them all running data planes of their owner
 * have taken over. Judged by entry, not by shard: a change of one key must not put all keys of its owner in doubt.
 *
 *   entry changed --published--> pending --every live instance acknowledged a shard that has it--> in force
 */
import { ownerOfKey, ownerShard } from '../../domain/snapshot/shards.ts'
import type { Acknowledgement } from '../../domain/snapshot/shard-store.ts'
import type { Build } from './build.ts'

/** Revisions of an owner's shard that are remembered; an instance that runs an older one counts as behind. */
const MAX_REVISIONS = 256

export type ProgrammedState = 'not-published' | 'pending' | 'in-force'

interface Entry {
  readonly revision: string
  /** Number of the publication that brought it. */
  readonly since: number
  acknowledged: boolean
}

export class ProgrammedLedger {
  #number = 0
  #entries = new Map<string, Entry>()
  /** By owner: revision of its shard, and the last publication that had it. */
  readonly #revisions = new Map<string, Map<string, number>>()
  readonly #pending = new Map<string, Set<string>>()
  /** Of publications that are under way or have failed: Redis may hold them. */
  readonly #uncertain = new Set<string>()

  /** Whether anything has been published by this process: before, nothing is known of what Redis holds. */
  get hasPublished(): boolean {
    return this.#number > 0
  }

  /** Owners with entries that are not acknowledged yet. */
  get pendingOwners(): readonly string[] {
    return [...this.#pending.keys()]
  }

  /** This is being written to Redis. */
  publishing({ revisions }: Pick<Build, 'revisions'>): void {
    for (const id of revisions.keys()) this.#uncertain.add(id)
  }

  /** Whether Redis does not hold it, for certain. */
  isOut(id: string): boolean {
    return this.hasPublished && !this.#entries.has(id) && !this.#uncertain.has(id)
  }

  /** Redis holds this. */
  published({ revisions, shards }: Build): void {
    this.#number += 1
    this.#uncertain.clear()
    const entries = new Map<string, Entry>()
    this.#pending.clear()
    for (const [id, revision] of revisions) {
      const known = this.#entries.get(id)
      const owner = ownerOf(id)
      const entry =
        known?.revision === revision ? known : { revision, since: this.#number, acknowledged: owner === undefined }
      entries.set(id, entry)
      if (owner !== undefined && !entry.acknowledged) this.#note(owner, id)
    }
    this.#entries = entries
    const names = new Map(shards.map(({ name, revision }) => [name, revision]))
    const owners = new Set([...entries.keys()].flatMap((id) => ownerOf(id) ?? []))
    for (const owner of this.#revisions.keys()) if (!owners.has(owner)) this.#revisions.delete(owner)
    for (const owner of owners) this.#remember(owner, names.get(ownerShard(owner)) ?? '')
  }

  /** What the live instances of an owner run. Returns the ids that are in force now and were not before. */
  acknowledged(owner: string, instances: ReadonlyMap<string, Acknowledgement>): readonly string[] {
    const known = this.#revisions.get(owner)
    const oldest = [...instances.values()].reduce(
      (least, { shards }) => Math.min(least, known?.get(shards[ownerShard(owner)] ?? '') ?? 0),
      this.#number,
    )
    const reached = [...(this.#pending.get(owner) ?? [])].filter((id) => (this.#entries.get(id)?.since ?? 0) <= oldest)
    for (const id of reached) {
      const entry = this.#entries.get(id)
      if (entry !== undefined) entry.acknowledged = true
      this.#pending.get(owner)?.delete(id)
    }
    if (this.#pending.get(owner)?.size === 0) this.#pending.delete(owner)
    return reached
  }

  /** Of an entry with this revision; undefined: of any. */
  stateOf(id: string, revision?: string): ProgrammedState {
    const entry = this.#entries.get(id)
    if (entry === undefined || (revision !== undefined && entry.revision !== revision)) return 'not-published'
    return entry.acknowledged ? 'in-force' : 'pending'
  }

  #note(owner: string, id: string): void {
    const ids = this.#pending.get(owner)
    if (ids === undefined) this.#pending.set(owner, new Set([id]))
    else ids.add(id)
  }

  #remember(owner: string, revision: string): void {
    const known = this.#revisions.get(owner) ?? new Map<string, number>()
    known.delete(revision)
    known.set(revision, this.#number)
    const [oldest] = known.keys()
    if (known.size > MAX_REVISIONS && oldest !== undefined) known.delete(oldest)
    this.#revisions.set(owner, known)
  }
}

/** Only virtual keys are acknowledged: the data planes of their owner hold them. */
function ownerOf(id: string): string | undefined {
  return id.startsWith('VirtualKey/') ? ownerOfKey(id.slice('VirtualKey/'.length)) : undefined
}
