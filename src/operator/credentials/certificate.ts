import type { experimental } from '@grpc/grpc-js'
import type { Secret } from '../../domain/secret.ts'

type Provider = Parameters<typeof experimental.createCertificateProviderServerCredentials>[0]
type Listener = Parameters<Provider['addIdentityCertificateListener']>[0]

/** A server certificate that can be exchanged while the server runs. */
export class ServerCertificate implements Provider {
  readonly #listeners = new Set<Listener>()
  #latest: Parameters<Listener>[0] = null

  /** PEM, with its chain. */
  set(certificate: string, privateKey: Secret): void {
    this.#latest = { certificate: Buffer.from(certificate), privateKey: Buffer.from(privateKey.reveal()) }
    for (const listener of this.#listeners) listener(this.#latest)
  }

  addIdentityCertificateListener(listener: Listener): void {
    this.#listeners.add(listener)
    // Later, because grpc-js adds the server that is to be told only after this call.
    queueMicrotask(() => listener(this.#latest))
  }

  removeIdentityCertificateListener(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** Clients are not asked for certificates. */
  addCaCertificateListener(): void {}

  removeCaCertificateListener(): void {}
}
