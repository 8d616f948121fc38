/** Process entry: the data plane fed from manifests on disk. Wiring only. */
import { parseFlags, parseForwardProxy, parseRedis, UsageError, type FlagSpec, type Flags } from './command-line.ts'
import { DATA_PLANE_FLAGS, now, parseSettings, startDataPlane, type DataPlaneParts } from './data-plane.ts'
import { startDemoProviders, type DemoProviders } from './demo.ts'
import { greeting } from './greeting.ts'
import { isManifestName } from './manifests/syntax/files.ts'
import { ConfigurationHolder, deriveSecrets } from './proxy/config/configuration.ts'
import { StateDirectory } from './proxy/config/state-directory.ts'
import { watchFiles } from './proxy/config/watch-files.ts'
import { reloadOnHangUp } from './signals.ts'
import { outliveOutput } from './standard-output.ts'
import { openStores } from './stores.ts'
import { createOutput } from './proxy/telemetry/logger.ts'
import { createMetrics } from './proxy/telemetry/metrics.ts'
import { NO_PROVIDER, StandaloneConfiguration } from './standalone-configuration.ts'

export const STANDALONE_FLAGS = {
  config: { type: 'list', help: 'file or folder of manifests; may be repeated' },
  ...DATA_PLANE_FLAGS,
  state: { type: 'text', help: 'folder of generated keys and secrets; without it they are new at every start' },
  redis: {
    type: 'text',
    help: 'redis://... for budgets, quotas, rates, cached answers and audit records that gateways share; without it in memory',
  },
  demo: {
    type: 'switch',
    help: 'start demo providers where no provider of the manifests is in use, and print a call to paste',
  },
} as const satisfies Record<string, FlagSpec>

/** A full disk, or rights that somebody has to give: minutes rather than moments. Trying costs an attempt to open a file. */
const STATE_RETRY_MS = 10_000

/** Starts the gateway; resolves when it listens. It ends by signal. @throws {UsageError} */
export async function runStandalone(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  bounds: Pick<DataPlaneParts, 'transport' | 'sendTimeoutMs'> = {},
): Promise<undefined> {
  const flags = parseFlags(args, STANDALONE_FLAGS, environment)
  if (flags.config.length === 0) throw new UsageError('--config PATH is required: a file or folder of manifests')
  const settings = parseSettings(flags)
  if (flags.redis !== undefined) parseRedis('redis', flags.redis)
  const forwardProxyOf = parseForwardProxy(environment)
  const output = createOutput(settings.logLevel)
  process.on('exit', output.flush)
  const { state, secrets } = openState(flags.state)
  const metrics = createMetrics()
  const holder = new ConfigurationHolder()
  const configuration = new StandaloneConfiguration({
    paths: flags.config,
    environment,
    state,
    secrets,
    holder,
    log: output.log,
    now,
    wallNow: Date.now,
    loaded: (ok) => metrics.configurationLoaded(ok, Date.now()),
    later: (again) => void setTimeout(again, STATE_RETRY_MS).unref(),
  })
  // From before the first reading on: what changes during it is not missed.
  const watch = watchFiles(flags.config, isManifestName, () => void configuration.reload())
  const reloads = reloadOnHangUp(() => {
    output.log.info({ signal: 'SIGHUP' }, 'manifests are read again')
    void configuration.reload()
  })
  // What is wrong with a manifest is said before that something is.
  const demo = await loadFirst(configuration, flags).finally(output.flush)
  const unreadable = flags.demo || state.persistent ? [] : configuration.usableGeneratedKeys().map(({ id }) => id)
  if (unreadable.length > 0)
    output.log.warn({ virtualKeys: unreadable }, 'nobody can read generated keys: give --state')
  if (!configuration.hasUsableProvider()) output.log.warn({}, NO_PROVIDER)
  if (!configuration.hasKey()) output.log.warn({}, 'no virtual key is in force: every call is a 401')
  const stores = await openStores(flags.redis, output.log, { now, wallNow: Date.now })
  const close = async () => {
    watch.stop()
    await demo?.close()
  }
  const servers = await startDataPlane({
    settings,
    output,
    metrics,
    holder,
    stores,
    forwardProxyOf,
    close,
    reloads,
    ...bounds,
  })
  if (flags.demo) {
    output.flush()
    outliveOutput()
    process.stdout.write(greeting(servers.data, configuration, demo !== undefined))
  }
  return undefined
}

/** An address (without its slashes, too), of which folders would be made, and its password told to whoever lists them. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/|^[^/]*:[^/]*@/i

/** @throws {UsageError} where the folder cannot be used. */
function openState(path: string | undefined) {
  if (path !== undefined && ADDRESS.test(path))
    throw new UsageError('--state must be a folder, not an address; the Redis that gateways share is --redis')
  try {
    const state = new StateDirectory(path)
    return { state, secrets: deriveSecrets(state.masterSecret()) }
  } catch (error) {
    if (!(error instanceof Error)) throw new UsageError('--state: cannot be used')
    throw new UsageError(stateFault(path, error))
  }
}

function stateFault(path: string | undefined, error: Error): string {
  switch ('code' in error ? error.code : undefined) {
    case 'ENOTDIR':
      return `--state ${path} is a file, or lies below one; name a folder`
    case 'EEXIST':
      return `--state ${path}: virtual-keys in it is not a folder; remove it, or name another folder`
    case 'EACCES':
    case 'EPERM':
      return `--state ${path} cannot be written by this user; name another folder`
    case 'EROFS':
      return `--state ${path} lies on a read-only file system; name another folder`
    case 'ENOENT':
      return `--state ${path}: there is no such folder, and none can be made there; name another`
    default:
      return `--state: ${error.message}`
  }
}

/** The first configuration must be good: a gateway that starts without one would only refuse. */
async function loadFirst(
  configuration: StandaloneConfiguration,
  flags: Flags<typeof STANDALONE_FLAGS>,
): Promise<DemoProviders | undefined> {
  if (!(await configuration.reload())) throw new UsageError('the configuration is not valid; see above')
  if (!flags.demo || configuration.hasUsableProvider()) return undefined
  const demo = await startDemoProviders()
  configuration.addSource(demo.manifests)
  if (!(await configuration.reload())) throw new UsageError('the demo manifests do not fit the given ones; see above')
  return demo
}
