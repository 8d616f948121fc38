import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { isSameJson } from './conditions.ts'
import type { KubeClient } from './kube-api.ts'
import { KubeError } from './kube-error.ts'
import type { KubeObject } from './kube-object.ts'
import type { Resource } from './resource.ts'

export interface StatusOwner {
  readonly fieldManager: string
  /** The fields of `status` that this manager writes: those that it leaves out are removed. */
  readonly fields: readonly string[]
}

/**
 * Writes `status` if it differs from what `object` (from the cache) says; without that test the write would come back as
 * an event and lead to the next write. Returns whether it wrote. An object that is gone, or another by that name now,
 * needs no status.
 * @throws KubeError of any other failure.
 */
export async function applyStatus(
  client: Pick<KubeClient, 'serverSideApply'>,
  resource: Resource,
  object: KubeObject,
  status: JsonObject,
  owner: StatusOwner,
): Promise<boolean> {
  if (isCurrent(asObject(object['status']) ?? {}, status, owner.fields)) return false
  const { name, namespace, uid } = object.metadata
  // With its uid, or the status of a deleted object would land on its successor.
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) }
  const options = { fieldManager: owner.fieldManager, force: true, subresource: 'status' } as const
  try {
    await client.serverSideApply(resource, { metadata, status }, options)
    return true
  } catch (error) {
    if (error instanceof KubeError && (error.isNotFound || error.isConflict)) return false
    throw error
  }
}

function isCurrent(current: JsonObject, wanted: JsonObject, fields: readonly string[]): boolean {
  return fields.every((field) =>
    field === 'conditions'
      ? areConditionsCurrent(current[field], wanted[field])
      : isSameJson(current[field], wanted[field]),
  )
}

/** Types that are not wanted belong to another manager. */
function areConditionsCurrent(current: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  const byType = new Map(asArray(current).map((entry) => [asString(asObject(entry)?.['type']), entry]))
  return asArray(wanted).every((entry) => isSameJson(byType.get(asString(asObject(entry)?.['type'])), entry))
}
