/** What every process with a data plane consists of, wherever its configuration comes from. Wiring only. */
import { getHeapStatistics } from 'node:v8'
import {
  parseChoice,
  parseListenAddress,
  parseWholeNumber,
  UsageError,
  type FlagSpec,
  type Flags,
} from './command-line.ts'
import type { ConfigurationHolder } from './proxy/config/configuration.ts'
import { createGuardrails } from './proxy/guardrails/guardrails.ts'
import { AfterAnswer } from './proxy/pipeline/after-answer.ts'
import { CallCancellation } from './proxy/pipeline/call-cancellation.ts'
import { AnswerMemory, memoryForAnswers, memoryForValues } from './proxy/pipeline/memory/answer-memory.ts'
import { QuotaWarningLog } from './proxy/pipeline/quota/quota-warnings.ts'
import { UsageDoubtLog } from './proxy/pipeline/quota/usage-doubts.ts'
import { roomForMaskedValues, ValueMemory } from './proxy/pipeline/memory/value-memory.ts'
import { QuestionHydrator } from './proxy/pipeline/caching/hydrate-questions.ts'
import { Flights } from './proxy/pipeline/caching/single-flight.ts'
import type { Configuration } from './proxy/pipeline/ports.ts'
import type { Services } from './proxy/pipeline/services.ts'
import { ActiveProbe, type OnProbed } from './proxy/providers/active-probe.ts'
import type { ForwardProxyOf } from './proxy/providers/environment-proxy.ts'
import { HealthBoard, type OnCircuit } from './proxy/providers/health-board.ts'
import { HttpTransport } from './proxy/providers/transport.ts'
import { DEFAULT_MAX_BODY_BYTES } from './proxy/server/app.ts'
import { memoryForBodies } from './proxy/server/body-memory.ts'
import { ListenError, startServers, type Address, type RunningServers } from './proxy/server/start.ts'
import { LOG_LEVELS, type LogLevel, type Output } from './proxy/telemetry/logger.ts'
import type { Metrics } from './proxy/telemetry/metrics.ts'
import { OWN_PROCESS } from './process-figures.ts'
import { refusedAddress } from './refused-address.ts'
import { endOnSignals } from './signals.ts'
import { auditTo, figuresOf, type Stores } from './stores.ts'

/** Beyond any memory; the body budget holds far less. */
const MOST_BODY_BYTES = 9_999_999_999

/** The flags of every data plane; `admin` differs in its default. */
export const DATA_PLANE_FLAGS = {
  listen: { type: 'text', default: '127.0.0.1:4141', help: 'address of the data plane; port 0 takes any free one' },
  admin: { type: 'text', default: '127.0.0.1:4142', help: 'address of health and metrics' },
  'max-body-bytes': { type: 'text', default: String(DEFAULT_MAX_BODY_BYTES), help: 'largest request body' },
  'log-level': { type: 'text', default: 'info', help: `one of ${LOG_LEVELS.join(', ')}` },
} as const satisfies Record<string, FlagSpec>

export interface DataPlaneSettings {
  readonly listen: Address
  readonly admin: Address
  readonly maxBodyBytes: number
  readonly logLevel: LogLevel
}

/** @throws {UsageError} */
export function parseSettings(flags: Flags<typeof DATA_PLANE_FLAGS>): DataPlaneSettings {
  const [listen, admin] = [parseListenAddress('listen', flags.listen), parseListenAddress('admin', flags.admin)]
  if (admin.port !== 0 && admin.port === listen.port && admin.host === listen.host)
    throw new UsageError(`--admin ${flags.admin} is the address of --listen; take another port, or 0 for any free one`)
  return {
    listen,
    admin,
    maxBodyBytes: parseWholeNumber('max-body-bytes', flags['max-body-bytes'], 1, MOST_BODY_BYTES),
    logLevel: parseChoice('log-level', LOG_LEVELS, flags['log-level']),
  }
}

export interface DataPlaneParts {
  readonly settings: DataPlaneSettings
  readonly output: Output
  readonly metrics: Metrics
  readonly holder: ConfigurationHolder
  readonly stores: Stores
  /** Ends what feeds the configuration and what else the entry has started: after the last request, before the stores. */
  readonly close: () => Promise<void>
  /** What the first configuration waits for, where its source knows. */
  readonly missing?: () => string | undefined
  /** Where somebody else looks at it as well; else one of its own. */
  readonly health?: HealthBoard
  /** For providers whose manifest names none; without it they are reached directly. */
  readonly forwardProxyOf?: ForwardProxyOf
  /** Whether SIGHUP is something else than a signal to end. */
  readonly reloads?: boolean
  /** Where its times are not the usual ones. */
  readonly transport?: HttpTransport
  /** How long a client may take nothing of its answer, where that is not the usual time. */
  readonly sendTimeoutMs?: number | undefined
}

/** Tells the log of every circuit that opens or closes. */
export function circuitsTo(log: Pick<Services['log'], 'info' | 'warn'>): OnCircuit {
  return (deployment, change, reason) => {
    if (change === 'opened') log.warn({ deployment, reason }, 'circuit opened')
    else log.info({ deployment }, 'circuit closed')
  }
}

/** Tells the log of every provider that its health checks take out or bring back. */
function checksTo(log: Services['log']): OnProbed {
  return (provider, change, failed) => {
    if (change === 'down') log.warn({ provider, ...failed }, 'health checks fail')
    else if (change === 'up') log.info({ provider }, 'health checks pass again')
    else log.info({ provider }, 'failed health checks count no more')
  }
}

/** Starts the servers and leaves by signal. Resolves when it listens. @throws {UsageError} where an address cannot be had */
export async function startDataPlane(parts: DataPlaneParts): Promise<RunningServers> {
  const { settings, output, metrics, holder, stores } = parts
  const health = parts.health ?? new HealthBoard(now, circuitsTo(output.log))
  const transport = parts.transport ?? new HttpTransport({ forwardProxyOf: parts.forwardProxyOf })
  const afterAnswer = new AfterAnswer(now, {
    onError: (err) => output.log.error({ err }, 'work after an answer failed'),
  })
  const leaving = new CallCancellation()
  const heapLimit = getHeapStatistics().heap_size_limit
  metrics.watchStores(() => figuresOf(stores, afterAnswer))
  metrics.watchProviders(() => health.providersDown())
  metrics.watchProcess(OWN_PROCESS)
  const services: Services = {
    now,
    wallNow: Date.now,
    configuration: holder,
    transport,
    health,
    quotas: stores.quotas,
    quotaWarnings: new QuotaWarningLog(output.log, now),
    usageDoubts: new UsageDoubtLog(output.log, now),
    cache: stores.cache,
    questions: stores.questions,
    flights: new Flights(now),
    guardrails: createGuardrails(),
    metrics,
    audit: auditTo(output.audit, stores.audit),
    afterAnswer,
    answers: new AnswerMemory(memoryForAnswers(heapLimit, process.constrainedMemory()), memoryForValues(heapLimit)),
    maskedValues: new ValueMemory(roomForMaskedValues(heapLimit)),
    leaving,
    log: output.log,
  }
  const hydrator = new QuestionHydrator(services)
  const credentialOf = (provider: string) => holder.current()?.credentialOf(provider)
  const onChange = checksTo(output.log)
  const probe = new ActiveProbe({ transport, board: health, credentialOf, now, random: Math.random, onChange })
  holder.onChange((configuration) => {
    const { compiled } = configuration
    void transport.retain(compiled.snapshot.providers)
    health.retain(compiled.deployments, configuration.credentialOf)
    probe.retain(probed(configuration))
    hydrator.follow(configuration)
  })
  const servers = await startServers({
    services,
    listen: settings.listen,
    admin: settings.admin,
    maxBodyBytes: settings.maxBodyBytes,
    sendTimeoutMs: parts.sendTimeoutMs,
    onDrainLimit: () => leaving.abort(),
    bodyMemoryBytes: memoryForBodies(heapLimit, process.constrainedMemory()),
    problem: () => {
      if (holder.current() === undefined) return parts.missing?.() ?? 'no configuration is in force yet'
      return stores.ready() ? undefined : 'Redis has not been reached yet'
    },
    metricsPage: () => {
      afterAnswer.catchUp()
      return metrics.page()
    },
  }).catch((error: unknown) => {
    throw error instanceof ListenError ? refusedAddress(error.address, settings[error.address], error.cause) : error
  })
  endOnSignals(async () => {
    probe.stop()
    const finished = await servers.stop()
    await transport.close()
    await afterAnswer.drain()
    await parts.close()
    await stores.close()
    output.log.info({ finished }, 'stopped')
    await output.end()
  }, parts.reloads !== true)
  return servers
}

/**
 * Monotonic, with fractions: for how long something takes. Right as a date only as long as nobody sets the machine's
 * clock and the machine does not sleep.
 */
export function now(): number {
  return STARTED_AT_MS + performance.now()
}

/** Read once: it is asked for at every reading of the clock, and a getter. */
const STARTED_AT_MS = performance.timeOrigin

/** A provider whose key is not here would only refuse the probe. */
function probed({ compiled, credentialOf }: Configuration) {
  return compiled.snapshot.providers.filter(
    ({ name, credentials }) => credentials.type === 'None' || credentialOf(name) !== undefined,
  )
}
