/**
 * What this process knows of its providers: breakers, cool-downs and latency of each deployment (`deployment-health.ts`), and
 * how much of each provider's own limits is in use (`provider-usage.ts`).
 *
 * Limits of a provider count in this process only: N sidecars may together reach N times as much, and then the
 * provider's own 429 with Retry-After is the truth.
 */
import type { Secret } from '../../domain/secret.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { BreakerSettings, Failure, Health } from '../../domain/routing/health.ts'
import type { HealthRecorder, LeaveProvider, Now } from '../pipeline/ports.ts'
import {
  afterCompletion,
  afterFailure,
  afterFirstContent,
  afterSuccess,
  coolingDownUntil,
  latencyOf,
  refusesUs,
  UNKNOWN_HEALTH,
} from '../../domain/routing/health.ts'
import { DeploymentHealth } from './deployment-health.ts'
import { ProviderUsage } from './provider-usage.ts'
import { Reaches } from './reach.ts'

/** Called when the breaker of a deployment (`provider/model`) opens, with the last failure's reason, and when it closes. */
export type OnCircuit = (deploymentId: string, change: 'opened' | 'closed', reason?: string) => void

interface ProviderRecord {
  readonly usage: ProviderUsage
  /** Active checks found it down; the verdict holds until then at most, should the checks stop. */
  downUntilMs: Milliseconds
}

/** A breaker that never opens, for `healthCheck.mode: Disabled`. */
const NO_BREAKER: BreakerSettings = { consecutiveFailures: Infinity, openForMs: 0 }

export class HealthBoard implements HealthRecorder {
  readonly #now: Now
  readonly #onCircuit: OnCircuit
  readonly #deployments = new Map<string, DeploymentHealth>()
  readonly #providers = new Map<string, ProviderRecord>()
  readonly #reaches = new Reaches()
  /** Where the calls of a deployment count: of one that went to a former server, that server's. */
  readonly #usageOf = new WeakMap<Deployment, ProviderUsage>()
  /** Providers whose checks are switched off now: calls that are on their way know what was when they began. */
  #unchecked: ReadonlySet<string> = new Set()
  /** Providers of the configuration in force. */
  #names: ReadonlySet<string> = new Set()
  /** No provider is down after this: most of the time none is, and then none need be looked up. */
  #anyDownUntilMs: Milliseconds = 0

  constructor(now: Now, onCircuit: OnCircuit = () => {}) {
    this.#now = now
    this.#onCircuit = onCircuit
  }

  coolingDownUntil(deploymentId: string): Milliseconds | undefined {
    const nowMs = this.#now()
    const own = coolingDownUntil(this.#deployments.get(deploymentId)?.current ?? UNKNOWN_HEALTH, nowMs)
    if (this.#anyDownUntilMs <= nowMs) return own
    const until = Math.max(own ?? 0, this.#downUntil(providerOf(deploymentId)))
    return until > nowMs ? until : undefined
  }

  refusesUs(deploymentId: string): boolean {
    return refusesUs(this.#deployments.get(deploymentId)?.current ?? UNKNOWN_HEALTH, this.#now())
  }

  failsChecks(deploymentId: string): boolean {
    return this.#downUntil(providerOf(deploymentId)) > this.#now()
  }

  latencyMs(deploymentId: string): Milliseconds | undefined {
    return latencyOf(this.#deployments.get(deploymentId)?.current ?? UNKNOWN_HEALTH, this.#now())
  }

  succeeded(deployment: Deployment, firstByteMs: Milliseconds, startedMs = this.#now()): void {
    const record = this.#deployment(deployment)
    this.#learn(deployment, record, startedMs, afterSuccess(record.current, firstByteMs, this.#now()))
  }

  streaming(deployment: Deployment, firstByteMs: Milliseconds, startedMs = this.#now()): void {
    const record = this.#deployment(deployment)
    const settings = this.#breakerOf(deployment)
    this.#learn(deployment, record, startedMs, afterFirstContent(record.current, firstByteMs, settings, this.#now()))
  }

  completed(deployment: Deployment, startedMs = this.#now()): void {
    const record = this.#deployment(deployment)
    this.#learn(deployment, record, startedMs, afterCompletion(record.current, this.#now()))
  }

  failed(deployment: Deployment, failure: Failure & { readonly reason: string }, startedMs = this.#now()): void {
    const record = this.#deployment(deployment)
    const counted = this.#isUnchecked(deployment) ? { ...failure, ourFault: false } : failure
    const settings = this.#breakerOf(deployment)
    const health = afterFailure(record.current, counted, settings, this.#now())
    this.#learn(deployment, record, startedMs, health, failure.reason)
  }

  enter(deployment: Deployment): LeaveProvider | undefined {
    const nowMs = this.#now()
    const record = this.#deployment(deployment)
    const provider = this.#provider(deployment.provider.name)
    if (!record.mayTry(deployment.provider.timeouts.totalMs, nowMs) || provider.downUntilMs > nowMs) return undefined
    const { limits } = deployment.provider
    if (provider.usage.isFull(limits, nowMs)) return undefined
    if (limits.tokensPerMinute !== undefined) this.#usageOf.set(deployment, provider.usage)
    const leave = provider.usage.enter(limits, nowMs)
    const attempt: LeaveProvider = once((wasSent) => {
      leave(wasSent !== false)
      record.left(attempt, this.#now())
    })
    // A request of before, which goes elsewhere, is no trial of where the deployment is.
    if (!this.#reaches.isOfBefore(deployment)) record.enter(attempt, nowMs)
    return attempt
  }

  fullForMs({ id, provider }: Deployment): Milliseconds {
    const nowMs = this.#now()
    const limitedMs = this.#provider(provider.name).usage.fullForMs(provider.limits, nowMs)
    return Math.max(limitedMs, this.#deployments.get(id)?.onTrialForMs(nowMs) ?? 0)
  }

  /** Counts an attempt's tokens against the provider's `tokensPerMinute`. Call it when the usage is known. */
  tokensUsed(deployment: Deployment, tokens: number): void {
    if (!(tokens > 0) || deployment.provider.limits.tokensPerMinute === undefined) return
    const usage = this.#usageOf.get(deployment) ?? this.#provider(deployment.provider.name).usage
    usage.addTokens(tokens, this.#now())
  }

  /** Verdict of the active checks on a whole provider. `untilMs`: how long "down" holds without a newer verdict. */
  markProvider(
    provider: string,
    verdict: { readonly type: 'up' } | { readonly type: 'down'; readonly untilMs: Milliseconds },
  ): void {
    const downUntilMs = verdict.type === 'up' ? 0 : verdict.untilMs
    this.#provider(provider).downUntilMs = downUntilMs
    this.#anyDownUntilMs = Math.max(this.#anyDownUntilMs, downUntilMs)
  }

  /** Providers of which every deployment that has been tried has its breaker open, on trial, or open until a moment ago. */
  openCircuits(): string[] {
    const nowMs = this.#now()
    const byProvider = Map.groupBy(this.#deployments, ([id]) => providerOf(id))
    return [...byProvider].flatMap(([provider, records]) =>
      records.every(([, record]) => record.isOpenOrWas(nowMs)) ? [provider] : [],
    )
  }

  /** Of each provider in use: whether its health checks fail, or its circuits are open as `openCircuits` tells. */
  providersDown(): ReadonlyMap<string, boolean> {
    const [nowMs, open] = [this.#now(), new Set(this.openCircuits())]
    const isDown = (name: string) => open.has(name) || this.#downUntil(name) > nowMs
    return new Map(Array.from(this.#names, (name) => [name, isDown(name)]))
  }

  /**
   * Forgets what the configuration no longer has, so that the maps stay bounded, and what it reaches in another way than
   * before: an edit that mends a provider is in force at once. Attempts on their way are unharmed.
   * @param credentialOf the key of a provider by its name
   */
  retain(
    deployments: readonly Deployment[],
    credentialOf: (provider: string) => Secret | undefined = () => undefined,
  ): void {
    const ids = new Set(deployments.map(({ id }) => id))
    const providers = new Set(deployments.map(({ provider }) => provider))
    const names = new Set(Array.from(providers, ({ name }) => name))
    this.#names = names
    this.#reaches.retain(ids, names)
    // Another key may be one of the same account, whose limits go on, as on another way to it; another server has its own.
    for (const provider of providers) if (this.#reaches.isMoved(provider)) this.#providers.delete(provider.name)
    for (const deployment of deployments)
      if (this.#reaches.isChanged(deployment, credentialOf(deployment.provider.name)))
        this.#deployments.get(deployment.id)?.forget()
    for (const id of this.#deployments.keys()) if (!ids.has(id)) this.#deployments.delete(id)
    for (const name of this.#providers.keys()) if (!names.has(name)) this.#providers.delete(name)
    const unchecked = deployments.filter(({ provider }) => provider.healthCheck.mode === 'Disabled')
    this.#unchecked = new Set(unchecked.map(({ provider }) => provider.name))
    // It may have been open when its mode became Disabled.
    for (const { id } of unchecked) this.#deployments.get(id)?.close()
  }

  /** A call on its way to where the deployment was tells nothing of where it is. */
  #learn(
    deployment: Deployment,
    record: DeploymentHealth,
    startedMs: Milliseconds,
    health: Health,
    reason?: string,
  ): void {
    if (!this.#reaches.isOfBefore(deployment)) record.learn(startedMs, health, reason)
  }

  #isUnchecked({ provider }: Deployment): boolean {
    return provider.healthCheck.mode === 'Disabled' || this.#unchecked.has(provider.name)
  }

  #breakerOf(deployment: Deployment): BreakerSettings {
    return this.#isUnchecked(deployment) ? NO_BREAKER : deployment.provider.failover.circuitBreaker
  }

  #deployment({ id }: Deployment): DeploymentHealth {
    let record = this.#deployments.get(id)
    if (record === undefined) {
      record = new DeploymentHealth(this.#now, (change, reason) => this.#onCircuit(id, change, reason))
      this.#deployments.set(id, record)
    }
    return record
  }

  /** Until when the checks of a provider have it out; 0: they do not. */
  #downUntil(provider: string): Milliseconds {
    return this.#providers.get(provider)?.downUntilMs ?? 0
  }

  #provider(name: string): ProviderRecord {
    let record = this.#providers.get(name)
    if (record === undefined) {
      record = { usage: new ProviderUsage(), downUntilMs: 0 }
      this.#providers.set(name, record)
    }
    return record
  }
}

function once(leave: LeaveProvider): LeaveProvider {
  let hasLeft = false
  return (wasSent) => {
    if (hasLeft) return
    hasLeft = true
    leave(wasSent)
  }
}

/** Names of providers hold no slash; those of models may. */
function providerOf(deploymentId: string): string {
  return deploymentId.slice(0, deploymentId.indexOf('/'))
}
