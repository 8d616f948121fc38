/** The certificates of the operator's servers, whoever keeps them, and who is told when they change. Wiring only. */
import type { CertificateSettings } from './operator-flags.ts'
import { SERVER_SECRET } from './operator/certificates/authority-secrets.ts'
import { CertificateWatch } from './operator/certificates/certificate-watch.ts'
import { OwnAuthority } from './operator/certificates/own-authority.ts'
import { parseCertificate, splitPem } from './operator/certificates/serving-certificate.ts'
import type { ServingCertificate } from './operator/certificates/serving-certificate.ts'
import { WebhookTrust } from './operator/certificates/webhook-trust.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import type { Log } from './operator/kube/log.ts'
import { SYSTEM_TIMING } from './operator/kube/timing.ts'
import type { OperatorMetrics } from './operator/operator-metrics.ts'

export interface CertificateParts {
  readonly client: KubeClient
  readonly log: Log
  readonly namespace: string
  readonly settings: CertificateSettings
  readonly webhookConfiguration: string | undefined
  readonly isLeader: () => boolean
  readonly metrics: OperatorMetrics
}

export interface Certificates {
  /** Resolves with the first. */
  readonly loaded: Promise<ServingCertificate>
  readonly current: ServingCertificate | undefined
  /** Why servers cannot be reached, for people. */
  readonly problem: string | undefined
  /** Called with each that follows. Must not throw. */
  onChange(listener: (certificate: ServingCertificate) => void): void
  /** Leadership has come. */
  lead(): void
  stop(): Promise<void>
}

/** Begins at once; what the API server does not answer is asked again. */
export function followCertificates(parts: CertificateParts): Certificates {
  const { client, log, namespace, settings, webhookConfiguration, isLeader, metrics } = parts
  const timing = SYSTEM_TIMING
  const listeners: ((certificate: ServingCertificate) => void)[] = []
  const watch = new CertificateWatch({
    client,
    timing,
    log,
    namespace,
    name: settings.secret ?? SERVER_SECRET,
    onCertificate(certificate) {
      for (const listener of listeners) listener(certificate)
      trust?.look()
    },
    onChange: () => authority?.look(),
  })
  const trust =
    webhookConfiguration === undefined
      ? undefined
      : new WebhookTrust({
          client,
          timing,
          log,
          name: webhookConfiguration,
          trust: () => watch.current?.trust,
          isLeader,
        })
  const authority =
    settings.secret === undefined
      ? new OwnAuthority({
          client,
          namespace,
          names: serverNames(settings, namespace),
          authorityLifetimeMs: settings.authorityLifetimeMs,
          serverLifetimeMs: settings.serverLifetimeMs,
          timing,
          log,
          isLeader,
        })
      : undefined
  watch.start()
  trust?.start()
  authority?.look()
  metrics.watchCertificate('server', () => watch.current?.notAfterMs)
  metrics.watchCertificate('authority', () => latestEnd(watch.current?.trust))
  return {
    loaded: watch.loaded,
    get current() {
      return watch.current
    },
    get problem() {
      return watch.problem ?? trust?.problem
    },
    onChange: (listener) => void listeners.push(listener),
    lead() {
      authority?.look()
      trust?.look()
    },
    async stop() {
      await Promise.all([watch.stop(), trust?.stop(), authority?.stop()])
    },
  }
}

/** As clients in the cluster may call the Service. */
function serverNames({ service, moreNames }: CertificateSettings, namespace: string): readonly string[] {
  const local = `${service}.${namespace}`
  return [service, local, `${local}.svc`, `${local}.svc.cluster.local`, ...moreNames]
}

/** Of the authorities: one that follows has been made, where the first one ends soon. */
function latestEnd(trust: string | undefined): number | undefined {
  if (trust === undefined) return undefined
  return Math.max(...splitPem(trust).map((pem) => parseCertificate(pem, 'an authority').validToDate.getTime()))
}
