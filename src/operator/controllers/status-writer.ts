/** Writes the status of a resource where it differs, and tells an event where `Ready` has changed. */
import { asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Condition } from '../../domain/resources/conditions.ts'
import type { Secret } from '../../domain/secret.ts'
import { applyStatus } from '../kube/apply-status.ts'
import { conditionOf, mergeConditions } from '../kube/conditions.ts'
import type { DesiredCondition } from '../kube/conditions.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { ObjectLookup } from '../kube/object-store.ts'
import { ORGANIZATIONS, PROVIDERS, VIRTUAL_KEYS } from '../kube/resource.ts'
import type { Resource } from '../kube/resource.ts'
import { rotationEvent } from './brought-key.ts'
import type { ClusterView } from './cluster-view.ts'
import { versionOf } from './build.ts'
import type { Build } from './build.ts'
import { entryOf, readGeneratedKey } from './generated-secret.ts'
import { isGenerated, ownedSecret } from './gather.ts'
import type { ProviderHealth } from '../health/provider-health.ts'
import type { ProgrammedLedger } from './programmed.ts'
import { SeveralKeys } from './several-keys.ts'
import { conditionsOf, endConditions, organizationFields, providerFields, virtualKeyFields } from './status.ts'
import type { Problem, StatusInput } from './status.ts'
import { hasFinalizer } from './finalizers.ts'

const FIELD_MANAGER = 'tollgate-controller'
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  VirtualKey: [
    'observedGeneration',
    'configRevision',
    'keyID',
    'secretRef',
    'expiresAt',
    'nextRotationTime',
    'lastHandledRotateRequest',
    'keys',
    'conditions',
  ],
  Provider: ['observedGeneration', 'configRevision', 'modelCount', 'credentials', 'health', 'conditions'],
  Organization: ['observedGeneration', 'configRevision', 'keyCount', 'projectCount', 'projects', 'conditions'],
}

/** Those that are left of a resource that is over. */
const END_FIELDS = ['observedGeneration', 'conditions']

/** Reasons of what somebody has switched off: that it is not ready is no fault. */
const DELIBERATE: ReadonlySet<string> = new Set(['Suspended', 'Disabled', 'Deleting'])

const NO_PROJECTS: ReadonlySet<string> = new Set()
/** The usage of a project is in the same entry as the number of its keys, and is written by usage-writer.ts. */
const SHARED_LISTS: Readonly<Record<string, string>> = { projects: 'name' }

export interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'serverSideApply'>
  readonly view: ClusterView
  readonly events: Pick<EventRecorder, 'record'>
  readonly ledger: ProgrammedLedger
  readonly now: () => number
  readonly build: () => Build | undefined
  /** Why nothing is published, where that has lasted. */
  readonly publicationProblem: () => Problem | undefined
  /** Why sidecars cannot log in to Redis. */
  readonly loginProblem: () => Problem | undefined
  /** Why a generated key has no Secret of its own; `pending`: its first round is still to come. */
  readonly keyProblem: (key: string) => Problem | 'pending' | undefined
  /** What keeps the requests of a VirtualKey, or of all an Organization's, from passing. */
  readonly exhaustionOf: (id: string) => Problem | 'none' | 'unread'
  readonly exhaustedProjects: (organization: string) => ReadonlySet<string>
  /** Undefined: not known yet. */
  readonly healthOf: (provider: string) => ProviderHealth | undefined
}

export class StatusWriter {
  readonly #options: StatusWriterOptions
  readonly #several: SeveralKeys

  constructor(options: StatusWriterOptions) {
    this.#options = options
    this.#several = new SeveralKeys(options.view)
  }

  /** One resource, `Kind/namespace/name`. Whether it wrote. @throws KubeError */
  async write(id: string): Promise<boolean> {
    const { kind, key } = partsOf(id)
    const object = this.#lookup(kind)?.get(key)
    const build = this.#options.build()
    if (object === undefined || build === undefined) return false
    if (isDeleting(object)) return this.#writeEnd(id, kind, object)
    // A build of this very object and generation is on its way.
    if (build.versions.get(id) !== versionOf(object)) return false
    const input = this.#input(id, kind, key, object, build)
    if (input === undefined) return false
    return this.#apply(kind, object, input)
  }

  /** Of what others' finalizers hold back when it is out of force already; all that was said of it before is taken back. */
  async #writeEnd(id: string, kind: string, object: KubeObject): Promise<boolean> {
    const { client, ledger, now } = this.#options
    if (hasFinalizer(object) || !ledger.isOut(id)) return false
    const { generation } = object.metadata
    const desired = endConditions(generation)
    const conditions = mergeConditions(asObject(object['status'])?.['conditions'], desired, now())
    const owner = { fieldManager: FIELD_MANAGER, fields: END_FIELDS }
    const status = { ...(generation === undefined ? {} : { observedGeneration: generation }), conditions }
    const wrote = await applyStatus(client, resourceOf(kind), object, status, owner)
    if (wrote) this.#tell(object, desired)
    return wrote
  }

  #input(id: string, kind: string, key: string, object: KubeObject, build: Build): StatusInput | undefined {
    const { ledger, publicationProblem } = this.#options
    const keyProblem = kind === 'VirtualKey' ? this.#keyProblem(key, object) : undefined
    if (keyProblem === 'pending') return undefined
    const revision = build.revisions.get(id)
    const programmed = ledger.stateOf(id, revision)
    // Its publication is under way and brings the status with it.
    if (revision !== undefined && programmed === 'not-published' && publicationProblem() === undefined) return undefined
    const { exhaustionOf, exhaustedProjects, healthOf, loginProblem } = this.#options
    return {
      id,
      object,
      build,
      programmed,
      keyProblem,
      publicationProblem: publicationProblem(),
      loginProblem: kind === 'VirtualKey' ? loginProblem() : undefined,
      quota: exhaustionOf(id),
      exhaustedProjects: kind === 'Organization' ? exhaustedProjects(key) : NO_PROJECTS,
      health: kind === 'Provider' ? healthOf(key) : undefined,
    }
  }

  #keyProblem(key: string, object: KubeObject): Problem | 'pending' | undefined {
    const { view, keyProblem } = this.#options
    const namespace = object.metadata.namespace ?? ''
    const access = view.secretAccess(namespace)
    if (access === 'pending') return 'pending'
    if (access === 'denied')
      return {
        reason: 'SecretAccessDenied',
        message: `the operator may not read Secrets in namespace ${namespace}; allow it: ${view.howToGrant(namespace)}`,
      }
    if (!isGenerated(object)) return undefined
    const problem = keyProblem(key)
    if (problem !== undefined) return problem
    // A Secret that is there and that the build did not see: the next build does.
    const isUnseen = hasNoSecret(this.#options.build()?.conditions.get(`VirtualKey/${key}`))
    return ownedSecret(view, object) === undefined || isUnseen ? 'pending' : undefined
  }

  async #apply(kind: string, object: KubeObject, input: StatusInput): Promise<boolean> {
    const { client, now } = this.#options
    const desired = conditionsOf(input)
    const existing = asObject(object['status'])?.['conditions']
    const status: JsonObject = { ...this.#fields(kind, input), conditions: mergeConditions(existing, desired, now()) }
    const owner = { fieldManager: FIELD_MANAGER, fields: FIELDS[kind] ?? [], sharedLists: SHARED_LISTS }
    const wrote = await applyStatus(client, resourceOf(kind), object, status, owner)
    if (!wrote) return false
    this.#tell(object, desired)
    const isBrought = kind === 'VirtualKey' && !isGenerated(object)
    const rotation = isBrought ? rotationEvent(object, status) : undefined
    if (rotation !== undefined) this.#options.events.record(object, rotation)
    return true
  }

  #fields(kind: string, input: StatusInput): JsonObject {
    const nowMs = this.#options.now()
    switch (kind) {
      case 'VirtualKey': {
        const secret = isGenerated(input.object) ? ownedSecret(this.#options.view, input.object) : undefined
        const generated = secret === undefined ? undefined : readGeneratedKey(secret)
        const supplied = isGenerated(input.object) ? undefined : this.#supplied(input.object)
        return virtualKeyFields(input, { generated, supplied, nowMs })
      }
      case 'Provider':
        return providerFields(input, input.build.credentials.get(input.object.metadata.name), nowMs)
      default:
        return organizationFields(input)
    }
  }

  #supplied(object: KubeObject): Secret | undefined {
    const reference = asObject(asObject(asObject(object['spec'])?.['key'])?.['secretRef'])
    const secret = this.#options.view.secret(object.metadata.namespace ?? '', asString(reference?.['name']) ?? '')
    return secret === undefined ? undefined : entryOf(secret, asString(reference?.['key']) ?? 'key')
  }

  #tell(object: KubeObject, desired: readonly DesiredCondition[]): void {
    const ready = desired.find(({ type }) => type === 'Ready')
    const before = conditionOf(object, 'Ready')
    if (ready === undefined || before?.['reason'] === ready.reason || ready.reason === 'Pending') return
    this.#options.events.record(object, {
      type: ready.status === 'False' && !DELIBERATE.has(ready.reason) ? 'Warning' : 'Normal',
      reason: ready.reason,
      action: 'Reconcile',
      note: ready.message === '' ? 'it is in force' : ready.message,
    })
    if (object.kind !== 'VirtualKey' || ready.status !== 'True') return
    const several = this.#several.eventFor(object, this.#options.now())
    if (several !== undefined) this.#options.events.record(object, several)
  }

  #lookup(kind: string): ObjectLookup | undefined {
    const { view } = this.#options
    switch (kind) {
      case 'VirtualKey':
        return view.virtualKeys
      case 'Provider':
        return view.providers
      case 'Organization':
        return view.organizations
      default:
        return undefined
    }
  }
}

function hasNoSecret(conditions: readonly Condition[] = []): boolean {
  return conditions.some(({ type, reason }) => type === 'KeyReady' && reason === 'SecretNotFound')
}

function resourceOf(kind: string): Resource {
  return kind === 'VirtualKey' ? VIRTUAL_KEYS : kind === 'Provider' ? PROVIDERS : ORGANIZATIONS
}

function partsOf(id: string): { readonly kind: string; readonly key: string } {
  const slash = id.indexOf('/')
  return { kind: id.slice(0, slash), key: id.slice(slash + 1) }
}
