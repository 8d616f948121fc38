/** The Secret with the server's certificate, whoever keeps it, followed through the API: a mounted one is a minute late. */
import type { KubeClient } from '../kube/kube-api.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { Reflector } from '../kube/reflector.ts'
import { SECRETS } from '../kube/resource.ts'
import type { Timing } from '../kube/timing.ts'
import { parseServingCertificate } from './serving-certificate.ts'
import type { ServingCertificate } from './serving-certificate.ts'

export interface CertificateWatchOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>
  readonly timing: Timing
  readonly log: Log
  readonly namespace: string
  readonly name: string
  /** A new certificate is in force. Must not throw. */
  readonly onCertificate: (certificate: ServingCertificate) => void
  /** The Secret has changed or is gone, whatever it holds. */
  readonly onChange?: () => void
}

export class CertificateWatch {
  readonly #options: CertificateWatchOptions
  readonly #reflector: Reflector
  readonly #first = Promise.withResolvers<ServingCertificate>()
  #current: ServingCertificate | undefined
  #problem: string | undefined

  constructor(options: CertificateWatchOptions) {
    this.#options = options
    const { client, timing, log, namespace, name } = options
    this.#problem = `Secret ${namespace}/${name} with the server's certificate is not there yet`
    this.#reflector = new Reflector({
      client,
      timing,
      log,
      resource: SECRETS,
      namespace,
      fieldSelector: `metadata.name=${name}`,
    })
    this.#reflector.onChange(({ current }) => this.#take(current))
  }

  start(): void {
    this.#reflector.start()
  }

  stop(): Promise<void> {
    return this.#reflector.stop()
  }

  /** In force: the latest good one, also when the Secret is gone or spoilt. */
  get current(): ServingCertificate | undefined {
    return this.#current
  }

  /** Resolves with the first good certificate. */
  get loaded(): Promise<ServingCertificate> {
    return this.#first.promise
  }

  /** Why there is none, for people; undefined where there is one. */
  get problem(): string | undefined {
    return this.#current === undefined ? this.#problem : undefined
  }

  #take(secret: KubeObject | undefined): void {
    const { log, name, onCertificate, onChange } = this.#options
    try {
      if (secret !== undefined) {
        this.#current = parseServingCertificate(secret)
        this.#first.resolve(this.#current)
        onCertificate(this.#current)
        log.info({ secret: name, until: new Date(this.#current.notAfterMs).toISOString() }, 'certificate loaded')
      }
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : 'the certificate cannot be used'
      log.error({ secret: name, ...errorFields(error) }, 'certificate not loaded')
    }
    onChange?.()
  }
}
