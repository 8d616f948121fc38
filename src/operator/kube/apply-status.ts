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
  /**
   * Refuse (409) where anybody wrote since `object` was read. Without it a status that is written while the object is
   * deleted and made again lands on the successor (the API server ignores the uid here); its own reconcile then corrects it.
   */
  readonly unlessChanged?: boolean
  /** Lists of maps whose entries others add fields to: field of `status` to the key of its entries. */
  readonly sharedLists?: Readonly<Record<string, string>>
}

/**
 * Writes `status` if it differs from what `object` (from the cache) says; without that test the write would come back as
 * an event and lead to the next write. Returns whether it wrote. An object that is gone needs no status.
 * @throws KubeError of any other failure.
 */
export async function applyStatus(
  client: Pick<KubeClient, 'serverSideApply'>,
  resource: Resource,
  object: KubeObject,
  status: JsonObject,
  owner: StatusOwner,
): Promise<boolean> {
  if (isCurrent(asObject(object['status']) ?? {}, status, owner)) return false
  const options = { fieldManager: owner.fieldManager, force: true, subresource: 'status' } as const
  try {
    await client.serverSideApply(resource, { metadata: target(object, owner), status }, options)
    return true
  } catch (error) {
    if (error instanceof KubeError && error.isNotFound) return false
    throw error
  }
}

function target({ metadata }: KubeObject, { unlessChanged = false }: StatusOwner): JsonObject {
  const { name, namespace, resourceVersion } = metadata
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(unlessChanged && resourceVersion !== undefined ? { resourceVersion } : {}),
  }
}

function isCurrent(current: JsonObject, wanted: JsonObject, { fields, sharedLists = {} }: StatusOwner): boolean {
  return fields.every((field) => {
    if (field === 'conditions') return areConditionsCurrent(current[field], wanted[field])
    const key = sharedLists[field]
    return key === undefined
      ? isSameJson(current[field], wanted[field])
      : isSharedListCurrent(current[field], wanted[field], key)
  })
}

/** Entry by entry, and of each the fields that are wanted. An entry that is not wanted may be another manager's. */
function isSharedListCurrent(current: JsonValue | undefined, wanted: JsonValue | undefined, key: string): boolean {
  const entries = (list: JsonValue | undefined) =>
    asArray(list)
      .map(asObject)
      .filter((entry) => entry !== undefined)
  const byKey = new Map(entries(current).map((entry) => [entry[key], entry]))
  const isWritten = (entry: JsonObject) =>
    Object.entries(entry).every(([name, value]) => isSameJson(byKey.get(entry[key])?.[name], value))
  const isOurs = (entry: JsonObject) => entries(wanted).some((one) => one[key] === entry[key])
  return entries(wanted).every(isWritten) && entries(current).every(isOurs)
}

/** Types that are not wanted belong to another manager. */
function areConditionsCurrent(current: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  const byType = new Map(asArray(current).map((entry) => [asString(asObject(entry)?.['type']), entry]))
  return asArray(wanted).every((entry) => isSameJson(byType.get(asString(asObject(entry)?.['type'])), entry))
}
