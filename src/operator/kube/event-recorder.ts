/**
 * Events that people see in `kubectl describe`, without ever standing in the work's way: `record` returns at once, a
 * loop writes. The same event again within ten minutes becomes a count on the first one (`series`, written at most once
 * a minute); a hot object and the whole process have a rate, and what exceeds it or the queue is dropped and counted.
 */
import type { JsonObject } from '../../domain/json.ts'
import type { KubeClient } from './kube-api.ts'
import { KubeError } from './kube-error.ts'
import type { KubeObject } from './kube-object.ts'
import { microTime } from './lease.ts'
import { errorFields } from './log.ts'
import type { Log } from './log.ts'
import { apiVersionOf, EVENTS } from './resource.ts'
import type { Milliseconds, Timing } from './timing.ts'
import { TokenBucket } from './token-bucket.ts'

const SERIES_WINDOW_MS = 10 * 60_000
const SERIES_WRITE_MS = 60_000
/** Different events of one object: as client-go, 25 at once, then one in five minutes. */
const OBJECT_BURST = 25
const OBJECT_PER_SECOND = 1 / 300
const PROCESS_BURST = 50
const PROCESS_PER_SECOND = 5
const MAX_PENDING = 500
/** Series and rates that are remembered. */
const MAX_REMEMBERED = 2_000
/** Bound of the API server for `note`. */
const MAX_NOTE_BYTES = 1_024

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning'
  /** A stable word, such as `KeyRotated`. */
  readonly reason: string
  /** What was done or tried, such as `Rotate`. */
  readonly action: string
  /** For people. Never a secret. */
  readonly note: string
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'createEvent' | 'jsonPatch'>
  readonly timing: Timing
  readonly log: Log
  /** Such as `tollgate.dev/operator`. */
  readonly controller: string
  /** The pod's name. */
  readonly instance: string
}

export interface EventRecorderStats {
  readonly written: number
  readonly dropped: number
}

interface Series {
  readonly namespace: string
  readonly name: string
  count: number
  lastAt: Milliseconds
  writtenAt: Milliseconds
  isPending: boolean
}

export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #overall: TokenBucket
  /** Oldest first, both. */
  readonly #series = new Map<string, Series>()
  readonly #rates = new Map<string, TokenBucket>()
  readonly #pending: (() => Promise<void>)[] = []
  #writing: Promise<void> | undefined
  #sequence = 0
  #written = 0
  #dropped = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#overall = new TokenBucket(PROCESS_PER_SECOND, PROCESS_BURST, options.timing)
  }

  get stats(): EventRecorderStats {
    return { written: this.#written, dropped: this.#dropped }
  }

  /** Tells of something that happened to `object`. Never throws, never waits. */
  record(object: KubeObject, event: ObjectEvent): void {
    const id = [object.metadata.uid, event.type, event.reason, event.action, event.note].join('\n')
    const series = this.#series.get(id)
    const now = this.#options.timing.elapsed()
    if (series !== undefined && now - series.lastAt < SERIES_WINDOW_MS) return this.#count(series, now)
    if (!this.#mayWrite(object.metadata.uid ?? '')) return void (this.#dropped += 1)
    const body = this.#render(object, event)
    this.#remember(this.#series, id, { ...body.metadata, count: 1, lastAt: now, writtenAt: now, isPending: false })
    this.#enqueue(async () => void (await this.#options.client.createEvent({ ...body })))
  }

  /** Resolves when all that was recorded is written or given up. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  #count(series: Series, now: Milliseconds): void {
    series.count += 1
    series.lastAt = now
    if (series.isPending || now - series.writtenAt < SERIES_WRITE_MS) return
    series.isPending = true
    series.writtenAt = now
    this.#enqueue(async () => {
      series.isPending = false
      const value = { count: series.count, lastObservedTime: microTime(this.#options.timing.now()) }
      await this.#options.client.jsonPatch(EVENTS, series, [{ op: 'add', path: '/series', value }])
    })
  }

  #mayWrite(uid: string): boolean {
    let rate = this.#rates.get(uid)
    if (rate === undefined) {
      rate = new TokenBucket(OBJECT_PER_SECOND, OBJECT_BURST, this.#options.timing)
      this.#remember(this.#rates, uid, rate)
    }
    return rate.tryTake() && this.#overall.tryTake()
  }

  #remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
    map.delete(key)
    map.set(key, value)
    const oldest = map.size > MAX_REMEMBERED ? map.keys().next().value : undefined
    if (oldest !== undefined) map.delete(oldest)
  }

  #enqueue(write: () => Promise<void>): void {
    if (this.#pending.length >= MAX_PENDING) return void (this.#dropped += 1)
    this.#pending.push(write)
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async #writeAll(): Promise<void> {
    for (let write = this.#pending.shift(); write !== undefined; write = this.#pending.shift()) {
      try {
        await write()
        this.#written += 1
      } catch (error) {
        // Not tried again: an event is news, and the condition on the object tells the state.
        this.#dropped += 1
        const expected = error instanceof KubeError && error.isNotFound
        if (!expected) this.#options.log.debug(errorFields(error), 'event not written')
      }
    }
  }

  #render(object: KubeObject, event: ObjectEvent) {
    const { timing, controller, instance } = this.#options
    const { name, namespace, uid, resourceVersion } = object.metadata
    this.#sequence += 1
    const suffix = `${timing.now().toString(16)}${(this.#sequence % 4_096).toString(16).padStart(3, '0')}`
    return {
      apiVersion: apiVersionOf(EVENTS),
      kind: EVENTS.kind,
      // The API server wants events of cluster-scoped objects in `default`.
      metadata: { name: `${name.slice(0, 230)}.${suffix}`, namespace: namespace ?? 'default' },
      eventTime: microTime(timing.now()),
      reportingController: controller,
      reportingInstance: instance.slice(0, 128),
      type: event.type,
      reason: event.reason.slice(0, 128),
      action: event.action.slice(0, 128),
      note: clip(event.note),
      regarding: reference({ apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion }),
    }
  }
}

function reference(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** At most so many bytes, never half a character. */
function clip(note: string): string {
  if (Buffer.byteLength(note) <= MAX_NOTE_BYTES) return note
  return new TextDecoder().decode(Buffer.from(note).subarray(0, MAX_NOTE_BYTES - 3)).replace(/\uFFFD+$/, '')
}
