/**
 * Active health checks, for providers with `healthCheck.mode: Active`: a GET every interval, down after
 * `unhealthyThreshold` failures in a row, up after `healthyThreshold` successes. Between two checks each provider waits
 * 90-110 % of its interval, so that ten thousand sidecars do not ask in step.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../../domain/secret.ts'
import type { Milliseconds, ProviderEntry } from '../../domain/snapshot/snapshot.ts'
import type { Now } from '../pipeline/ports.ts'
import { AttemptError } from '../pipeline/ports.ts'
import { isSameKey } from './reach.ts'
import type { ProbeCall } from './transport.ts'

export interface ProbeTarget {
  probe(call: ProbeCall): Promise<number>
}

export interface ProbeVerdicts {
  markProvider(provider: string, verdict: { type: 'up' } | { type: 'down'; untilMs: Milliseconds }): void
}

/** Why a check failed, as `provider failed` tells it in the log: no word of the provider's. */
export interface FailedCheck {
  /** `status-500`, or the kind of an attempt's error. */
  readonly reason: string
  readonly detail?: string
}

/**
 * Called when the checks take a provider out, with the last one's failure, and when it is back: `up` by its checks, `forgotten` as
 * it is asked in another way now, or with another key, or not at all. What is checked anew is told to be `up` when it is.
 */
export type OnProbed = (provider: string, change: 'down' | 'up' | 'forgotten', failed?: FailedCheck) => void

export interface ActiveProbeOptions {
  readonly transport: ProbeTarget
  readonly board: ProbeVerdicts
  readonly credentialOf: (provider: string) => Secret | undefined
  readonly now: Now
  /** 0..1, as Math.random. */
  readonly random: () => number
  readonly onChange?: OnProbed
}

interface Watch {
  /** As the configuration in force has it. */
  provider: ProviderEntry
  /** When the watch began. */
  readonly credential: Secret | undefined
  readonly abort: AbortController
  timer: NodeJS.Timeout | undefined
  /** Equal verdicts in a row: positive successes, negative failures. */
  streak: number
  down: boolean
  /** `down` was told, of this watch or of one before it, and not `up` since. */
  isToldDown: boolean
}

const JITTER = 0.1

export class ActiveProbe {
  readonly #options: ActiveProbeOptions
  readonly #watches = new Map<string, Watch>()

  constructor(options: ActiveProbeOptions) {
    this.#options = options
  }

  /** Watches exactly these providers from now on. One that is asked in the same way as before keeps what is known of it. */
  retain(providers: readonly ProviderEntry[]): void {
    const toldDown = new Set<string>()
    const wanted = new Map(providers.filter(isActive).map((provider) => [provider.name, provider]))
    for (const [name, watch] of this.#watches) {
      const provider = wanted.get(name)
      const isSame = provider !== undefined && isDeepStrictEqual(checkOf(provider), checkOf(watch.provider))
      if (isSame && isSameKey(this.#options.credentialOf(name), watch.credential)) {
        watch.provider = provider
        wanted.delete(name)
        continue
      }
      this.#forget(name, watch)
      if (watch.isToldDown) toldDown.add(name)
      if (watch.down) this.#options.onChange?.(name, 'forgotten')
    }
    for (const provider of wanted.values()) this.#watch(provider, toldDown.has(provider.name))
  }

  /** Ends all checks, also those on their way. What is known holds for its time: calls that go on need not wait for a frozen server. */
  stop(): void {
    for (const [name, watch] of this.#watches) this.#end(name, watch)
  }

  #watch(provider: ProviderEntry, isToldDown: boolean): void {
    const credential = this.#options.credentialOf(provider.name)
    const abort = new AbortController()
    const watch: Watch = { provider, credential, abort, timer: undefined, streak: 0, down: false, isToldDown }
    this.#watches.set(provider.name, watch)
    // The first one soon, but not all providers of all processes at the same moment.
    this.#schedule(watch, this.#options.random() * Math.min(1000, provider.healthCheck.intervalMs))
  }

  #forget(name: string, watch: Watch): void {
    this.#end(name, watch)
    this.#options.board.markProvider(name, { type: 'up' })
  }

  #end(name: string, watch: Watch): void {
    clearTimeout(watch.timer)
    watch.abort.abort()
    this.#watches.delete(name)
  }

  #schedule(watch: Watch, delayMs: Milliseconds): void {
    watch.timer = setTimeout(() => void this.#check(watch), delayMs)
    watch.timer.unref()
  }

  async #check(watch: Watch): Promise<void> {
    const verdict = await this.#ask(watch)
    if (watch.abort.signal.aborted) return
    if (verdict !== undefined) this.#judge(watch, verdict)
    this.#schedule(watch, watch.provider.healthCheck.intervalMs * (1 - JITTER + 2 * JITTER * this.#options.random()))
  }

  /** Undefined: nothing was asked. */
  async #ask({ provider, abort }: Watch): Promise<'healthy' | FailedCheck | undefined> {
    const { transport, credentialOf } = this.#options
    try {
      const status = await transport.probe({ provider, credential: credentialOf(provider.name), signal: abort.signal })
      return isHealthy(status) ? 'healthy' : { reason: `status-${status}` }
    } catch (error) {
      // Whatever else kept an answer from coming is what the check is there to find.
      if (!(error instanceof AttemptError)) return { reason: 'error' }
      return error.kind === 'busy' ? undefined : { reason: error.kind, detail: error.message }
    }
  }

  #judge(watch: Watch, verdict: 'healthy' | FailedCheck): void {
    const { name, healthCheck } = watch.provider
    const { down: wasDown, isToldDown } = watch
    watch.streak = verdict === 'healthy' ? Math.max(0, watch.streak) + 1 : Math.min(0, watch.streak) - 1
    if (watch.streak >= healthCheck.healthyThreshold) watch.down = false
    if (-watch.streak >= healthCheck.unhealthyThreshold) watch.down = true
    // Holds a little beyond the next verdict; should the checks stop, traffic finds out by itself.
    const untilMs = this.#options.now() + healthCheck.intervalMs * (1 + JITTER) + healthCheck.timeoutMs + 1000
    this.#options.board.markProvider(name, watch.down ? { type: 'down', untilMs } : { type: 'up' })
    const isBack = isToldDown && watch.streak >= healthCheck.healthyThreshold
    if (watch.down === wasDown && !isBack) return
    watch.isToldDown = watch.down
    this.#options.onChange?.(name, watch.down ? 'down' : 'up', verdict === 'healthy' ? undefined : verdict)
  }
}

/** What a check asks and how it is judged: prices, models and the like are no part of it. */
function checkOf({ type, endpoint, credentials, healthCheck }: ProviderEntry): Partial<ProviderEntry> {
  return { type, endpoint, credentials, healthCheck }
}

function isActive({ enabled, healthCheck }: ProviderEntry): boolean {
  return enabled && healthCheck.mode === 'Active'
}

/** A server that answers is up, also with 404 or 429; one that refuses our key is of no use. */
function isHealthy(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403
}
