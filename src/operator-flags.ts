/** The operator's command line. */
import { readFile } from 'node:fs/promises'
import {
  parseChoice,
  parseListenAddress,
  parseName,
  parseRedis,
  parseWholeNumber,
  UsageError,
  type FlagSpec,
  type Flags,
} from './command-line.ts'
import { parseDuration } from './domain/resources/durations.ts'
import { parseInjectionSettings, type InjectionSettings } from './operator/injection/settings.ts'
import { re2ImagePattern } from './proxy/guardrails/re2-pattern-engine.ts'
import type { Address } from './proxy/server/start.ts'
import { LOG_LEVELS, type LogLevel } from './proxy/telemetry/logger.ts'

export const OPERATOR_FLAGS = {
  redis: { type: 'text', help: 'redis://user:password@host:6379 (rediss:// for TLS): where the configuration goes' },
  'redis-secret': {
    type: 'text',
    help: 'Secret of its namespace with the login to Redis: entries username (optional) and password, for Sentinels sentinelUsername and sentinelPassword; followed',
  },
  'generate-redis-secret': { type: 'switch', help: 'make that Secret where it is not there' },
  namespace: {
    type: 'text',
    help: "the operator's namespace, with the providers' Secrets (default: that of its connection)",
  },
  admin: { type: 'text', default: ':4142', help: 'address of /livez, /readyz and /metrics' },
  'listen-grpc': {
    type: 'text',
    help: 'address of the credentials service for sidecars, such as :8443; without it there is none',
  },
  'listen-webhook': {
    type: 'text',
    help: 'address of the webhook that injects sidecars, such as :9443; without it there is none',
  },
  injection: { type: 'text', help: 'YAML file: how sidecars are injected' },
  'webhook-configuration': { type: 'text', help: 'MutatingWebhookConfiguration whose caBundle the operator keeps' },
  service: {
    type: 'text',
    default: 'tollgate-operator',
    help: 'Service in front of both addresses: certificates are made for its names',
  },
  'certificate-names': { type: 'list', help: 'more DNS names for certificates' },
  'tls-secret': {
    type: 'text',
    help: 'Secret with tls.crt, tls.key and ca.crt that others keep, such as cert-manager (default: an authority of its own)',
  },
  'certificate-lifetime': { type: 'text', default: '2160h', help: "of the servers' certificate" },
  'authority-lifetime': { type: 'text', default: '87600h', help: 'of the authority' },
  'sidecar-redis': {
    type: 'text',
    help: 'Redis as sidecars reach it, without a login; tcp://address:port stands for redis:// (default: --redis without its login)',
  },
  'sidecar-redis-secret': {
    type: 'text',
    help: 'Secret with one login for all sidecars, where Redis lets nobody make users (default: one a namespace)',
  },
  'sidecar-redis-ca': { type: 'text', help: 'PEM file of the certificates that sidecars check Redis with' },
  'lease-name': { type: 'text', default: 'tollgate-operator', help: 'Lease that decides which replica leads' },
  'kube-rate': { type: 'text', default: '400', help: 'calls a second to the API server, at most' },
  'log-level': { type: 'text', default: 'info', help: LOG_LEVELS.join(', ') },
} as const satisfies Record<string, FlagSpec>

/** A second of life is the least that a certificate can say. */
const MIN_LIFETIME_MS = 1_000
/** Far above what an API server answers. */
const MOST_KUBE_RATE = 999_999
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

export interface OperatorSettings {
  readonly redis: RedisSettings
  /** Undefined: that of the connection. */
  readonly namespace: string | undefined
  readonly admin: Address
  /** Undefined: no credentials service. */
  readonly grpc: Address | undefined
  /** Undefined: no webhook. */
  readonly webhook: Address | undefined
  /** Undefined: nothing is injected. */
  readonly injection: InjectionSettings | undefined
  readonly webhookConfiguration: string | undefined
  readonly certificates: CertificateSettings
  readonly leaseName: string
  readonly kubeRate: number
  readonly logLevel: LogLevel
}

export interface RedisSettings {
  readonly url: string
  /** Secret with the login. */
  readonly secret: string | undefined
  readonly generateSecret: boolean
  /** Without a login. */
  readonly sidecarUrl: string
  /** Secret with the login of all sidecars; undefined: each namespace has one of its own. */
  readonly sidecarSecret: string | undefined
  /** PEM. */
  readonly sidecarCa: string | undefined
}

export interface CertificateSettings {
  readonly service: string
  readonly moreNames: readonly string[]
  /** Kept by others. */
  readonly secret: string | undefined
  readonly serverLifetimeMs: number
  readonly authorityLifetimeMs: number
}

/** @throws {UsageError} */
export async function readOperatorSettings(flags: Flags<typeof OPERATOR_FLAGS>): Promise<OperatorSettings> {
  const webhook = flags['listen-webhook']
  if (webhook !== undefined && flags.injection === undefined) throw new UsageError('--listen-webhook needs --injection')
  return {
    redis: await redisSettings(flags),
    namespace: parseName('namespace', flags.namespace),
    admin: parseListenAddress('admin', flags.admin),
    grpc: optionalAddress('listen-grpc', flags['listen-grpc']),
    webhook: optionalAddress('listen-webhook', webhook),
    injection: await injectionSettings(flags.injection),
    webhookConfiguration: parseName('webhook-configuration', flags['webhook-configuration']),
    certificates: {
      service: dnsName('service', flags.service),
      moreNames: flags['certificate-names'].map((name) => dnsName('certificate-names', name)),
      secret: parseName('tls-secret', flags['tls-secret']),
      serverLifetimeMs: lifetime('certificate-lifetime', flags['certificate-lifetime']),
      authorityLifetimeMs: lifetime('authority-lifetime', flags['authority-lifetime']),
    },
    leaseName: parseName('lease-name', flags['lease-name']),
    kubeRate: parseWholeNumber('kube-rate', flags['kube-rate'], 1, MOST_KUBE_RATE),
    logLevel: parseChoice('log-level', LOG_LEVELS, flags['log-level']),
  }
}

async function redisSettings(flags: Flags<typeof OPERATOR_FLAGS>): Promise<RedisSettings> {
  const { redis: url } = flags
  if (url === undefined) throw new UsageError('--redis URL is required')
  const secret = parseName('redis-secret', flags['redis-secret'])
  if (hasLogin('redis', url) && secret !== undefined)
    throw new UsageError('--redis must have no login where --redis-secret has it')
  if (secret === undefined && flags['generate-redis-secret'])
    throw new UsageError('--generate-redis-secret needs --redis-secret')
  const ca = flags['sidecar-redis-ca']
  return {
    url,
    secret,
    generateSecret: flags['generate-redis-secret'],
    sidecarSecret: parseName('sidecar-redis-secret', flags['sidecar-redis-secret']),
    sidecarUrl: sidecarRedisUrl(flags['sidecar-redis'], url),
    sidecarCa: ca === undefined ? undefined : await readText('sidecar-redis-ca', ca),
  }
}

/** Kubernetes writes `tcp://` before the address of a Service, in the variables it gives to pods. */
function sidecarRedisUrl(own: string | undefined, operators: string): string {
  if (own === undefined) return operators.replace(/^([a-z+]+:\/\/)[^@/]*@/, '$1')
  const url = own.replace(/^tcp:/, 'redis:')
  if (hasLogin('sidecar-redis', url))
    throw new UsageError('--sidecar-redis must have no login: sidecars get theirs from the operator')
  return url
}

function hasLogin(flag: string, url: string): boolean {
  const { username, password, sentinelUsername, sentinelPassword } = parseRedis(flag, url)
  return [username, password, sentinelUsername, sentinelPassword].some((one) => one !== undefined)
}

async function injectionSettings(file: string | undefined): Promise<InjectionSettings | undefined> {
  if (file === undefined) return undefined
  try {
    const settings = parseInjectionSettings(await readText('injection', file))
    re2ImagePattern(settings.imagePattern)
    return settings
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--injection ${file}: ${error.message}`)
    throw error
  }
}

async function readText(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--${flag} ${file} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

function optionalAddress(flag: string, text: string | undefined): Address | undefined {
  return text === undefined ? undefined : parseListenAddress(flag, text)
}

function dnsName(flag: string, text: string): string {
  if (!DNS_NAME.test(text)) throw new UsageError(`--${flag} must be a DNS name, not ${text}`)
  return text
}

function lifetime(flag: string, text: string): number {
  try {
    const ms = parseDuration(text)
    if (ms >= MIN_LIFETIME_MS) return ms
  } catch {
    // Said below.
  }
  throw new UsageError(`--${flag} must be a duration such as 2160h, not ${text}`)
}
