/** Process entry: the control plane. Wiring only. */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { parseAddress, parseFlags, UsageError, type FlagSpec, type Flags } from './command-line.ts'
import { contentHash } from './crypto/content-hash.ts'
import { startAdminServer } from './operator/admin-server.ts'
import { Controllers } from './operator/controllers/controllers.ts'
import { PodWatch, tokenReviewer } from './operator/controllers/sidecar-access.ts'
import { buildGrant } from './operator/credentials/build-grant.ts'
import type { GrantContent } from './operator/credentials/ports.ts'
import { CredentialsServer } from './operator/credentials/server.ts'
import { listenForHints } from './operator/publish/hints.ts'
import { tenantLogin } from './operator/publish/redis-users.ts'
import type { ShardSigner } from './operator/publish/sign.ts'
import { Secret } from './domain/secret.ts'
import { installationSecrets, type InstallationSecrets } from './operator/controllers/installation-secrets.ts'
import { EventRecorder } from './operator/kube/event-recorder.ts'
import { findConnection } from './operator/kube/find-connection.ts'
import { createKubeClient } from './operator/kube/kube-client.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import { KubeHttp } from './operator/kube/kube-http.ts'
import { LeaderElector } from './operator/kube/leader-elector.ts'
import { errorFields, type Log } from './operator/kube/log.ts'
import { pause, SYSTEM_TIMING } from './operator/kube/timing.ts'
import { createOperatorMetrics, type OperatorMetrics } from './operator/operator-metrics.ts'
import { createSigner } from './operator/publish/sign.ts'
import { checkPattern } from './proxy/guardrails/guardrails.ts'
import { connectRedis } from './proxy/stores/redis/redis-client.ts'
import { createOutput, LOG_LEVELS, type LogLevel } from './proxy/telemetry/logger.ts'
import { endOnSignals } from './signals.ts'

export const OPERATOR_FLAGS = {
  redis: { type: 'text', help: 'redis://user:password@host:6379 (rediss:// for TLS): where the configuration goes' },
  namespace: {
    type: 'text',
    help: "the operator's namespace, with the providers' Secrets (default: that of its connection)",
  },
  admin: { type: 'text', default: '0.0.0.0:4142', help: 'address of /livez, /readyz and /metrics' },
  'listen-grpc': {
    type: 'text',
    help: 'address of the credentials service for sidecars, such as 0.0.0.0:8443; without it there is none',
  },
  'grpc-certificate': { type: 'text', help: 'PEM file of its certificate, with the chain' },
  'grpc-key': { type: 'text', help: "PEM file of the certificate's private key" },
  'sidecar-redis': {
    type: 'text',
    help: 'Redis as sidecars reach it, without a login (default: --redis without its login)',
  },
  'sidecar-redis-ca': { type: 'text', help: 'PEM file of the certificates that sidecars check Redis with' },
  'lease-name': { type: 'text', default: 'tollgate-operator', help: 'Lease that decides which replica leads' },
  'kube-rate': { type: 'text', default: '400', help: 'calls a second to the API server, at most' },
  'log-level': { type: 'text', default: 'info', help: LOG_LEVELS.join(', ') },
} as const satisfies Record<string, FlagSpec>

const RETRY_MS = 2_000

/** Starts the operator; resolves when its admin address answers. It ends by signal. @throws {UsageError} */
export async function runOperator(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<undefined> {
  const flags = parseFlags(args, OPERATOR_FLAGS, environment)
  if (flags.redis === undefined) throw new UsageError('--redis URL is required')
  const admin = parseAddress('admin', flags.admin)
  const sidecars = await sidecarSettings(flags)
  const rate = wholeNumber('kube-rate', flags['kube-rate'])
  const timing = SYSTEM_TIMING
  const output = createOutput(logLevel(flags['log-level']))
  const log: Log = output.log
  const die = (reason: string): never => {
    log.error({ reason }, 'operator ends')
    output.flush()
    process.exit(1)
  }

  const connection = await findConnection({ env: environment, home: homedir(), timing })
  const namespace = flags.namespace ?? connection.namespace
  const http = new KubeHttp(connection, { timing, userAgent: 'tollgate-operator' })
  const client = createKubeClient(http, {
    timing,
    fieldManager: 'tollgate-controller',
    requestsPerSecond: rate,
    burst: rate * 2,
  })
  const instance = environment['POD_NAME'] ?? hostname()
  const events = new EventRecorder({ client, timing, log, controller: 'tollgate.dev/operator', instance })
  const metrics = createOperatorMetrics()
  let controllers: Controllers | undefined
  const redis = connectRedis(flags.redis, {
    onChange: (ready, cause) => {
      log[ready ? 'info' : 'warn']({ ready, ...(cause === undefined ? {} : errorFields(cause)) }, 'Redis')
      if (ready) controllers?.redisReturned()
    },
  })
  const server = await startAdminServer({
    ...admin,
    isReady: () => controllers?.hasSynced === true,
    metricsPage: metrics.page,
  })
  log.info({ admin: `http://${admin.host}:${server.port}`, namespace }, 'operator started')

  const elector = new LeaderElector({
    // Of its own: its calls must not wait behind those of the controllers.
    client: createKubeClient(http, { timing, fieldManager: 'tollgate-leader' }),
    namespace,
    name: flags['lease-name'],
    identity: `${instance}_${randomUUID()}`,
    timing,
    log,
    onElected: (epoch) => controllers?.lead(epoch, () => elector.isLeader),
    onLost: (reason) => die(`leadership lost: ${reason}`),
  })
  let credentials: RunningCredentials | undefined
  endOnSignals(async () => {
    await credentials?.close()
    await controllers?.stop()
    await elector.stop()
    await server.stop()
    await redis.close()
    await http.close()
    log.info({}, 'stopped')
    output.flush()
  })

  const { master, signingKey } = await secretsOf(client, namespace, log)
  const signer = createSigner(signingKey)
  controllers = new Controllers({
    client,
    redis,
    timing,
    log,
    events,
    namespace,
    master,
    signer,
    contentHash,
    checkPattern,
    randomBytes,
    metrics,
    onBuilt: () => credentials?.push(),
    onFenced: (epoch) => die(`a leader of epoch ${epoch} has published`),
  })
  const started = controllers
  metrics.watch(
    () => started.figures,
    () => elector.isLeader,
  )
  await started.start()
  log.info({}, 'cluster read')
  if (sidecars !== undefined) {
    credentials = await serveCredentials({ sidecars, client, log, master, signer, metrics, controllers: started })
  }
  elector.start()
  return undefined
}

interface SidecarSettings {
  readonly host: string
  readonly port: number
  readonly certificate: string
  readonly privateKey: Secret
  /** With the operator's login: hints come over it. */
  readonly redisUrl: string
  /** Without a login. */
  readonly sidecarRedisUrl: string
  readonly ca?: string
}

/** @throws {UsageError} */
async function sidecarSettings(flags: Flags<typeof OPERATOR_FLAGS>): Promise<SidecarSettings | undefined> {
  const { redis = '' } = flags
  if (flags['listen-grpc'] === undefined) return undefined
  const [certificate, key] = [flags['grpc-certificate'], flags['grpc-key']]
  if (certificate === undefined || key === undefined)
    throw new UsageError('--listen-grpc needs --grpc-certificate and --grpc-key')
  const ca = flags['sidecar-redis-ca']
  return {
    ...parseAddress('listen-grpc', flags['listen-grpc']),
    certificate: await readFile(certificate, 'utf8'),
    privateKey: new Secret(await readFile(key, 'utf8')),
    redisUrl: redis,
    sidecarRedisUrl: flags['sidecar-redis'] ?? redis.replace(/^([a-z+]+:\/\/)[^@/]*@/, '$1'),
    ...(ca === undefined ? {} : { ca: await readFile(ca, 'utf8') }),
  }
}

interface RunningCredentials {
  /** What is in force has changed. */
  push(): void
  close(): Promise<void>
}

interface CredentialsParts {
  readonly sidecars: SidecarSettings
  readonly client: KubeClient
  readonly log: Log
  readonly master: Secret
  readonly signer: ShardSigner
  readonly metrics: OperatorMetrics
  readonly controllers: Controllers
}

/** Every replica serves: what it hands out comes from its own view of the cluster. */
async function serveCredentials(parts: CredentialsParts): Promise<RunningCredentials> {
  const { sidecars, client, log, master, signer, metrics, controllers } = parts
  const { host, port, redisUrl, sidecarRedisUrl, ca } = sidecars
  // Ten thousand sidecars ask for what some hundred owners get.
  const grants = new Map<string, GrantContent>()
  const pods = new PodWatch({ client, timing: SYSTEM_TIMING, log, onDeleted: (uid) => server.podDeleted(uid) })
  const server = new CredentialsServer({
    reviewer: tokenReviewer(client),
    pods,
    grants: {
      grantFor: (owner) => {
        const { build } = controllers
        const known = grants.get(owner)
        if (build === undefined || known !== undefined) return known
        const redis = { url: sidecarRedisUrl, ...tenantLogin({ owner, master }), ...(ca === undefined ? {} : { ca }) }
        const grant = buildGrant({ ...build, owner, master, shardKeys: [signer.publicKey], redis })
        grants.set(owner, grant)
        return grant
      },
    },
    log,
    now: SYSTEM_TIMING.now,
    onAuthenticated: metrics.authenticated,
  })
  server.setCertificate(sidecars.certificate, sidecars.privateKey)
  pods.start()
  const bound = await server.listen(host, port)
  log.info({ grpc: `${host}:${bound}` }, 'credentials service listens')
  const hints = /^rediss?:/.test(redisUrl)
    ? listenForHints({ url: redisUrl, onHint: (shards) => server.hint(shards), random: Math.random })
    : undefined
  return {
    push: () => {
      grants.clear()
      server.pushGrants()
    },
    close: async () => {
      hints?.close()
      await server.close()
      await pods.stop()
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

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not ${text}`)
  return level
}

function wholeNumber(flag: string, text: string): number {
  const value = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
  if (value === undefined) throw new UsageError(`--${flag} must be a whole number from 1 to 999999, not ${text}`)
  return value
}
