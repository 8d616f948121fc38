/** The conversation of the API server with a webhook. @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
import { asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { JsonPatchOperation } from '../kube/kube-api.ts'

const API_VERSION = 'admission.k8s.io/v1'
/** The API server cuts longer ones itself. */
const MAX_WARNING = 256
const MAX_WARNINGS = 16
/** Values of a review's JSON. Empty objects take twenty times the memory of their text; the largest pod has a tenth of these. */
const MAX_VALUES = 200_000

export interface AdmissionRequest {
  readonly uid: string
  /** `group/version/resource`, such as `/v1/pods`. */
  readonly resource: string
  readonly subResource: string
  readonly operation: string
  readonly namespace: string
  readonly object: JsonObject
}

export type AdmissionDecision =
  | {
      readonly type: 'allowed'
      readonly operations: readonly JsonPatchOperation[]
      readonly warnings: readonly string[]
    }
  | { readonly type: 'denied'; readonly code: number; readonly reason: string; readonly message: string }

/** @throws {TypeError} where it is no review that could be answered: there is no uid to answer to. */
export function parseReview(text: string): AdmissionRequest {
  if (hasMoreValues(text, MAX_VALUES)) throw new TypeError('the review has too many values')
  const review = parseJson(text)
  if (!isJsonObject(review) || review['kind'] !== 'AdmissionReview')
    throw new TypeError('the body is no AdmissionReview')
  if (review['apiVersion'] !== API_VERSION) throw new TypeError(`the review is not of ${API_VERSION}`)
  const request = asObject(review['request'])
  const uid = asString(request?.['uid'])
  if (uid === undefined || uid === '') throw new TypeError('the review has no request.uid')
  const resource = asObject(request?.['resource'])
  const part = (name: string) => asString(resource?.[name]) ?? ''
  return {
    uid,
    resource: `${part('group')}/${part('version')}/${part('resource')}`,
    subResource: asString(request?.['subResource']) ?? '',
    operation: asString(request?.['operation']) ?? '',
    namespace: asString(request?.['namespace']) ?? '',
    object: asObject(request?.['object']) ?? {},
  }
}

export function renderReview(uid: string, decision: AdmissionDecision): JsonObject {
  return { apiVersion: API_VERSION, kind: 'AdmissionReview', response: { uid, ...renderDecision(decision) } }
}

function renderDecision(decision: AdmissionDecision): JsonObject {
  if (decision.type === 'denied') {
    const { code, reason, message } = decision
    return { allowed: false, status: { code, reason, message, status: 'Failure' } }
  }
  const { operations, warnings } = decision
  return {
    allowed: true,
    ...(operations.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') }),
    ...(warnings.length === 0
      ? {}
      : { warnings: warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, MAX_WARNING)) }),
  }
}

/** By the commas, those inside texts too: it need not be exact, and must not need what it guards. */
function hasMoreValues(text: string, limit: number): boolean {
  let count = 0
  for (let at = text.indexOf(','); at !== -1; at = text.indexOf(',', at + 1)) {
    count += 1
    if (count > limit) return true
  }
  return false
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('the body is not JSON')
  }
}
