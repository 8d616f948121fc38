/**
 * What is said about a resource, in the form of a Kubernetes condition without its times (the operator adds those, and
 * the conditions that only a cluster knows: Programmed, QuotaAvailable, Healthy). One type per question, True is good.
 */
import type { KindName, ObjectMeta } from './kinds.ts'

export type ConditionType = 'Accepted' | 'KeyReady' | 'ResolvedRefs' | 'Ready'

/** Reasons are stable words that people alert on. */
export type ConditionReason =
  | 'Accepted'
  | 'InvalidSpec'
  | 'OrganizationNotFound'
  | 'OrganizationNotAccepted'
  | 'ProjectNotFound'
  | 'NotGranted'
  | 'PrivilegeNotGranted'
  | 'BudgetAboveCeiling'
  | 'TooManyKeys'
  | 'TooManyOrganizations'
  | 'KeyReady'
  | 'SecretNotFound'
  | 'SecretKeyMissing'
  | 'StateUnusable'
  | 'WeakKey'
  | 'DuplicateKey'
  | 'Ready'
  | 'Suspended'
  | 'Expired'
  | 'ResolvedRefs'
  | 'EmptyCredential'
  | 'UnfitCredential'
  | 'NoCertificate'
  | 'DuplicateModel'
  | 'Disabled'
  | 'InvalidPattern'
  | 'UnknownMaskingKind'

export interface Condition {
  readonly type: ConditionType
  readonly status: 'True' | 'False'
  readonly reason: ConditionReason
  /** For people; never holds a secret. */
  readonly message: string
  /** As of the {@link Refusal}. */
  readonly isUnset?: true
}

export interface ResourceConditions {
  readonly kind: KindName
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly conditions: readonly Condition[]
}

/** Why something is not so. */
export interface Refusal {
  readonly reason: ConditionReason
  readonly message: string
  /** By an environment variable that is not set, and so perhaps by intent. */
  readonly isUnset?: true
}

/** A condition that is True under its own name, or False with the refusal's reason. */
export function condition(
  type: ConditionType,
  refusal: Refusal | undefined,
  good: Refusal = { reason: type, message: '' },
): Condition {
  return refusal === undefined ? { type, status: 'True', ...good } : { type, status: 'False', ...refusal }
}

/** The conditions of a resource with `Ready` added: the first that fails, or `extra` (suspended, disabled). */
export function withReady(
  kind: KindName,
  metadata: ObjectMeta,
  conditions: readonly Condition[],
  extra?: Refusal,
): ResourceConditions {
  const failing = conditions.find(({ status }) => status === 'False')
  const ready = condition('Ready', failing === undefined ? extra : { reason: failing.reason, message: failing.message })
  return { kind, namespace: metadata.namespace, name: metadata.name, conditions: [...conditions, ready] }
}
