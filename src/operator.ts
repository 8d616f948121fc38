/** Process entry: the control plane. Wiring only. */
import { randomBytes, randomUUID } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { parseFlags, UsageError } from './command-line.ts'
import { contentHash } from './crypto/content-hash.ts'
import { followCertificates } from './operator-certificates.ts'
import { OPERATOR_FLAGS, readOperatorSettings } from './operator-flags.ts'
import { startServices, type RunningServices } from './operator-services.ts'
import { startAdminServer } from './operator/admin-server.ts'
import { Controllers } from './operator/controllers/controllers.ts'
import { TenantLogins } from './operator/controllers/tenant-logins.ts'
import {
  installationSecrets,
  isReplaced,
  type InstallationSecrets,
} from './operator/controllers/installation-secrets.ts'
import { OWN_SECRETS } from './operator/installation/own-secrets.ts'
import { EventRecorder } from './operator/kube/event-recorder.ts'
import type { KubeConnection } from './operator/kube/connection.ts'
import { findConnection } from './operator/kube/find-connection.ts'
import { createKubeClient } from './operator/kube/kube-client.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import { KubeHttp } from './operator/kube/kube-http.ts'
import { LeaderElector } from './operator/kube/leader-elector.ts'
import { errorFields, type Log } from './operator/kube/log.ts'
import { pause, SYSTEM_TIMING, type Timing } from './operator/kube/timing.ts'
import { createProber } from './operator-probes.ts'
import { OperatorRedis } from './operator-redis.ts'
import { createOperatorMetrics } from './operator/operator-metrics.ts'
import { isOwnPublication } from './operator/publish/published-shards.ts'
import { createSigner } from './operator/publish/sign.ts'
import { checkPattern } from './proxy/guardrails/check-pattern.ts'
import { createOutput } from './proxy/telemetry/logger.ts'
import { atAddressOf } from './refused-address.ts'
import { endOnSignals } from './signals.ts'

export { OPERATOR_FLAGS }

const RETRY_MS = 2_000

/** Starts the operator; resolves when it serves all that it shall. It ends by signal. @throws {UsageError} */
export async function runOperator(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<undefined> {
  const settings = await readOperatorSettings(parseFlags(args, OPERATOR_FLAGS, environment))
  const timing = SYSTEM_TIMING
  const output = createOutput(settings.logLevel)
  const log: Log = output.log
  const die = (reason: string): never => {
    log.error({ reason }, 'operator ends')
    output.flush()
    process.exit(1)
  }

  const connection = await connectionOf(environment, timing)
  const namespace = settings.namespace ?? connection.namespace
  const cluster = openCluster(connection, settings.kubeRate, timing)
  const { client } = cluster
  const instance = environment['POD_NAME'] ?? hostname()
  const events = new EventRecorder({ client, timing, log, controller: 'tollgate.dev/operator', instance })
  const metrics = createOperatorMetrics()
  let controllers: Controllers | undefined
  let services: RunningServices | undefined
  const redis = new OperatorRedis(settings.redis, log, {
    onReady: () => controllers?.redisReturned(),
    onLogin: () => services?.redirect(),
    onSidecarLogin: () => services?.push(),
  })

  const elector = new LeaderElector({
    client: cluster.leaseClient,
    namespace,
    name: settings.leaseName,
    identity: `${instance}_${randomUUID()}`,
    timing,
    log,
    onElected(epoch) {
      controllers?.lead(epoch, () => elector.isLeader)
      certificates?.lead()
    },
    onLost: (reason) => die(`leadership lost: ${reason}`),
  })
  const isLeader = () => elector.isLeader
  const serves = settings.grpc !== undefined || settings.webhook !== undefined
  const certificates = serves
    ? followCertificates({
        client,
        log,
        namespace,
        settings: settings.certificates,
        webhookConfiguration: settings.webhookConfiguration,
        isLeader,
        metrics,
      })
    : undefined
  const problem = () => {
    if (controllers?.hasSynced !== true) return 'the cluster has not been read yet'
    return certificates?.problem ?? (serves && services === undefined ? 'the services do not listen yet' : undefined)
  }
  const server = await atAddressOf('admin', settings.admin, (address) =>
    startAdminServer({ ...address, problem, metricsPage: metrics.page }),
  )
  log.info({ admin: `http://${settings.admin.host ?? '[::]'}:${server.port}`, namespace }, 'operator started')
  const logins = redis.followLogins({ client, timing, log, namespace })
  endOnSignals(async () => {
    await services?.close()
    await certificates?.stop()
    await controllers?.stop()
    await elector.stop()
    await logins.stop()
    await server.stop()
    await redis.connection.close()
    await cluster.close()
    log.info({}, 'stopped')
    await output.end()
  })

  const secrets = await secretsOf(client, namespace, log)
  const { master, signingKey } = secrets
  await logins.first
  const signer = createSigner(signingKey)
  let ending: Promise<void> | undefined
  /**
   * Whoever holds the Lease and is refused all the same has one that was set back (a backup of the cluster, a clock): its
   * successors would count up one restart at a time. Not where another installation has written.
   */
  const surrender = async (epoch: number): Promise<void> => {
    const isOurs = await isOwnPublication(redis.connection, signer).catch(() => false)
    if (isOurs) await elector.stop(epoch)
  }
  controllers = new Controllers({
    client,
    redis: redis.connection,
    logins: settings.redis.sidecarSecret === undefined ? new TenantLogins(redis.connection, master, log) : undefined,
    timing,
    log,
    events,
    namespace,
    master,
    signer,
    contentHash,
    checkPattern,
    reservedSecrets: reservedSecrets(settings.redis.secret, settings.redis.sidecarSecret, settings.certificates.secret),
    prober: createProber(),
    randomBytes,
    metrics,
    storeTrouble: (error) => redis.troubleOf(error),
    onBuilt: () => services?.push(),
    onSecret(secret) {
      if (!isReplaced(secret, namespace, secrets)) return
      ending ??= elector.stop().finally(() => die(`the Secret ${secret.metadata.name} has been replaced`))
    },
    onFenced(epoch) {
      ending ??= surrender(epoch).finally(() => die(`a leader of epoch ${epoch} has published`))
    },
  })
  const started = controllers
  metrics.watch(() => started.figures, isLeader)
  await started.start()
  log.info({}, 'cluster read')
  // Before the services: the leader may have to renew the certificate that they wait for.
  elector.start()
  if (certificates !== undefined) {
    services = await startServices({
      settings,
      namespace,
      client,
      log,
      events,
      master,
      signer,
      metrics,
      certificates,
      redisUrl: () => redis.url,
      sidecarRedisUrl: () => redis.sidecarUrl,
      isLeader,
      controllers: started,
    })
  }
  return undefined
}

/** @throws {UsageError} where no cluster is named, or not as it must be. */
async function connectionOf(env: NodeJS.ProcessEnv, timing: Timing): Promise<KubeConnection> {
  try {
    return await findConnection({ env, home: homedir(), timing })
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error
  }
}

/** What asks the API server: all but the Lease share one rate and one set of connections. */
function openCluster(connection: KubeConnection, requestsPerSecond: number, timing: Timing) {
  const http = new KubeHttp(connection, { timing, userAgent: 'tollgate-operator' })
  // The Lease is renewed over a connection of its own, however many calls a slow server keeps.
  const leaseHttp = new KubeHttp(connection, { timing, userAgent: 'tollgate-operator' })
  const burst = requestsPerSecond * 2
  return {
    client: createKubeClient(http, { timing, fieldManager: 'tollgate-controller', requestsPerSecond, burst }),
    // Of its own: its calls must not wait behind those of the controllers.
    leaseClient: createKubeClient(leaseHttp, { timing, fieldManager: 'tollgate-leader' }),
    async close() {
      await Promise.all([http.close(), leaseHttp.close()])
    },
  }
}

/** Waits for the API server: the operator may be started before it answers. */
async function secretsOf(client: KubeClient, namespace: string, log: Log): Promise<InstallationSecrets> {
  for (;;) {
    try {
      return await installationSecrets(client, namespace, randomBytes)
    } catch (error) {
      log.warn({ namespace, ...errorFields(error) }, 'secrets of the installation not available')
      await pause(SYSTEM_TIMING, RETRY_MS)
    }
  }
}

/** The installation's own Secrets, by whatever name. */
function reservedSecrets(...configured: readonly (string | undefined)[]): ReadonlySet<string> {
  const names = [...OWN_SECRETS, ...configured]
  return new Set(names.filter((name) => name !== undefined))
}
