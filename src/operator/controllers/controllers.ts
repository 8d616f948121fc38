/**
 * The controllers together: changes of the cluster in; Secrets, finalizers, statuses, events and the published
 * configuration out. Every replica watches and builds; only the one that is told to `lead` writes.
 */
import type { Secret } from '../../domain/secret.ts'
import { deriveKeyPepper, keyDigester } from '../../crypto/derive.ts'
import type { ContentHash } from '../../domain/snapshot/shards.ts'
import type { PatternCheck } from '../../domain/resources/organizations.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { runWorkers } from '../kube/run-workers.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import { WorkQueue } from '../kube/work-queue.ts'
import { acknowledgedRevisions } from '../publish/acknowledgements.ts'
import { Publisher } from '../publish/publisher.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { ShardSigner } from '../publish/sign.ts'
import { ClusterView } from './cluster-view.ts'
import type { ClusterChange } from './cluster-view.ts'
import { Configuration } from './configuration.ts'
import type { Build } from './configuration.ts'
import { createLook } from './look.ts'
import { ProgrammedLedger } from './programmed.ts'
import { StatusWriter } from './status-writer.ts'
import { TenantLogins } from './tenant-logins.ts'
import { VirtualKeyController } from './virtual-key.ts'

/** Of each queue: what bounds the work is the API server's latency and the client's rate. */
const WORKERS = 32
const DRAIN_MS = 10_000
const ACKNOWLEDGEMENT_POLL_MS = 1_000
/** A publication that fails for so long is said in the statuses; a shorter one would only make them flap. */
const STORE_PATIENCE_MS = 5_000
const STATUS_PATIENCE_MS = 6_000

export interface ControllersOptions {
  readonly client: KubeClient
  readonly redis: PublishRedis
  readonly timing: Timing
  readonly log: Log
  readonly events: EventRecorder
  /** The operator's own. */
  readonly namespace: string
  readonly master: Secret
  readonly signer: ShardSigner
  readonly contentHash: ContentHash
  readonly checkPattern: PatternCheck
  readonly randomBytes: (count: number) => Uint8Array
  readonly metrics: ControllerMetrics
  readonly onBuilt?: (build: Build) => void
  /** A later leader has written: this process must end. */
  readonly onFenced: (epoch: number) => void
}

/** Counted as it happens; what is a level is read from `figures`. */
export interface ControllerMetrics {
  reconcileFailed(work: string): void
  repaired(shards: number): void
  statusWritten(): void
}

export interface ControllerFigures {
  readonly queueDepth: Readonly<Record<string, number>>
  readonly shards: number
  readonly virtualKeys: number
}

export class Controllers {
  readonly #options: ControllersOptions
  readonly #view: ClusterView
  readonly #configuration: Configuration
  readonly #ledger = new ProgrammedLedger()
  readonly #keys: WorkQueue
  readonly #statuses: WorkQueue
  readonly #keyController: VirtualKeyController
  readonly #statusWriter: StatusWriter
  readonly #logins: TenantLogins
  readonly #digesters = new Map<string, (text: string) => string>()
  #workers: Promise<unknown> | undefined
  #cancelPoll: Cancel | undefined
  #failingSince: Milliseconds | undefined
  #stopped = false

  constructor(options: ControllersOptions) {
    this.#options = options
    const { client, timing, log, namespace, events } = options
    this.#keys = new WorkQueue({ timing })
    this.#statuses = new WorkQueue({ timing })
    this.#logins = new TenantLogins(options.redis, options.master, log)
    this.#view = new ClusterView({ client, timing, log, namespace, onChange: (change) => this.#note(change) })
    this.#configuration = new Configuration({
      ...options,
      view: this.#view,
      digestOf: (text, owner) => this.#digesterOf(owner)(text),
      onBuilt: (build) => options.onBuilt?.(build),
      onPublished: (build) => this.#published(build),
      onPublicationFailed: () => this.#publicationFailed(),
      onRepaired: (shards) => this.#repaired(shards),
    })
    const shared = {
      client,
      view: this.#view,
      events,
      ledger: this.#ledger,
      now: timing.now,
      isStoreUnavailable: () => this.#isStoreUnavailable(),
    }
    this.#keyController = new VirtualKeyController({
      ...shared,
      log,
      randomBytes: options.randomBytes,
      onOutcome: (key) => this.#statuses.add(`VirtualKey/${key}`),
    })
    this.#statusWriter = new StatusWriter({
      ...shared,
      build: () => this.#configuration.build,
      keyProblem: (key) => this.#keyController.problemOf(key),
    })
  }

  get hasSynced(): boolean {
    return this.#view.hasSynced
  }

  /** The latest; undefined before the first. */
  get build(): Build | undefined {
    return this.#configuration.build
  }

  get figures(): ControllerFigures {
    const { build } = this.#configuration
    return {
      queueDepth: { keys: this.#keys.stats.depth, statuses: this.#statuses.stats.depth },
      shards: build?.shards.length ?? 0,
      virtualKeys: build?.snapshot.virtualKeys.length ?? 0,
    }
  }

  /** Resolves when the cluster has been read once and changes count. */
  async start(): Promise<void> {
    await this.#view.start()
    if (!this.#stopped) this.#configuration.start()
  }

  /** Begins to write, as the leader of this epoch. Call after `start`. */
  lead(epoch: number, isLeader: () => boolean): void {
    if (this.#stopped) return
    const { redis, signer, contentHash, timing } = this.#options
    const publisher = new Publisher({ redis, signer, epoch, contentHash, now: timing.now })
    this.#configuration.lead({ publisher, isLeader, look: createLook(redis, epoch) })
    for (const key of this.#view.virtualKeys.list()) this.#addKey(key)
    this.#workers = Promise.all([
      this.#work('virtual key', this.#keys, isLeader, this.#keyController.reconcile),
      this.#work('status', this.#statuses, isLeader, async (id) => {
        if (await this.#statusWriter.write(id)) this.#options.metrics.statusWritten()
        return undefined
      }),
    ])
  }

  /** Finishes what is under way, within ten seconds. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    await this.#configuration.stop()
    if (this.#workers !== undefined) {
      await Promise.all([this.#keys.drain(DRAIN_MS), this.#statuses.drain(DRAIN_MS)])
    }
    await this.#options.events.flush()
    await this.#view.stop()
  }

  /** The logins of Redis must be set again: it has been away. */
  redisReturned(): void {
    this.#logins.forget()
    this.#configuration.request()
  }

  #work(
    name: string,
    queue: WorkQueue,
    isLeader: () => boolean,
    reconcile: (key: string) => Promise<number | undefined>,
  ): Promise<void> {
    const { log, metrics } = this.#options
    const guarded = async (key: string): Promise<number | undefined> => {
      if (!isLeader()) return undefined
      try {
        return await reconcile(key)
      } catch (error) {
        metrics.reconcileFailed(name)
        throw error
      }
    }
    return runWorkers({ queue, reconcile: guarded, concurrency: WORKERS, name, log })
  }

  #note({ kind, change }: ClusterChange): void {
    if (kind === 'Secret') {
      const secret = change?.current ?? change?.previous
      if (secret !== undefined && !this.#isNeeded(secret)) return
      this.#noteSecret(secret)
    } else if (kind === 'VirtualKey' && change !== undefined) {
      this.#keys.add(change.key)
      this.#statuses.add(`VirtualKey/${change.key}`)
      if (isStatusOnly(change.previous, change.current)) return
    } else if (change !== undefined) {
      if (kind !== 'Namespace') this.#statuses.add(`${kind}/${change.key}`)
      if (isStatusOnly(change.previous, change.current)) return
    }
    this.#configuration.request()
  }

  /** Most Secrets of a cluster are nobody's key and change often. */
  #isNeeded(secret: KubeObject): boolean {
    return secret.metadata.namespace === this.#options.namespace || this.#view.keysOfSecret(secret).length > 0
  }

  #noteSecret(secret: KubeObject | undefined): void {
    // The access to a namespace: whose Secrets it are is not known.
    const keys =
      secret === undefined
        ? this.#view.virtualKeys.list().map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
        : this.#view.keysOfSecret(secret)
    for (const key of keys) this.#keys.add(key)
  }

  #addKey({ metadata }: KubeObject): void {
    this.#keys.add(`${metadata.namespace ?? ''}/${metadata.name}`)
  }

  #published(build: Build): void {
    this.#failingSince = undefined
    this.#ledger.published(build)
    for (const key of this.#view.virtualKeys.list()) if (key.metadata['deletionTimestamp']) this.#addKey(key)
    void this.#logins.ensure(build.snapshot)
    // First, so that a key which no sidecar uses yet is not called pending in between.
    void this.#poll().then(() => this.#addStatuses(build))
  }

  #publicationFailed(): void {
    const { timing } = this.#options
    if (this.#failingSince !== undefined) return
    this.#failingSince = timing.elapsed()
    timing.after(STATUS_PATIENCE_MS, () => {
      const { build } = this.#configuration
      if (this.#isStoreUnavailable() && build !== undefined) this.#addStatuses(build)
    })
  }

  #isStoreUnavailable(): boolean {
    return this.#failingSince !== undefined && this.#options.timing.elapsed() - this.#failingSince > STORE_PATIENCE_MS
  }

  #addStatuses(build: Build): void {
    for (const id of build.generations.keys()) this.#statuses.add(id)
  }

  #repaired(shards: number): void {
    const { metrics, events, namespace } = this.#options
    metrics.repaired(shards)
    const home = this.#view.namespaces.get(namespace)
    if (home === undefined) return
    const note = `${shards} shards in Redis were not what had been published and were written again`
    events.record(home, { type: 'Warning', reason: 'ConfigurationRepaired', action: 'Repair', note })
  }

  /** At once after a publication, then each second while an entry is not acknowledged by all. Never rejects. */
  async #poll(): Promise<void> {
    const { redis, log, timing } = this.#options
    try {
      for (const owner of this.#ledger.pendingOwners) {
        const reached = this.#ledger.acknowledged(owner, await acknowledgedRevisions(redis, owner))
        for (const id of reached) this.#statuses.add(id)
      }
    } catch (error) {
      log.debug(errorFields(error), 'acknowledgements not read')
    }
    if (this.#stopped || this.#ledger.pendingOwners.length === 0) return
    this.#cancelPoll?.()
    this.#cancelPoll = timing.after(ACKNOWLEDGEMENT_POLL_MS, () => void this.#poll())
  }

  #digesterOf(owner: string): (text: string) => string {
    let digester = this.#digesters.get(owner)
    if (digester === undefined) {
      digester = keyDigester(deriveKeyPepper(this.#options.master, owner))
      this.#digesters.set(owner, digester)
    }
    return digester
  }
}

/** Our own writes come back as events; nothing that is built from has changed. */
function isStatusOnly(previous: KubeObject | undefined, current: KubeObject | undefined): boolean {
  if (previous === undefined || current === undefined) return false
  const { metadata } = current
  return (
    metadata.generation !== undefined &&
    previous.metadata.uid === metadata.uid &&
    previous.metadata.generation === metadata.generation &&
    previous.metadata['deletionTimestamp'] === metadata['deletionTimestamp']
  )
}
