/** Tells our own writes of the usage from changes that somebody must look at. */
import { asArray, asObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { isSameJson } from '../kube/conditions.ts'
import type { KubeObject } from '../kube/kube-object.ts'

/** Whether nothing but the usage in its status differs between two states of an object. */
export function isUsageOnly(previous: KubeObject | undefined, current: KubeObject | undefined): boolean {
  if (previous === undefined || current === undefined) return false
  const [before, now] = [previous.metadata, current.metadata]
  // The generation stands for the spec.
  if (before.uid !== now.uid || now.generation === undefined || before.generation !== now.generation) return false
  return isSameJson(shape(previous), shape(current))
}

function shape({ metadata, status }: KubeObject): JsonObject {
  const rest = without(metadata, ['resourceVersion', 'managedFields'])
  const told = without(asObject(status) ?? {}, ['usage', 'usageCheckpointTime', 'projects'])
  const projects = asArray(asObject(status)?.['projects']).map((one) => without(asObject(one) ?? {}, ['usage']))
  return { rest, told, projects }
}

function without(object: Readonly<Record<string, JsonValue | undefined>>, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)))
}
