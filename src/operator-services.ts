/** What every replica of the operator serves: credentials for sidecars, the webhook that injects them. Wiring only. */
import type { Certificates } from './operator-certificates.ts'
import type { OperatorSettings } from './operator-flags.ts'
import { Secret } from './domain/secret.ts'
import type { Controllers } from './operator/controllers/controllers.ts'
import { PodWatch, tokenReviewer } from './operator/controllers/sidecar-access.ts'
import { buildGrant } from './operator/credentials/build-grant.ts'
import type { GrantContent } from './operator/credentials/ports.ts'
import { CredentialsServer } from './operator/credentials/server.ts'
import { InjectionAuditor } from './operator/injection/auditor.ts'
import { allowedImages } from './operator/injection/images.ts'
import { configHashOf, createInjector } from './operator/injection/injector.ts'
import { keyLookup } from './operator/injection/key-lookup.ts'
import { fingerprints } from './operator/injection/pod-summary.ts'
import type { InjectionSettings } from './operator/injection/settings.ts'
import type { SidecarRules } from './operator/injection/sidecar-shape.ts'
import { startWebhookServer } from './operator/injection/webhook-server.ts'
import type { EventRecorder } from './operator/kube/event-recorder.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import type { Log } from './operator/kube/log.ts'
import { SYSTEM_TIMING } from './operator/kube/timing.ts'
import type { OperatorMetrics } from './operator/operator-metrics.ts'
import { listenForHints } from './operator/publish/hints.ts'
import { tenantLogin } from './operator/publish/redis-users.ts'
import { withSentinelLogin } from './operator/redis-login.ts'
import type { ShardSigner } from './operator/publish/sign.ts'
import { re2ImagePattern } from './proxy/guardrails/re2-pattern-engine.ts'
import type { Address } from './proxy/server/start.ts'
import { atAddressOf } from './refused-address.ts'

export interface ServiceParts {
  readonly settings: OperatorSettings
  readonly namespace: string
  readonly client: KubeClient
  readonly log: Log
  readonly events: EventRecorder
  readonly master: Secret
  readonly signer: ShardSigner
  readonly metrics: OperatorMetrics
  readonly controllers: Controllers
  readonly certificates: Certificates
  /** With the operator's login: hints come over it. */
  readonly redisUrl: () => Secret
  /** With the login of all sidecars; undefined: it is not known yet, or each namespace has one of its own. */
  readonly sidecarRedisUrl: () => Secret | undefined
  readonly isLeader: () => boolean
}

export interface RunningServices {
  /** What is in force has changed. */
  push(): void
  /** There is another login to Redis. */
  redirect(): void
  close(): Promise<void>
}

/** Resolves when both listen, which is when there is a certificate. */
export async function startServices(parts: ServiceParts): Promise<RunningServices> {
  const { settings, client, log, certificates } = parts
  const rules = sidecarRules(settings.injection)
  const authorities = rememberedAuthorities(certificates)
  const grants = new GrantCache(parts)
  const credentials: { server?: CredentialsServer } = {}
  const pods = new PodWatch({
    client,
    timing: SYSTEM_TIMING,
    log,
    rules,
    authorities: settings.injection === undefined ? () => undefined : authorities,
    onDeleted: (uid) => credentials.server?.podDeleted(uid),
  })
  pods.start()
  const auditor = settings.injection === undefined ? undefined : audit(parts, pods, settings.injection)
  await certificates.loaded
  const server = settings.grpc === undefined ? undefined : await serveCredentials(parts, settings.grpc, pods, grants)
  if (server !== undefined) credentials.server = server
  const webhook =
    settings.injection === undefined ? undefined : await serveWebhook(parts, settings.injection, rules, authorities)
  const hear = () => (server === undefined ? undefined : listen(parts.redisUrl(), server))
  let hints = hear()
  const push = () => {
    grants.clear()
    server?.pushGrants()
  }
  return {
    push,
    redirect() {
      hints?.close()
      hints = hear()
      push()
    },
    async close() {
      hints?.close()
      auditor?.stop()
      await Promise.all([webhook?.close(), server?.close()])
      await pods.stop()
    },
  }
}

function sidecarRules(injection: InjectionSettings | undefined): SidecarRules {
  if (injection === undefined) return { isAllowedImage: () => true }
  return {
    isAllowedImage: allowedImages(injection.image, re2ImagePattern(injection.imagePattern)),
    operatorAddress: injection.operatorAddress,
  }
}

/** Fingerprints of the authorities in force. */
function rememberedAuthorities(certificates: Certificates): () => ReadonlySet<string> {
  let trust: string | undefined
  let known: ReadonlySet<string> = new Set()
  return () => {
    const current = certificates.current?.trust
    if (current !== trust) known = new Set(fingerprints(current ?? ''))
    trust = current
    return known
  }
}

async function serveCredentials(
  parts: ServiceParts,
  address: Address,
  pods: PodWatch,
  grants: GrantCache,
): Promise<CredentialsServer> {
  const { client, log, metrics, certificates } = parts
  const server = new CredentialsServer({
    reviewer: tokenReviewer(client),
    pods,
    grants,
    log,
    now: SYSTEM_TIMING.now,
    onAuthenticated: metrics.authenticated,
  })
  const { certificate, privateKey } = await certificates.loaded
  server.setCertificate(certificate, privateKey)
  certificates.onChange((renewed) => {
    server.setCertificate(renewed.certificate, renewed.privateKey)
    // They carry the authorities.
    grants.clear()
    server.pushGrants()
  })
  const port = await atAddressOf('listen-grpc', address, ({ host, port: wanted }) => server.listen(host, wanted))
  log.info({ grpc: `${address.host ?? ''}:${port}` }, 'credentials service listens')
  return server
}

async function serveWebhook(
  parts: ServiceParts,
  injection: InjectionSettings,
  rules: SidecarRules,
  authorities: () => ReadonlySet<string>,
) {
  const { settings, client, log, metrics, controllers, certificates } = parts
  if (settings.webhook === undefined) return undefined
  const isTrusted = (pem: string): boolean => {
    const found = fingerprints(pem)
    return found !== undefined && found.length > 0 && found.every((one) => authorities().has(one))
  }
  const { certificate, privateKey } = await certificates.loaded
  const inject = createInjector({
    settings: injection,
    trust: () => certificates.current?.trust,
    keys: keyLookup(client, () => (controllers.hasSynced ? controllers.virtualKeys : undefined)),
    rules: { ...rules, isTrusted },
    mayUseImage: re2ImagePattern(injection.imagePattern),
    now: SYSTEM_TIMING.now,
    log,
    onDecision: metrics.injected,
  })
  const server = await atAddressOf('listen-webhook', settings.webhook, (address) =>
    startWebhookServer({ ...address, certificate, privateKey, log, inject }),
  )
  certificates.onChange((renewed) => server.setCertificate(renewed.certificate, renewed.privateKey))
  log.info({ webhook: `${settings.webhook.host ?? ''}:${server.port}` }, 'webhook listens')
  return server
}

function audit(parts: ServiceParts, pods: PodWatch, injection: InjectionSettings): InjectionAuditor {
  const { controllers, certificates, events, log, metrics, isLeader, namespace } = parts
  const auditor = new InjectionAuditor({
    pods: () => pods.summaries,
    namespaces: () => controllers.namespaces.list(),
    excluded: new Set([...injection.excludeNamespaces, namespace]),
    configHash() {
      const trust = certificates.current?.trust
      return trust === undefined ? undefined : configHashOf(injection, trust)
    },
    events,
    timing: SYSTEM_TIMING,
    log,
    isLeader,
    onAudit: metrics.audited,
  })
  auditor.start()
  return auditor
}

/** Ten thousand sidecars ask for what some hundred owners get. */
class GrantCache {
  readonly #parts: ServiceParts
  readonly #grants = new Map<string, GrantContent>()

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  clear(): void {
    this.#grants.clear()
  }

  grantFor(owner: string): GrantContent | undefined {
    const { controllers, master, signer, certificates } = this.#parts
    const { build } = controllers
    const known = this.#grants.get(owner)
    if (build === undefined || known !== undefined) return known
    const redis = sidecarRedis(owner, this.#parts)
    if (redis === undefined) return undefined
    const trust = certificates.current?.trust
    const grant = buildGrant({ ...build, owner, master, shardKeys: [signer.publicKey], redis, trust })
    this.#grants.set(owner, grant)
    return grant
  }
}

/** Undefined while the login of all sidecars is not known. */
function sidecarRedis(
  owner: string,
  { settings, master, redisUrl, sidecarRedisUrl }: ServiceParts,
): GrantContent['redis'] | undefined {
  const { sidecarUrl, sidecarCa, sidecarSecret } = settings.redis
  const ca = sidecarCa === undefined ? {} : { ca: sidecarCa }
  if (sidecarSecret === undefined)
    return { url: withSentinelLogin(sidecarUrl, redisUrl()), ...ca, ...tenantLogin({ owner, master }) }
  const shared = sidecarRedisUrl()?.reveal()
  // The address has it.
  const login = { username: '', password: new Secret('') }
  return shared === undefined ? undefined : { url: withSentinelLogin(shared, redisUrl()), ...ca, ...login }
}

function listen(url: Secret, server: CredentialsServer) {
  return /^rediss?:/.test(url.reveal())
    ? listenForHints({ url: url.reveal(), onHint: (shards) => server.hint(shards), random: Math.random })
    : undefined
}
