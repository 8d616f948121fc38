/** Applies what our webhook answers, as the API server does. @see https://www.rfc-editor.org/rfc/rfc6902 */
import { isJsonObject } from '../../src/domain/json.ts'
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'
import type { JsonPatchOperation } from '../../src/operator/kube/kube-api.ts'

/** A changed copy. Throws where an operation names what is not there. */
export function applyPatch(document: JsonObject, operations: readonly JsonPatchOperation[]): JsonObject {
  const result = structuredClone(document)
  for (const operation of operations) applyOne(result, operation)
  return result
}

function applyOne(document: JsonObject, operation: JsonPatchOperation): void {
  const parts = operation.path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = parts.pop() ?? ''
  let target: JsonValue | undefined = document
  for (const part of parts) {
    target = Array.isArray(target) ? target[Number(part)] : isJsonObject(target) ? target[part] : undefined
  }
  if (operation.op !== 'add' && operation.op !== 'replace') throw new Error(`unexpected operation ${operation.op}`)
  const value = structuredClone(operation.value)
  if (Array.isArray(target)) applyToList(target, last, operation.op, value)
  else if (isJsonObject(target) && (operation.op === 'add' || last in target)) target[last] = value
  else throw new Error(`there is no ${operation.path}`)
}

function applyToList(list: JsonValue[], last: string, op: 'add' | 'replace', value: JsonValue): void {
  const index = last === '-' ? list.length : Number(last)
  if (!Number.isInteger(index) || index > list.length || (op === 'replace' && index >= list.length))
    throw new Error(`there is no place ${last}`)
  list.splice(index, op === 'add' ? 0 : 1, value)
}
