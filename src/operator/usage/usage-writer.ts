/**
 * Writes `status.usage`: at most once a minute a resource, only where it says something new, with a field manager of its
 * own, so that it neither conflicts with the conditions nor leads to any other work.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { applyStatus } from '../kube/apply-status.ts'
import { kubeTime } from '../kube/conditions.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { ORGANIZATIONS, VIRTUAL_KEYS } from '../kube/resource.ts'
import type { Milliseconds } from '../kube/timing.ts'
import { checkpointMsOf } from './checkpoints.ts'
import type { UsageView } from './checkpoints.ts'
import type { CountedScope } from './counted.ts'
import type { ScopeReading } from './usage-board.ts'
import { hasMoved, parseUsage, renderUsage } from './usage-status.ts'
import type { WrittenUsage } from './usage-status.ts'

const FIELD_MANAGER = 'tollgate-usage'
const EVERY_MS = 60_000
const VIRTUAL_KEY_FIELDS: readonly string[] = ['usage', 'usageCheckpointTime']
const ORGANIZATION_FIELDS: readonly string[] = [...VIRTUAL_KEY_FIELDS, 'projects']

export interface UsageWriterOptions {
  readonly client: Pick<KubeClient, 'serverSideApply'>
  readonly view: UsageView
  readonly reading: (scope: CountedScope) => ScopeReading | undefined
}

/** A scope and what was read of it. */
interface Told {
  readonly scope: CountedScope
  readonly reading: ScopeReading
}

export class UsageWriter {
  readonly #options: UsageWriterOptions
  /** When each resource was last written by this process: its status comes back later than that. */
  readonly #writtenMs = new Map<string, Milliseconds>()

  constructor(options: UsageWriterOptions) {
    this.#options = options
  }

  /** Forgets resources that are not among these. */
  retain(resources: ReadonlySet<string>): void {
    for (const resource of this.#writtenMs.keys()) if (!resources.has(resource)) this.#writtenMs.delete(resource)
  }

  /** Whether a resource with these scopes (none: nothing of it is counted any more) is to be written. */
  isDue(resource: string, scopes: readonly CountedScope[], nowMs: Milliseconds): boolean {
    const object = this.#objectOf(resource)
    if (object === undefined || isDeleting(object)) return false
    const lastMs = Math.max(checkpointMsOf(object) ?? 0, this.#writtenMs.get(resource) ?? 0)
    // Half a second of leeway: looks come each second, and not to the millisecond. Clocks may be set back.
    if (nowMs - lastMs < EVERY_MS - 500 && nowMs >= lastMs - EVERY_MS) return false
    const told = this.#told(scopes)
    // Part of what is counted is not read yet.
    if (told.length < scopes.length) return false
    const before = writtenIn(object)
    const names = new Set(told.map(({ scope }) => scope.project))
    return (
      [...before].some(([project, usage]) => usage.length > 0 && !names.has(project)) ||
      told.some(({ scope, reading }) => hasMoved(before.get(scope.project) ?? [], reading.usages))
    )
  }

  /** Returns whether it wrote. @throws KubeError */
  async write(resource: string, scopes: readonly CountedScope[], nowMs: Milliseconds): Promise<boolean> {
    const object = this.#objectOf(resource)
    if (object === undefined) return false
    const isKey = resource.startsWith('VirtualKey/')
    const told = this.#told(scopes)
    // What was read first is as old as the copy is.
    const atMs = told.reduce((oldest, { reading }) => Math.min(oldest, reading.atMs), nowMs)
    const status = told.length === 0 ? {} : { ...statusOf(told), usageCheckpointTime: kubeTime(atMs) }
    this.#writtenMs.set(resource, nowMs)
    return applyStatus(this.#options.client, isKey ? VIRTUAL_KEYS : ORGANIZATIONS, object, status, {
      fieldManager: FIELD_MANAGER,
      fields: isKey ? VIRTUAL_KEY_FIELDS : ORGANIZATION_FIELDS,
    })
  }

  #told(scopes: readonly CountedScope[]): Told[] {
    return scopes.flatMap((scope) => {
      const reading = this.#options.reading(scope)
      return reading === undefined ? [] : [{ scope, reading }]
    })
  }

  #objectOf(resource: string): KubeObject | undefined {
    const { virtualKeys, organizations } = this.#options.view
    const slash = resource.indexOf('/')
    const store = resource.startsWith('VirtualKey/') ? virtualKeys : organizations
    return store.get(resource.slice(slash + 1))
  }
}

/** What a status says of the usage, by project; undefined: of the resource itself. */
export function writtenIn(object: KubeObject): ReadonlyMap<string | undefined, readonly WrittenUsage[]> {
  const status = asObject(object['status'])
  const found = new Map<string | undefined, readonly WrittenUsage[]>([[undefined, parseUsage(status?.['usage'])]])
  for (const project of asArray(status?.['projects']).map(asObject)) {
    const name = asString(project?.['name'])
    if (name !== undefined) found.set(name, parseUsage(project?.['usage']))
  }
  return found
}

function statusOf(told: readonly Told[]): JsonObject {
  const own = told.filter(({ scope }) => scope.project === undefined)
  const projects = told.flatMap(({ scope, reading }) =>
    scope.project === undefined ? [] : [{ name: scope.project, usage: renderUsage(reading.usages) }],
  )
  return {
    usage: own.flatMap(({ reading }) => renderUsage(reading.usages)),
    ...(projects.length === 0 ? {} : { projects }),
  }
}
