/**
 * Keeps `caBundle` of one MutatingWebhookConfiguration: whoever writes that object anew (Helm, GitOps, kubectl replace)
 * knows nothing of our authority. The leader writes at once, another replica only where nobody did for some seconds.
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { Backoff } from '../kube/backoff.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { Reflector } from '../kube/reflector.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS } from '../kube/resource.ts'
import type { Cancel, Timing } from '../kube/timing.ts'
import { splitPem } from './serving-certificate.ts'

export const WEBHOOK_FIELD_MANAGER = 'tollgate-webhook-certs'
const FOLLOWER_PATIENCE_MS = 5_000
/** For the watch to show what was written. */
const CHECK_MS = 1_000
const RETRY_MIN_MS = 500
const RETRY_MAX_MS = 30_000

export interface WebhookTrustOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'serverSideApply'>
  readonly timing: Timing
  readonly log: Log
  /** Of the MutatingWebhookConfiguration. */
  readonly name: string
  /** PEM; undefined while it is not known. */
  readonly trust: () => string | undefined
  readonly isLeader: () => boolean
}

export class WebhookTrust {
  readonly #options: WebhookTrustOptions
  readonly #reflector: Reflector
  readonly #backoff: Backoff
  #writing = false
  #timer: Cancel | undefined
  #stopped = false

  constructor(options: WebhookTrustOptions) {
    this.#options = options
    const { client, timing, log, name } = options
    this.#backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, timing)
    const fieldSelector = `metadata.name=${name}`
    this.#reflector = new Reflector({
      client,
      timing,
      log,
      resource: MUTATING_WEBHOOK_CONFIGURATIONS,
      fieldSelector,
    })
    this.#reflector.onChange(() => this.look())
  }

  start(): void {
    this.#reflector.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.()
    await this.#reflector.stop()
  }

  /** Call when the trust has changed, or leadership has come. */
  look(): void {
    if (this.#stopped || this.#wrong() === undefined) return
    if (this.#options.isLeader()) this.#later(0)
    else if (this.#timer === undefined) this.#later(FOLLOWER_PATIENCE_MS)
  }

  /** Why admission would fail, for people; undefined: it would not, or there is no such configuration. */
  get problem(): string | undefined {
    const { name, trust } = this.#options
    if (!this.#reflector.hasSynced) return `MutatingWebhookConfiguration ${name} has not been read yet`
    if (trust() === undefined) return undefined
    return this.#wrong() === undefined
      ? undefined
      : `caBundle of MutatingWebhookConfiguration ${name} is not that of the server's certificate`
  }

  #later(delayMs: number): void {
    this.#timer?.()
    this.#timer = this.#options.timing.after(delayMs, () => {
      this.#timer = undefined
      void this.#write()
    })
  }

  async #write(): Promise<void> {
    const [configuration, bundle] = [this.#wrong(), this.#bundle()]
    if (configuration === undefined || bundle === undefined || this.#writing || this.#stopped) return
    const { client, log, name } = this.#options
    this.#writing = true
    try {
      const options = { fieldManager: WEBHOOK_FIELD_MANAGER, force: true }
      await client.serverSideApply(MUTATING_WEBHOOK_CONFIGURATIONS, render(configuration, bundle), options)
      this.#backoff.reset()
      log.info({ configuration: name }, 'caBundle written')
    } catch (error) {
      // It is gone or another one by now: the watch tells.
      const isRace = error instanceof KubeError && (error.isConflict || error.isNotFound)
      if (!isRace) log.warn({ configuration: name, ...errorFields(error) }, 'caBundle not written')
      if (!this.#stopped && this.#timer === undefined) this.#later(this.#backoff.next())
    } finally {
      this.#writing = false
    }
    // What has changed meanwhile was not written.
    if (!this.#stopped && this.#timer === undefined && this.#wrong() !== undefined) this.#later(CHECK_MS)
  }

  /** The configuration, where one of its webhooks does not have the bundle. */
  #wrong(): KubeObject | undefined {
    const bundle = this.#bundle()
    const configuration = this.#reflector.store.get(this.#options.name)
    if (bundle === undefined || configuration === undefined) return undefined
    const isWrong = asArray(configuration['webhooks']).some(
      (webhook) => !isSameBundle(asString(asObject(asObject(webhook)?.['clientConfig'])?.['caBundle']), bundle),
    )
    return isWrong ? configuration : undefined
  }

  #bundle(): string | undefined {
    const trust = this.#options.trust()
    return trust === undefined ? undefined : Buffer.from(trust).toString('base64')
  }
}

/** In another order or with comments it is the same: whoever else keeps it (cert-manager) need not be overruled for ever. */
function isSameBundle(found: string | undefined, wanted: string): boolean {
  if (found === wanted) return true
  const [has, wants] = [found ?? '', wanted].map((text) => {
    const pem = Buffer.from(text, 'base64').toString('utf8')
    return splitPem(pem)
      .map((one) => one.replaceAll(/\s/g, ''))
      .toSorted()
      .join('')
  })
  return has === wants
}

/** With the uid: an object that has been deleted meanwhile must not come back as half of one. */
function render({ metadata, webhooks }: KubeObject, caBundle: string): JsonObject {
  return {
    metadata: { name: metadata.name, uid: metadata.uid },
    webhooks: asArray(webhooks).map((webhook) => ({
      name: asString(asObject(webhook)?.['name']) ?? '',
      clientConfig: { caBundle },
    })),
  }
}
