/** The words of routing: what a request needs, what may serve it, what was removed and why. */
import type { GatewayError } from '../errors.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { Capability, Milliseconds } from '../snapshot/snapshot.ts'

/** What a request asks of a model, read from the neutral request. */
export interface RouteRequest {
  /** As the client wrote it; undefined or `auto` means automatic choice. */
  readonly model: string | undefined
  /** Capabilities without which the model cannot answer. */
  readonly needs: readonly Capability[]
  /** Why a deployment cannot be sent the request at all; undefined: it can. Absent: all can. */
  readonly unsayable?: (deployment: Deployment) => string | undefined
  /** Lower bound of the prompt's tokens, for the context-window rule (an estimate must not remove a model that fits). */
  readonly minPromptTokens: number
  /** What the prompt probably has. */
  readonly probablePromptTokens: number
  /** Of the answer, where the client states one; else 0. */
  readonly maxOutputTokens: number
}

/** What the proxy remembers of deployments, by `provider/model`. */
export interface HealthView {
  /** Until when the deployment must not be tried, milliseconds since the epoch; undefined: it may. */
  coolingDownUntil(deploymentId: string): Milliseconds | undefined
  /** Whether it must not, as its provider refuses this gateway (its key, account, address or name of the model), which no waiting cures. */
  refusesUs(deploymentId: string): boolean
  /** Whether it must not, as the health checks of its provider fail. */
  failsChecks(deploymentId: string): boolean
  /** EWMA of the time to the first byte; undefined: never measured. */
  latencyMs(deploymentId: string): Milliseconds | undefined
}

export interface Candidate {
  readonly deployment: Deployment
  /** 0..1, higher is better, by the scoring method in force. */
  readonly score: number
}

/** Why a deployment is out. The names are metric labels and appear in refusals. */
export type RemovalRule =
  | 'not-allowed'
  | 'excluded-provider'
  | 'excluded-model'
  | 'excluded-country'
  | 'cost'
  | 'quality'
  | 'capability'
  | 'context-window'
  | 'cooling-down'
  | 'unpriced'

export interface Removal {
  readonly deployment: Deployment
  readonly rule: RemovalRule
  /** For people: `quality 0.4 below 0.7, the bound of x-llm-min-quality or a policy`. */
  readonly detail: string
}

export interface RoutePlan {
  readonly type: 'plan'
  /** In the order of trying; never empty. */
  readonly candidates: readonly [Candidate, ...Candidate[]]
  readonly removed: readonly Removal[]
  /** What decided the order: the scoring method, or `priority`. */
  readonly method: string
}

export type RouteOutcome =
  | RoutePlan
  | { readonly type: 'refused'; readonly error: GatewayError; readonly removed: readonly Removal[] }
