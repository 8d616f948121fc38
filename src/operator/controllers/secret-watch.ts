/**
 * The Secrets that this operator may read: all of the cluster where RBAC allows that, else those of each namespace that
 * holds a VirtualKey and grants it. A namespace that does not is asked again, because granting it is somebody's next step.
 */
import { asObject, asString } from '../../domain/json.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import type { ObjectChange } from '../kube/object-store.ts'
import { Reflector } from '../kube/reflector.ts'
import { SECRETS } from '../kube/resource.ts'
import type { Resource } from '../kube/resource.ts'
import type { Cancel, Timing } from '../kube/timing.ts'

const RETRY_MS = 5_000
/** As people are told to name theirs: not as the chart names its own, which it could then not make any more. */
const BINDING = 'tollgate-secrets'
/** Large or of no use here; filtered by the server, so that they are neither sent nor kept. */
const UNWANTED_TYPES = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token'

const ACCESS_REVIEWS = review('authorization.k8s.io', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview')
const SUBJECT_REVIEWS = review('authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview')

export type SecretAccess = 'readable' | 'pending' | 'denied'

export interface SecretWatchOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'review'>
  readonly timing: Timing
  readonly log: Log
  /** The namespaces whose Secrets are needed, asked again at each `refresh`. */
  readonly namespaces: () => ReadonlySet<string>
  /** A Secret, or the access to a namespace, has changed. Must not throw. */
  readonly onChange: (change: ObjectChange | undefined) => void
}

export class SecretWatch {
  readonly #options: SecretWatchOptions
  readonly #byNamespace = new Map<string, Reflector>()
  readonly #denied = new Set<string>()
  #all: Reflector | undefined
  #subject = ''
  #refreshing = false
  #again = false
  #timer: Cancel | undefined
  #stopped = false

  constructor(options: SecretWatchOptions) {
    this.#options = options
  }

  /** Begins to watch; resolves when every namespace that is needed now is either in the store or known to be denied. */
  async start(): Promise<void> {
    const { client, timing } = this.#options
    while (!this.#stopped) {
      try {
        if (await this.#mayList(undefined)) {
          this.#all = this.#watch(undefined)
          return await this.#all.synced
        }
        const answer = await client.review(SUBJECT_REVIEWS, {})
        this.#subject = asString(asObject(asObject(answer['status'])?.['userInfo'])?.['username']) ?? ''
        await this.#refreshAll()
        return await Promise.all([...this.#byNamespace.values()].map(({ synced }) => synced)).then(() => undefined)
      } catch (error) {
        this.#options.log.warn(errorFields(error), 'access to Secrets is not known')
        await new Promise<void>((resolve) => void timing.after(RETRY_MS, resolve))
      }
    }
  }

  /** Call when the namespaces that are needed may have changed. */
  refresh(): void {
    if (this.#all !== undefined || this.#stopped) return
    this.#again = true
    if (!this.#refreshing) void this.#refreshUntilQuiet()
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return (this.#all ?? this.#byNamespace.get(namespace))?.store.get(namespacedName({ namespace, name }))
  }

  access(namespace: string): SecretAccess {
    if (this.#denied.has(namespace)) return 'denied'
    return (this.#all ?? this.#byNamespace.get(namespace))?.hasSynced === true ? 'readable' : 'pending'
  }

  /** For people: what to run so that Secrets of `namespace` become readable. */
  howToGrant(namespace: string): string {
    const account = /^system:serviceaccount:([^:]+:[^:]+)$/.exec(this.#subject)?.[1]
    const subject = account === undefined ? `--user=${this.#subject}` : `--serviceaccount=${account}`
    return `kubectl create rolebinding ${BINDING} -n ${namespace} --clusterrole=tollgate-namespace ${subject}`
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.()
    await Promise.all([this.#all, ...this.#byNamespace.values()].map((reflector) => reflector?.stop()))
  }

  async #refreshUntilQuiet(): Promise<void> {
    this.#refreshing = true
    while (this.#again && !this.#stopped) {
      this.#again = false
      await this.#refreshAll()
    }
    this.#refreshing = false
  }

  async #refreshAll(): Promise<void> {
    const wanted = this.#options.namespaces()
    for (const [namespace, reflector] of this.#byNamespace) {
      if (wanted.has(namespace)) continue
      this.#byNamespace.delete(namespace)
      void reflector.stop()
    }
    for (const namespace of this.#denied) if (!wanted.has(namespace)) this.#denied.delete(namespace)
    let retry = false
    for (const namespace of wanted) {
      if (this.#byNamespace.has(namespace)) continue
      retry = !(await this.#open(namespace)) || retry
    }
    this.#timer?.()
    if (retry && !this.#stopped) this.#timer = this.#options.timing.after(RETRY_MS, () => this.refresh())
  }

  /** Whether the namespace is watched now. */
  async #open(namespace: string): Promise<boolean> {
    try {
      if (await this.#mayList(namespace)) {
        this.#denied.delete(namespace)
        const reflector = this.#watch(namespace)
        this.#byNamespace.set(namespace, reflector)
        void reflector.synced.then(() => this.#options.onChange(undefined))
        return true
      }
      if (!this.#denied.has(namespace)) {
        this.#denied.add(namespace)
        this.#options.log.warn(
          { namespace, cure: this.howToGrant(namespace) },
          'Secrets of a namespace are not readable',
        )
        this.#options.onChange(undefined)
      }
    } catch (error) {
      this.#options.log.warn({ namespace, ...errorFields(error) }, 'access to Secrets is not known')
    }
    return false
  }

  #watch(namespace: string | undefined): Reflector {
    const { client, timing, log, onChange } = this.#options
    const reflector = new Reflector({
      client,
      resource: SECRETS,
      namespace,
      fieldSelector: UNWANTED_TYPES,
      timing,
      log,
    })
    reflector.onChange(onChange)
    reflector.start()
    return reflector
  }

  async #mayList(namespace: string | undefined): Promise<boolean> {
    const attributes = { verb: 'list', resource: 'secrets', ...(namespace === undefined ? {} : { namespace }) }
    const answer = await this.#options.client.review(ACCESS_REVIEWS, { spec: { resourceAttributes: attributes } })
    return asObject(answer['status'])?.['allowed'] === true
  }
}

function review(group: string, plural: string, kind: string): Resource {
  return Object.freeze({ group, version: 'v1', plural, kind, namespaced: false })
}
