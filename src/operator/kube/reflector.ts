/**
 * Keeps a store equal to what the API server holds of one resource.
 *
 *   list ---ok---> replace the store ---> watch from the list's version --event, bookmark--> store, version
 *    ^  \                                   |   ^
 *    |   `- failed: wait, list again        |   `-- ended, broken, silent: wait, watch again from the last version
 *    `--------------------------------------'
 *       410, or several watches in a row told nothing, or nothing was heard for ten minutes
 *
 * - Waits are 0.8 s to 30 s, random, and never shorter than the server's Retry-After. A watch that ended as agreed is
 *   opened again at once, so that there is no blind window.
 * - Versions make it exact: what happened while no watch was open comes with the next one, or a list's difference tells it.
 * - Handlers are told of each change after the store has it. They must only enqueue keys: they run between two events,
 *   and what they throw is logged and otherwise lost.
 */
import { Backoff } from './backoff.ts'
import type { KubeClient, Selection } from './kube-api.ts'
import { KubeError } from './kube-error.ts'
import { deepFreeze, keyOf } from './kube-object.ts'
import type { KubeObject } from './kube-object.ts'
import { errorFields } from './log.ts'
import type { Log } from './log.ts'
import { ObjectStore } from './object-store.ts'
import type { IndexFunction, ObjectChange, ObjectLookup } from './object-store.ts'
import type { Resource } from './resource.ts'
import { pause } from './timing.ts'
import type { Milliseconds, Timing } from './timing.ts'
import type { WatchEvent } from './watch-events.ts'

/** As client-go's reflector. */
const BACKOFF_MIN_MS = 800
const BACKOFF_MAX_MS = 30_000
/** The server ends each watch after 300 to 600 s; random, so that not all end together. */
const WATCH_MIN_SECONDS = 300
/** Watches in a row that failed without telling anything: their version may be what is wrong (a server restored from a backup). */
const FRUITLESS_WATCHES = 5
const WATCHDOG_MS = 10 * 60_000
/** A watch that ends sooner counts as failed: a server that closes at once must not be asked again at once. */
const SHORT_WATCH_MS = 1_000

export interface ReflectorOptions extends Selection {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly resource: Resource
  readonly timing: Timing
  readonly log: Log
  readonly indexes?: Readonly<Record<string, IndexFunction>>
  /** Drops what nobody needs before it is kept; gets a copy without managedFields. */
  readonly transform?: (object: KubeObject) => KubeObject
  /** Silence after which a watch is given up. */
  readonly inactivityMs?: Milliseconds
}

export interface ReflectorStats {
  readonly objects: number
  readonly lists: number
  readonly watches: number
  readonly failures: number
  /** Nothing has been heard since the last failure: what is in the store may be old. */
  readonly isFailing: boolean
  /** Events from watches. */
  readonly events: number
  /** Since anything was heard, bookmarks included; undefined before the first list. */
  readonly silentMs: Milliseconds | undefined
}

export type ChangeHandler = (change: ObjectChange) => void

export class Reflector {
  readonly #options: ReflectorOptions
  readonly #store: ObjectStore
  readonly #backoff: Backoff
  readonly #stopping = new AbortController()
  readonly #handlers: ChangeHandler[] = []
  readonly #synced = Promise.withResolvers<void>()
  #running: Promise<void> | undefined
  #hasSynced = false
  #version = ''
  #heardAt: Milliseconds | undefined
  #fruitless = 0
  /** Since the last watch that lasted. */
  #hasExpired = false
  #lists = 0
  #watches = 0
  #failures = 0
  #isFailing = false
  #events = 0

  constructor(options: ReflectorOptions) {
    this.#options = options
    this.#store = new ObjectStore(options.indexes)
    this.#backoff = new Backoff(BACKOFF_MIN_MS, BACKOFF_MAX_MS, options.timing)
  }

  get resource(): Resource {
    return this.#options.resource
  }

  get store(): ObjectLookup {
    return this.#store
  }

  /** The first list is in the store, and its handlers have run. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Resolves with `hasSynced`; never if it is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise
  }

  get stats(): ReflectorStats {
    return {
      objects: this.#store.size,
      lists: this.#lists,
      watches: this.#watches,
      failures: this.#failures,
      isFailing: this.#isFailing,
      events: this.#events,
      silentMs: this.#heardAt === undefined ? undefined : this.#options.timing.elapsed() - this.#heardAt,
    }
  }

  /** Register before `start`: there is no replay. */
  onChange(handler: ChangeHandler): void {
    this.#handlers.push(handler)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends the watch; resolves when nothing runs any more. The store stays as it is. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.#attempt(this.#mustList() ? () => this.#list() : () => this.#watch())
  }

  /** One step, and the wait that follows a failure. Never rejects: nothing above could do better. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      if (!this.#stopped) await this.#afterFailure(error)
    }
  }

  async #afterFailure(error: unknown): Promise<void> {
    const { timing, log, resource } = this.#options
    if (error instanceof KubeError && error.isExpired) {
      // Not a fault: etcd was compacted, or the API server has started anew, and is there again after all those waits.
      // The next list may come at once, unless they keep coming.
      this.#version = ''
      log.info({ resource: resource.plural, ...errorFields(error) }, 'watch expired')
      if (!this.#hasExpired) {
        this.#hasExpired = true
        return void this.#backoff.next()
      }
    }
    this.#failures += 1
    this.#isFailing = true
    const waitMs = this.#backoff.next(error instanceof KubeError ? error.retryAfterMs : undefined)
    log.warn({ resource: resource.plural, waitMs: Math.round(waitMs), ...errorFields(error) }, 'list or watch failed')
    await pause(timing, waitMs, this.#stopping.signal)
  }

  #mustList(): boolean {
    const { timing } = this.#options
    const silent = this.#heardAt === undefined || timing.elapsed() - this.#heardAt > WATCHDOG_MS
    return this.#version === '' || silent || this.#fruitless >= FRUITLESS_WATCHES
  }

  async #list(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options
    this.#lists += 1
    const selection = { namespace, labelSelector, fieldSelector }
    const { items, resourceVersion } = await client.list(resource, { ...selection, signal: this.#stopping.signal })
    this.#tell(this.#store.replace(items.map((item) => this.#prepare(item))))
    this.#version = resourceVersion
    this.#fruitless = 0
    this.#heard()
    this.#hasSynced = true
    this.#synced.resolve()
  }

  async #watch(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector, inactivityMs, timing } = this.#options
    this.#watches += 1
    const begunAt = timing.elapsed()
    let fruitful = false
    try {
      const events = client.watch(resource, {
        namespace,
        labelSelector,
        fieldSelector,
        resourceVersion: this.#version,
        timeoutSeconds: Math.floor(WATCH_MIN_SECONDS * (1 + timing.random())),
        ...(inactivityMs === undefined ? {} : { inactivityMs }),
        signal: this.#stopping.signal,
      })
      for await (const event of events) {
        fruitful = true
        this.#take(event)
      }
    } finally {
      this.#fruitless = fruitful ? 0 : this.#fruitless + 1
      // Only then: one event and an end, over and over, would otherwise be a loop without a wait.
      if (fruitful && timing.elapsed() - begunAt >= SHORT_WATCH_MS) this.#goesWell()
    }
    if (this.#stopped) return
    if (timing.elapsed() - begunAt < SHORT_WATCH_MS) throw new Error('the watch ended at once')
    this.#fruitless = 0
    this.#goesWell()
  }

  #goesWell(): void {
    this.#backoff.reset()
    this.#hasExpired = false
    this.#isFailing = false
  }

  #take(event: WatchEvent): void {
    this.#heard()
    if (event.type === 'bookmark') {
      this.#version = event.resourceVersion
      return
    }
    this.#events += 1
    const { object, type } = event
    const change = this.#store.put(keyOf(object), type === 'object-deleted' ? undefined : this.#prepare(object))
    this.#version = object.metadata.resourceVersion ?? this.#version
    if (change !== undefined) this.#tell([change])
  }

  #prepare(object: KubeObject): KubeObject {
    delete object.metadata['managedFields']
    return deepFreeze(this.#options.transform?.(object) ?? object)
  }

  #tell(changes: readonly ObjectChange[]): void {
    for (const change of changes) {
      for (const handler of this.#handlers) {
        try {
          handler(change)
        } catch (error) {
          const { log, resource } = this.#options
          log.error({ resource: resource.plural, key: change.key, ...errorFields(error) }, 'change handler failed')
        }
      }
    }
  }

  #heard(): void {
    this.#heardAt = this.#options.timing.elapsed()
    this.#isFailing = false
  }
}
