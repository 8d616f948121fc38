import { asArray, asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import type { KubeObject } from './kube-object.ts'
import type { Milliseconds } from './timing.ts'

/** Bound of `metav1.Condition.message`. */
const MAX_MESSAGE = 32_768

/** One answer about an object, as `metav1.Condition` without the time. */
export interface DesiredCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** A stable word that people alert on; never empty. */
  readonly reason: string
  readonly message: string
  /** The generation that the answer is about. */
  readonly observedGeneration?: number | undefined
}

/** What the object's status says of the type; undefined: nothing. */
export function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return asArray(asObject(object['status'])?.['conditions'])
    .map(asObject)
    .find((condition) => condition?.['type'] === type)
}

/**
 * The conditions to write, in the order of `desired`. `lastTransitionTime` is kept while the status is the same, also
 * when reason or message change. Conditions of types that are not desired are other managers' and not returned.
 */
export function mergeConditions(
  existing: JsonValue | undefined,
  desired: readonly DesiredCondition[],
  nowMs: Milliseconds,
): JsonObject[] {
  const known = new Map(asArray(existing).map((entry) => [asString(asObject(entry)?.['type']), asObject(entry)]))
  return desired.map(({ type, status, reason, message, observedGeneration }) => {
    const before = known.get(type)
    const since = before?.['status'] === status ? asString(before['lastTransitionTime']) : undefined
    return {
      type,
      status,
      reason,
      message: message.slice(0, MAX_MESSAGE),
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      lastTransitionTime: since ?? kubeTime(nowMs),
    }
  })
}

/** As `metav1.Time`: whole seconds. */
export function kubeTime(ms: Milliseconds): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Equality of JSON: the order of an object's fields does not count, and an undefined field is an absent one. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => isSameJson(value, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...fields].every((field) => isSameJson(a[field], b[field]))
}
