/** Process entry: the data plane fed from manifests on disk. Wiring only. */
import { parseAddress, parseFlags, UsageError, type FlagSpec, type Flags } from './command-line.ts'
import { startDemoProviders, type DemoProviders } from './demo.ts'
import { ConfigurationHolder, deriveSecrets } from './proxy/config/configuration.ts'
import { StateDirectory } from './proxy/config/state-directory.ts'
import { watchFiles } from './proxy/config/watch-files.ts'
import { createGuardrails } from './proxy/guardrails/guardrails.ts'
import { AfterAnswer } from './proxy/pipeline/after-answer.ts'
import type { Services } from './proxy/pipeline/services.ts'
import { ActiveProbe } from './proxy/providers/active-probe.ts'
import { HealthBoard } from './proxy/providers/health-board.ts'
import { HttpTransport } from './proxy/providers/transport.ts'
import { DEFAULT_MAX_BODY_BYTES } from './proxy/server/app.ts'
import { Flights } from './proxy/pipeline/single-flight.ts'
import { startServers } from './proxy/server/start.ts'
import { auditTo, figuresOf, openStores } from './stores.ts'
import { createOutput, LOG_LEVELS, type LogLevel } from './proxy/telemetry/logger.ts'
import { createMetrics } from './proxy/telemetry/metrics.ts'
import { endOnSignals } from './signals.ts'
import { StandaloneConfiguration } from './standalone-configuration.ts'

export const STANDALONE_FLAGS = {
  config: { type: 'list', help: 'file or folder of manifests; may be repeated' },
  listen: { type: 'text', default: '127.0.0.1:4141', help: 'address of the data plane; port 0 takes any free one' },
  admin: { type: 'text', default: '127.0.0.1:4142', help: 'address of health and metrics' },
  state: { type: 'text', help: 'folder of generated keys and secrets; without it they are new at every start' },
  redis: { type: 'text', help: 'redis://... for quotas shared by several gateways; without it they are in memory' },
  'max-body-bytes': { type: 'text', default: String(DEFAULT_MAX_BODY_BYTES), help: 'largest request body' },
  'log-level': { type: 'text', default: 'info', help: `one of ${LOG_LEVELS.join(', ')}` },
  demo: { type: 'switch', help: 'start demo providers where no provider has its key, and print a call to paste' },
} as const satisfies Record<string, FlagSpec>

/** Starts the gateway; resolves when it listens. It ends by signal. @throws {UsageError} */
export async function runStandalone(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<undefined> {
  const flags = parseFlags(args, STANDALONE_FLAGS, environment)
  if (flags.config.length === 0) throw new UsageError('--config PATH is required: a file or folder of manifests')
  const listen = parseAddress('listen', flags.listen)
  const admin = parseAddress('admin', flags.admin)
  const maxBodyBytes = wholeNumber(flags['max-body-bytes'])
  const output = createOutput(logLevel(flags['log-level']))
  const state = new StateDirectory(flags.state)
  const health = new HealthBoard(now)
  const transport = new HttpTransport()
  const metrics = createMetrics()
  const holder = new ConfigurationHolder()
  const configuration = new StandaloneConfiguration({
    paths: flags.config,
    environment,
    state,
    secrets: deriveSecrets(state.masterSecret()),
    holder,
    log: output.log,
    now,
    loaded: (ok) => metrics.configurationLoaded(ok, now()),
  })
  const demo = await loadFirst(configuration, flags)

  const stores = await openStores(flags.redis, output.log, now)
  const afterAnswer = new AfterAnswer(now)
  metrics.watchStores(() => figuresOf(stores, afterAnswer))
  const services: Services = {
    now,
    configuration: holder,
    transport,
    health,
    quotas: stores.quotas,
    cache: stores.cache,
    questions: stores.questions,
    flights: new Flights(now),
    guardrails: createGuardrails(),
    metrics,
    audit: auditTo(output.audit, stores.audit),
    afterAnswer,
    log: output.log,
  }
  const watch = watchFiles(flags.config, () => configuration.reload())
  const probe = new ActiveProbe({
    transport,
    board: health,
    credentialOf: (provider) => holder.current()?.credentialOf(provider),
    now,
    random: Math.random,
  })
  configuration.onChange(({ compiled }) => {
    void transport.retain(compiled.snapshot.providers)
    health.retain(compiled.deployments)
    probe.retain(compiled.snapshot.providers)
  })
  const servers = await startServers({
    services,
    listen,
    admin,
    maxBodyBytes,
    ready: () => holder.current() !== undefined && stores.ready(),
    metricsPage: async () => ({ contentType: metrics.registry.contentType, text: await metrics.registry.metrics() }),
  })
  if (flags.demo) {
    output.flush()
    process.stdout.write(greeting(servers.data, configuration, demo !== undefined))
  }
  endOnSignals(async () => {
    watch.stop()
    probe.stop()
    const finished = await servers.stop()
    await transport.close()
    await afterAnswer.drain()
    await stores.close()
    await demo?.close()
    output.log.info({ finished }, 'stopped')
    output.flush()
  })
  return undefined
}

/** What `make run` shows: the key, and calls to paste. */
function greeting(url: string, { generatedKeys }: StandaloneConfiguration, demo: boolean): string {
  const [first] = generatedKeys
  if (first === undefined) return `\nTollgate listens on ${url}\n\n`
  const key = first.key.reveal()
  return `
Tollgate listens on ${url}
Virtual key (${first.id}): ${key}
${demo ? '\nNo provider key is in the environment: two demo providers answer (no model behind them; one fails every third call).\n' : ''}
Try it:

  curl -i ${url}/v1/chat/completions \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' -H 'X-LLM-Trace: true' \\
    -d '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'

`
}

/** The first configuration must be good: a gateway that starts without one would only refuse. */
async function loadFirst(
  configuration: StandaloneConfiguration,
  flags: Flags<typeof STANDALONE_FLAGS>,
): Promise<DemoProviders | undefined> {
  if (!configuration.reload()) throw new UsageError('the manifests are not valid; see above')
  if (!flags.demo || configuration.hasUsableProvider()) return undefined
  const demo = await startDemoProviders()
  configuration.addSource(demo.manifests)
  if (!configuration.reload()) throw new UsageError('the demo manifests do not fit the given ones; see above')
  return demo
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not ${text}`)
  return level
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`--max-body-bytes must be a whole number of bytes, not ${text}`)
  return Number(text)
}

/** Milliseconds since the epoch with fractions: monotonic within the process, so that latencies cannot be negative. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
