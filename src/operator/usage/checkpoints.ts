/**
 * The copies of the counters that statuses hold: what lost ones are restored from. Taken from the resources, not from
 * what is in force: a key that is suspended or not accepted for a while keeps what it has spent.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { keyOf } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { ObjectLookup } from '../kube/object-store.ts'
import type { Milliseconds } from '../kube/timing.ts'
import type { CounterCopy } from './counter-store.ts'
import { parseUsage } from './usage-status.ts'

export interface UsageView {
  readonly virtualKeys: Pick<ObjectLookup, 'get' | 'list'>
  readonly organizations: Pick<ObjectLookup, 'get' | 'list'>
}

/** When the status of a resource was last written with its usage. */
export function checkpointMsOf(object: KubeObject | undefined): Milliseconds | undefined {
  const ms = Date.parse(asString(asObject(object?.['status'])?.['usageCheckpointTime']) ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/** All copies, by organization. Costs a look at every resource. */
export function checkpoints({ virtualKeys, organizations }: UsageView): ReadonlyMap<string, readonly CounterCopy[]> {
  const copies = [...virtualKeys.list().flatMap(copiesOfKey), ...organizations.list().flatMap(copiesOfOrganization)]
  return Map.groupBy(copies, ({ organization }) => organization)
}

function copiesOfKey(object: KubeObject): CounterCopy[] {
  const reference = asObject(asObject(object['spec'])?.['organizationRef'])
  const organization = asString(reference?.['name'])
  if (organization === undefined) return []
  return copiesOf(object, organization, `key/${keyOf(object)}`, asObject(object['status']))
}

function copiesOfOrganization(object: KubeObject): CounterCopy[] {
  const { name } = object.metadata
  const status = asObject(object['status'])
  const projects = asArray(status?.['projects']).flatMap((entry) => {
    const project = asObject(entry)
    const projectName = asString(project?.['name'])
    return projectName === undefined ? [] : copiesOf(object, name, `project/${projectName}`, project)
  })
  return [...copiesOf(object, name, 'organization', status), ...projects]
}

function copiesOf(
  object: KubeObject,
  organization: string,
  scope: string,
  holder: JsonObject | undefined,
): CounterCopy[] {
  const atMs = checkpointMsOf(object)
  if (atMs === undefined) return []
  return parseUsage(holder?.['usage']).map(({ window, reset, startMs, figures }) => ({
    organization,
    scope,
    window,
    reset,
    startMs,
    atMs,
    figures,
  }))
}
