/** Process entry: the data plane in an application's pod, fed by the operator and Redis. Wiring only. */
import { readFile } from 'node:fs/promises'
import { checkAddress, parseFlags, UsageError, type FlagSpec } from './command-line.ts'
import { circuitsTo, DATA_PLANE_FLAGS, now, parseSettings, startDataPlane } from './data-plane.ts'
import { ConfigurationHolder } from './proxy/config/configuration.ts'
import { CredentialsClient } from './proxy/config/credentials-client.ts'
import type { RedisAccess } from './proxy/config/grant.ts'
import { CircuitReporter } from './proxy/config/report-circuits.ts'
import { SidecarConfiguration } from './proxy/config/sidecar-configuration.ts'
import { HealthBoard } from './proxy/providers/health-board.ts'
import { unconnectedRedis, type RedisConnection } from './proxy/stores/redis/redis-client.ts'
import { createOutput } from './proxy/telemetry/logger.ts'
import { createMetrics } from './proxy/telemetry/metrics.ts'
import { openRedisStores, redisChanges } from './stores.ts'

export const SIDECAR_FLAGS = {
  ...DATA_PLANE_FLAGS,
  admin: { ...DATA_PLANE_FLAGS.admin, default: ':4142' },
  operator: { type: 'text', help: 'host:port of the operator' },
  ca: { type: 'text', help: "certificates that the operator's is checked with: a file, or the PEM text itself" },
  token: {
    type: 'text',
    default: '/var/run/tollgate/token',
    help: 'file of the ServiceAccount token with audience tollgate.dev',
  },
} as const satisfies Record<string, FlagSpec>

/** As the chart names it. */
const OPERATOR_EXAMPLE = 'tollgate-operator.tollgate-system.svc:8443'

/** Starts the sidecar; resolves when it listens. It is ready with the first good configuration. @throws {UsageError} */
export async function runSidecar(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<undefined> {
  const flags = parseFlags(args, SIDECAR_FLAGS, environment)
  const { operator, ca, token } = flags
  if (operator === undefined) throw new UsageError('--operator host:port is required')
  checkAddress('operator', operator, OPERATOR_EXAMPLE)
  if (ca === undefined) throw new UsageError('--ca is required: a file, or PEM text')
  const pod = readPod(environment)
  const settings = parseSettings(flags)
  const output = createOutput(settings.logLevel)
  process.on('exit', output.flush)
  const { log } = output
  const metrics = createMetrics()
  const holder = new ConfigurationHolder()
  const tellRedis = redisChanges(log, now)
  const redis = unconnectedRedis({
    onChange(ready, cause) {
      tellRedis(ready, cause)
      if (ready) configuration.hint()
    },
  })
  const stores = await openRedisStores(redis, log, now, true)
  const configuration: SidecarConfiguration = new SidecarConfiguration({
    owner: pod.namespace,
    instance: pod.name,
    redis,
    holder,
    log,
    now,
    random: Math.random,
    loaded: (ok) => metrics.configurationLoaded(ok, Date.now()),
  })
  metrics.watchStaleness(() => configuration.staleMs())
  const follow = redisFollower(redis)
  const client = new CredentialsClient({
    address: operator,
    readCa: () => (isPem(ca) ? Promise.resolve(ca) : readFile(ca, 'utf8')),
    readToken: () => readFile(token, 'utf8'),
    pod,
    onGrant: (grant) => {
      follow(grant.redis)
      configuration.use(grant)
    },
    onHint: () => configuration.hint(),
    log,
    random: Math.random,
  })
  const health = new HealthBoard(now, circuitsTo(log))
  const open = () => health.openCircuits()
  const circuits = new CircuitReporter({ owner: pod.namespace, instance: pod.name, redis, open, now })
  circuits.start()
  const close = async () => {
    circuits.stop()
    await Promise.all([client.close(), configuration.stop()])
  }
  const missing = () => configuration.missing
  await startDataPlane({ settings, output, metrics, holder, stores, close, health, missing })
  return undefined
}

/** Goes over to another address, login or CA as soon as one is granted. */
function redisFollower(redis: RedisConnection): (access: RedisAccess) => void {
  let current: string | undefined
  return ({ url, ca }) => {
    const granted = JSON.stringify([url.reveal(), ca])
    if (granted === current) return
    redis.redirect(url.reveal(), ca === undefined ? {} : { ca })
    current = granted
  }
}

function readPod(environment: NodeJS.ProcessEnv) {
  const { POD_NAMESPACE: namespace, POD_NAME: name, POD_UID: uid } = environment
  if (!namespace || !name || !uid)
    throw new UsageError('POD_NAMESPACE, POD_NAME and POD_UID must be in the environment (downward API)')
  return { namespace, name, uid }
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN')
}
