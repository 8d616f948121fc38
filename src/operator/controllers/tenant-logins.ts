/** Keeps the Redis logins of owners equal to those that have virtual keys. */
import { ownerOfKey, ownerShard } from '../../domain/snapshot/shards.ts'
import type { Snapshot } from '../../domain/snapshot/snapshot.ts'
import type { Secret } from '../../domain/secret.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import {
  ensureTenantUser,
  ownersWithLogins,
  readByLogins,
  readPatterns,
  removeTenantUser,
  restrictTenantUser,
} from '../publish/redis-users.ts'
import { isRefusedCommand } from '../publish/redis-port.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { Problem } from './status.ts'

/** Where nothing takes over unseen, a minute of looks: only people take users away there (ACL DELUSER, ACL LOAD). */
const LOOKS_BETWEEN_CHECKS = 12
/** An hour, as long as there is something to read for it. @see EMPTIED_MS */
const LOOKS_UNTIL_TAKEN_AWAY = 720
const TIMEOUT_MS = 2_000
/** Of a reply, in characters: it is shown in tables. */
const MAX_REPLY = 300

export class TenantLogins {
  readonly #redis: PublishRedis
  readonly #master: Secret
  readonly #log: Log
  /** By owner: the organizations that its login was made for, as they were set. */
  #set = new Map<string, string>()
  /**
   * Owners without keys, with the look at which their login goes. Until then it reads that there are none: a sidecar that has
   * lost the operator learns it in no other way.
   */
  readonly #leaving = new Map<string, number>()
  /** Whether those of an earlier leader have been looked at. */
  #isSwept = false
  #working: Promise<void> = Promise.resolve()
  #looks = 0
  /** What they were made for last. */
  #snapshot: Snapshot | undefined
  #problem: Problem | undefined
  /** Something of it failed: a login may be missing, or be there that was to be taken away. */
  #isUnfinished = false
  /** Its message when somebody asked last whether it is another one. */
  #seen: string | undefined

  constructor(redis: PublishRedis, master: Secret, log: Log) {
    this.#redis = redis
    this.#master = master
    this.#log = log
  }

  /** Redis refuses to make logins, and will not by being asked again; undefined: it does not, or has not been asked. */
  get problem(): Problem | undefined {
    return this.#problem
  }

  /** Whether `problem` is another one than when this was asked last: once a change, whichever call has brought it. */
  takeChange(): boolean {
    const before = this.#seen
    this.#seen = this.#problem?.message
    return this.#seen !== before
  }

  /** Redis may have lost them: it neither saves nor replicates users. */
  forget(): void {
    this.#set = new Map()
    this.#isSwept = false
  }

  /** Sets what differs. A failure is told and made good with the next call. */
  ensure(snapshot: Snapshot): Promise<void> {
    this.#snapshot = snapshot
    this.#working = this.#working.then(() => this.#ensure(snapshot))
    return this.#working
  }

  /**
   * To be called each few seconds: a replica that takes over in a cluster has no users, and nothing tells of it. Behind
   * Sentinels the connection does, which is then a new one.
   */
  check(): Promise<void> {
    this.#working = this.#working.then(() => this.#check())
    return this.#working
  }

  async #check(): Promise<void> {
    const snapshot = this.#snapshot
    this.#looks += 1
    const isRefused = this.#problem !== undefined
    const isMinute = this.#looks % LOOKS_BETWEEN_CHECKS === 0
    if (snapshot === undefined || !(isMinute || (this.#redis.isCluster && !isRefused))) return
    const isWrong = !isRefused && (await this.#isAnyWrong(snapshot))
    // With it goes who was still to be taken away: they are looked for.
    if (isWrong) this.forget()
    const isWorkLeft = this.#isUnfinished || [...this.#leaving.values()].some((due) => due <= this.#looks)
    if (isWrong || (isMinute && isWorkLeft)) await this.#ensure(snapshot)
  }

  /** Whether a login lacks rights, or has too many. False where that cannot be told: the next check will. */
  async #isAnyWrong({ virtualKeys }: Snapshot): Promise<boolean> {
    const byOwner = Map.groupBy(virtualKeys, ({ id }) => ownerOfKey(id))
    try {
      // A former leader that was stopped amid its work may have set any of them as it was in its time, or made it again.
      return (await readByLogins(this.#redis)).some((logins) => {
        const areWhole = [...byOwner].every(([owner, keys]) => {
          const read = logins.get(owner)
          const wanted = readPatterns({ owner, organizations: organizationsOf(keys) })
          return read?.size === wanted.length && wanted.every((pattern) => read.has(pattern))
        })
        return (
          !areWhole ||
          [...logins].some(([owner, { size }]) => !byOwner.has(owner) && (size > 1 || !this.#leaving.has(owner)))
        )
      })
    } catch {
      return false
    }
  }

  async #ensure({ virtualKeys }: Snapshot): Promise<void> {
    const byOwner = Map.groupBy(virtualKeys, ({ id }) => ownerOfKey(id))
    try {
      await this.#make(byOwner)
      for (const owner of [...this.#set.keys()].filter((known) => !byOwner.has(known))) {
        await this.#leave(owner)
      }
      await this.#sweep(byOwner)
      await this.#takeAway()
      this.#isUnfinished = false
    } catch (error) {
      this.#isUnfinished = true
      this.#log.warn(errorFields(error), 'Redis logins not set')
    }
  }

  /** Where this is refused no sidecar can start; where only taking logins away is, all can. */
  async #make(byOwner: ReadonlyMap<string, Snapshot['virtualKeys']>): Promise<void> {
    try {
      for (const [owner, keys] of byOwner) {
        const organizations = organizationsOf(keys)
        const wanted = JSON.stringify(organizations)
        if (this.#set.get(owner) === wanted) continue
        await ensureTenantUser(this.#redis, { owner, organizations, master: this.#master })
        this.#set.set(owner, wanted)
        this.#leaving.delete(owner)
      }
      this.#problem = undefined
    } catch (error) {
      if (isRefusedCommand(error) || isUnknownRule(error)) this.#problem = refusal(error)
      throw error
    }
  }

  /** An owner that went while no operator ran, or under another leader, must not keep its login's rights. */
  async #sweep(byOwner: ReadonlyMap<string, unknown>): Promise<void> {
    if (this.#isSwept) return
    for (const owner of await this.#ownersWithLogins()) {
      if (byOwner.has(owner)) continue
      await this.#leave(owner)
      // Each leader would keep it for an hour of its own.
      if (!(await this.#isAnythingLeftToRead(owner))) this.#leaving.set(owner, this.#looks)
    }
    this.#isSwept = true
  }

  async #leave(owner: string): Promise<void> {
    await restrictTenantUser(this.#redis, owner)
    this.#set.delete(owner)
    if (!this.#leaving.has(owner)) this.#leaving.set(owner, this.#looks + LOOKS_UNTIL_TAKEN_AWAY)
  }

  /** True where that cannot be told. */
  async #isAnythingLeftToRead(owner: string): Promise<boolean> {
    const shard = ownerShard(owner)
    try {
      return (await this.#redis.send(shard, ['GET', shard], { timeoutMs: TIMEOUT_MS })) !== null
    } catch {
      return true
    }
  }

  async #takeAway(): Promise<void> {
    for (const [owner, due] of this.#leaving) {
      if (due > this.#looks) continue
      await removeTenantUser(this.#redis, owner)
      this.#leaving.delete(owner)
      this.#log.info({ owner }, 'Redis login without virtual keys removed')
    }
  }

  /** None where Redis refuses to tell: the operator's login has no right to ACL LIST, and will not get it by asking. */
  async #ownersWithLogins(): Promise<Iterable<string>> {
    try {
      return new Set((await ownersWithLogins(this.#redis)).flatMap((owners) => [...owners]))
    } catch (error) {
      if (!isRefusedCommand(error)) throw error
      this.#log.warn(errorFields(error), 'Redis logins of former leaders not looked for')
      return []
    }
  }
}

function organizationsOf(keys: Snapshot['virtualKeys']): readonly string[] {
  return [...new Set(keys.map(({ organization }) => organization))].toSorted()
}

/** Redis repeats what it was sent: an owner's name and its password's hash, which are not for all who read a key's status. */
const SENT = /, with args beginning with:.*/s

/** An older Redis: it will not know the rule by being asked again. The reply itself, or what the connection made of it. */
function isUnknownRule(error: unknown): boolean {
  return error instanceof Error && (UNKNOWN_RULE.test(error.message) || isUnknownRule(error.cause))
}

const UNKNOWN_RULE = /^ERR Error in ACL SETUSER modifier '.*': /s

/** The reply tells which command, and of a login that lacks the right to it. */
function refusal(error: unknown): Problem {
  const said = error instanceof Error ? error.message.replace(SENT, '').replace(UNKNOWN_RULE, '') : ''
  const reply = said.slice(0, MAX_REPLY).toWellFormed()
  const [why, cure] = isUnknownRule(error)
    ? ['does not know the rules of logins for sidecars', 'Redis 7 or newer, or Valkey, does']
    : [
        'does not let the operator make logins for sidecars',
        'allow its login ACL SETUSER, or name one login for all of them (Helm: redis.external.sidecarSecret)',
      ]
  return { reason: 'SidecarLoginRefused', message: `Redis ${why}, so none can start: ${reply}; ${cure}` }
}
