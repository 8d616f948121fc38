/**
 * The controllers together: changes of the cluster in; Secrets, finalizers, statuses, events and the published
 * configuration out. Every replica watches and builds; only the one that is told to `lead` writes.
 */
import type { Secret } from '../../domain/secret.ts'
import { ownersOf, type ContentHash } from '../../domain/snapshot/shards.ts'
import type { PatternCheck } from '../../domain/resources/organizations.ts'
import type { EventRecorder, ObjectEvent } from '../kube/event-recorder.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { keyOf, type KubeObject } from '../kube/kube-object.ts'
import type { Log } from '../kube/log.ts'
import type { ObjectLookup } from '../kube/object-store.ts'
import type { Timing } from '../kube/timing.ts'
import { publishedDigests } from '../publish/published-shards.ts'
import { Publisher } from '../publish/publisher.ts'
import type { PublishRedis } from '../publish/redis-port.ts'
import type { ShardSigner } from '../publish/sign.ts'
import { CircuitPoll } from '../health/circuit-poll.ts'
import { HealthMonitor, type ProviderProber } from '../health/health-monitor.ts'
import { UsageWatch, type UsageMetrics } from '../usage/usage-watch.ts'
import { AcknowledgementPoll } from './acknowledgement-poll.ts'
import { changedResources } from './build-changes.ts'
import { ChangeRouter } from './change-router.ts'
import { ClusterView, type ClusterChange } from './cluster-view.ts'
import { Configuration } from './configuration.ts'
import type { Build } from './build.ts'
import { Finalizers } from './finalizers.ts'
import { keyDigests } from './key-digests.ts'
import { createLook } from './look.ts'
import { configurationRepaired, countersRestored } from './loss-events.ts'
import { ProgrammedLedger } from './programmed.ts'
import { PublicationTrouble } from './publication-trouble.ts'
import { StatusWriter } from './status-writer.ts'
import type { TenantLogins } from './tenant-logins.ts'
import { VirtualKeyController } from './virtual-key.ts'
import { Work } from './work.ts'

export interface ControllersOptions {
  readonly client: KubeClient
  readonly redis: PublishRedis
  /** Undefined: sidecars have a login that others keep. */
  readonly logins: TenantLogins | undefined
  readonly timing: Timing
  readonly log: Log
  readonly events: EventRecorder
  /** The operator's own. */
  readonly namespace: string
  readonly master: Secret
  readonly signer: ShardSigner
  readonly contentHash: ContentHash
  readonly checkPattern: PatternCheck
  /** Names of the installation's own Secrets, which no Provider may use. */
  readonly reservedSecrets: ReadonlySet<string>
  readonly prober: ProviderProber
  readonly randomBytes: (count: number) => Uint8Array
  readonly metrics: ControllerMetrics
  /** For people: why Redis does not take the configuration. */
  readonly storeTrouble: (error: unknown) => string
  readonly onBuilt?: (build: Build) => void
  /** A Secret, as it is read or changed. */
  readonly onSecret?: (secret: KubeObject) => void
  /** A later leader has written: this process must end. */
  readonly onFenced: (epoch: number) => void
}

/** Counted as it happens; what is a level is read from `figures`. */
export interface ControllerMetrics extends UsageMetrics {
  repaired(shards: number): void
  statusWritten(): void
}

export interface ControllerFigures {
  readonly queueDepth: Readonly<Record<string, number>>
  /** By resource: it cannot be read at the moment. */
  readonly failingWatches: Readonly<Record<string, boolean>>
  readonly shards: number
  readonly virtualKeys: number
  /** Keys, projects and organizations whose budget or token quota is spent. */
  readonly exhaustedQuotas: number
  /** Providers that are said to be not healthy. */
  readonly unhealthyProviders: number
}

export class Controllers {
  readonly #options: ControllersOptions
  readonly #view: ClusterView
  readonly #configuration: Configuration
  readonly #ledger = new ProgrammedLedger()
  readonly #router: ChangeRouter
  readonly #acknowledgements: AcknowledgementPoll
  readonly #trouble: PublicationTrouble
  readonly #work: Work
  readonly #finalizers: Finalizers
  readonly #keyController: VirtualKeyController
  readonly #statusWriter: StatusWriter
  readonly #usage: UsageWatch
  readonly #health: HealthMonitor
  readonly #circuits: CircuitPoll
  /** What was published last by this process. */
  #told: Build | undefined
  #stopped = false

  constructor(options: ControllersOptions) {
    this.#options = options
    const { client, redis, timing, log, namespace, events } = options
    this.#work = new Work({ timing, log, onFailed: (name) => options.metrics.reconcileFailed(name) })
    this.#view = new ClusterView({ client, timing, log, namespace, onChange: (change) => this.#note(change) })
    this.#configuration = new Configuration({
      ...options,
      view: this.#view,
      digestOf: keyDigests(options.master),
      digestsInForce: () => publishedDigests(redis, options.signer),
      onBuilt: (build) => options.onBuilt?.(build),
      onPublish: (build) => this.#prepare(build),
      onPublished: (build) => this.#published(build),
      onPublicationFailed: (problem) => this.#trouble.failed(problem),
      onRepaired: (shards) => this.#repaired(shards),
      onLook: () => void this.#withLogins((logins) => logins.check()),
    })
    this.#router = new ChangeRouter({
      view: this.#view,
      namespace,
      keys: this.#work.whileLeading(this.#work.keys),
      statuses: this.#work.whileLeading(this.#work.statuses),
      onInputChanged: () => this.#configuration.request(),
    })
    this.#acknowledgements = new AcknowledgementPoll({
      redis,
      ledger: this.#ledger,
      timing,
      log,
      onReached: (id) => this.#work.statuses.add(id),
    })
    this.#usage = new UsageWatch({
      ...options,
      view: this.#view,
      onQuotaChanged: (id) => this.#work.statuses.add(id),
      onRestored: (name, counters) => this.#tell(this.#view.organizations.get(name), countersRestored(counters)),
    })
    this.#health = new HealthMonitor({ ...options, onChanged: (name) => this.#work.statuses.add(`Provider/${name}`) })
    this.#circuits = new CircuitPoll({
      ...options,
      owners: () => this.build && ownersOf(this.build.snapshot),
      onReport: (circuits) => this.#health.report(circuits),
    })
    this.#trouble = new PublicationTrouble(
      timing,
      () => this.build,
      (ids) => this.#addStatuses(ids),
    )
    this.#finalizers = new Finalizers({ client, view: this.#view })
    const shared = {
      client,
      view: this.#view,
      events,
      ledger: this.#ledger,
      now: timing.now,
      publicationProblem: () => this.#trouble.lasting,
    }
    this.#keyController = new VirtualKeyController({
      ...shared,
      log,
      timing,
      randomBytes: options.randomBytes,
      finalizers: this.#finalizers,
      onUnfinalized: (key) => this.#work.finalizers.add(key),
      onOutcome: (key) => this.#work.statuses.add(`VirtualKey/${key}`),
      onRefused: () => options.metrics.reconcileFailed('virtual key'),
    })
    this.#statusWriter = new StatusWriter({
      ...shared,
      build: () => this.#configuration.build,
      loginProblem: () => options.logins?.problem,
      keyProblem: (key) => this.#keyController.problemOf(key),
      exhaustionOf: (id) => this.#usage.exhaustionOf(id),
      exhaustedProjects: (organization) => this.#usage.exhaustedProjects(organization),
      healthOf: (provider) => this.#health.healthOf(provider),
    })
  }

  get hasSynced(): boolean {
    return this.#view.hasSynced
  }

  get virtualKeys(): ObjectLookup {
    return this.#view.virtualKeys
  }

  get namespaces(): ObjectLookup {
    return this.#view.namespaces
  }

  /** The latest; undefined before the first. */
  get build(): Build | undefined {
    return this.#configuration.build
  }

  get figures(): ControllerFigures {
    const { build } = this.#configuration
    return {
      queueDepth: this.#work.depths,
      failingWatches: this.#view.failing,
      shards: build?.shards.length ?? 0,
      virtualKeys: build?.snapshot.virtualKeys.length ?? 0,
      exhaustedQuotas: this.#usage.exhausted,
      unhealthyProviders: this.#health.unhealthy,
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
    this.#usage.lead(isLeader)
    this.#circuits.lead(isLeader)
    this.#work.lead(isLeader, {
      keys: this.#keyController.reconcile,
      statuses: async (id) => {
        if (await this.#statusWriter.write(id)) this.#options.metrics.statusWritten()
        return undefined
      },
      finalizers: (key) => this.#finalizers.add(key),
    })
    this.#router.addAll()
  }

  /** Finishes what is under way, within ten seconds. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const part of [this.#acknowledgements, this.#circuits, this.#health]) part.stop()
    await Promise.all([this.#configuration.stop(), this.#usage.stop()])
    await this.#work.stop()
    await this.#options.events.flush()
    await this.#view.stop()
  }

  /** The logins of Redis must be set again: it has been away. */
  redisReturned(): void {
    this.#options.logins?.forget()
    this.#configuration.request()
  }

  #note(noted: ClusterChange): void {
    if (noted.kind === 'VirtualKey' && noted.change !== undefined) this.#finalizers.note(noted.change)
    if (noted.kind === 'Secret' && noted.change?.current !== undefined) this.#options.onSecret?.(noted.change.current)
    this.#router.note(noted)
  }

  /** What a publication by this leader relies on. @throws where Redis does not answer */
  async #prepare(build: Build): Promise<void> {
    this.#health.use(build.snapshot.providers, build.credentials)
    await this.#usage.prepare(build.snapshot)
    this.#ledger.publishing(build)
  }

  #published(build: Build): void {
    // During lasting trouble statuses have told of builds that were never published.
    const before = this.#trouble.lasting === undefined ? this.#told : undefined
    this.#told = build
    this.#trouble.succeeded()
    this.#ledger.published(build)
    this.#router.addDeleting()
    void this.#withLogins((logins) => logins.ensure(build.snapshot))
    // First, so that a key which no sidecar uses yet is not called pending in between.
    void this.#acknowledgements.run().then(() => this.#addStatuses(changedResources(before, build)))
  }

  /** Statuses of keys say whether sidecars can log in. */
  async #withLogins(work: (logins: TenantLogins) => Promise<void>): Promise<void> {
    const { logins } = this.#options
    if (logins === undefined) return
    await work(logins)
    if (!logins.takeChange()) return
    this.#addStatuses(this.#view.virtualKeys.list().map((key) => `VirtualKey/${keyOf(key)}`))
  }

  #addStatuses(ids: Iterable<string> = []): void {
    for (const id of ids) this.#work.statuses.add(id)
  }

  #repaired(shards: number): void {
    const { metrics, namespace } = this.#options
    metrics.repaired(shards)
    this.#tell(this.#view.namespaces.get(namespace), configurationRepaired(shards))
  }

  #tell(object: KubeObject | undefined, event: ObjectEvent): void {
    if (object !== undefined) this.#options.events.record(object, event)
  }
}
