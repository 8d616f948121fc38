/** How sidecars are injected: the file that `--injection` names. */
import { parse } from 'yaml'
import { asNumber, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'

export type EnvMode = 'auto' | 'off' | 'override'
export type LogLevel = (typeof LOG_LEVELS)[number]

export const ENV_MODES: readonly EnvMode[] = ['auto', 'off', 'override']
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const FIRST_UNPRIVILEGED_PORT = 1_024
const MAX_ID = 2 ** 31 - 1

export interface InjectionSettings {
  readonly image: string
  readonly imagePullPolicy: string
  /** Of images that the annotation may name, and that other webhooks may put in the place of ours; empty: none. */
  readonly imagePattern: string
  /** `host:port` */
  readonly operatorAddress: string
  readonly dataPort: number
  readonly adminPort: number
  readonly logLevel: LogLevel
  readonly env: EnvMode
  /** Null: left to the platform. */
  readonly runAsUser: number | null
  readonly runAsGroup: number | null
  readonly resources: Resources
  /** Never injected, as the webhook's selector says; the operator's own is always one. */
  readonly excludeNamespaces: readonly string[]
}

/** Kubernetes quantities. */
export interface Resources {
  readonly requests: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
}

const DEFAULTS: Omit<InjectionSettings, 'image' | 'operatorAddress'> = {
  imagePullPolicy: 'IfNotPresent',
  imagePattern: '',
  dataPort: 4_141,
  adminPort: 4_142,
  logLevel: 'info',
  env: 'auto',
  // Fixed and unusual, so that no application has it too.
  runAsUser: 64_100,
  runAsGroup: 64_100,
  // No limit of CPU: throttling would become latency of the application.
  resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } },
  excludeNamespaces: ['kube-system', 'kube-public', 'kube-node-lease', 'cert-manager'],
}

type Field = (value: JsonValue, name: string) => unknown

const FIELDS: Readonly<Record<keyof InjectionSettings, Field>> = {
  image: text,
  imagePullPolicy: oneOf(PULL_POLICIES),
  imagePattern: (value, name) => (value === '' || value === null ? '' : text(value, name)),
  operatorAddress: address,
  dataPort: port,
  adminPort: port,
  logLevel: oneOf(LOG_LEVELS),
  env: oneOf(ENV_MODES),
  runAsUser: userId,
  runAsGroup: userId,
  resources,
  excludeNamespaces: names,
}

/** @throws {TypeError} that names the field. */
export function parseInjectionSettings(yaml: string): InjectionSettings {
  const document = parseYaml(yaml)
  for (const name of Object.keys(document))
    if (!Object.hasOwn(FIELDS, name))
      throw new TypeError(`unknown field ${name}; known are ${Object.keys(FIELDS).join(', ')}`)
  for (const name of ['image', 'operatorAddress'])
    if (document[name] === undefined) throw new TypeError(`${name} is required`)
  const given = Object.entries(FIELDS).flatMap(([name, parseField]) => {
    const value = document[name]
    return value === undefined ? [] : [[name, parseField(value, name)]]
  })
  const settings = { ...DEFAULTS, ...Object.fromEntries(given) } as InjectionSettings
  if (settings.dataPort === settings.adminPort) throw new TypeError('dataPort and adminPort must differ')
  return settings
}

/** Whether it is a quantity such as `96Mi` or `0.5`. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
export function isQuantity(value: string): boolean {
  return /^\d{1,15}(?:\.\d{1,9})?(?:m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/.test(value)
}

/** Whether a sidecar may listen there: above what only root may, within what there is. */
export function isPort(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= FIRST_UNPRIVILEGED_PORT && value <= 65_535
}

function parseYaml(yaml: string): JsonObject {
  let document: unknown
  try {
    document = parse(yaml, { uniqueKeys: true })
  } catch (error) {
    throw new TypeError(`not YAML: ${error instanceof Error ? error.message : 'unreadable'}`, { cause: error })
  }
  if (!isJsonObject(document)) throw new TypeError('the file must hold one mapping')
  return document
}

function text(value: JsonValue, name: string): string {
  const found = asString(value)
  if (found === undefined || found === '' || /\s/.test(found))
    throw new TypeError(`${name} must be text without spaces`)
  return found
}

function address(value: JsonValue, name: string): string {
  const found = text(value, name)
  if (!/^[^:]+:\d{1,5}$/.test(found)) throw new TypeError(`${name} must be host:port`)
  return found
}

function oneOf(known: readonly string[]): Field {
  return (value, name) => {
    const found = asString(value)
    // YAML 1.1 readers, kubectl among them, make false of a bare off.
    const meant = value === false && known.includes('off') ? 'off' : found
    if (meant === undefined || !known.includes(meant)) throw new TypeError(`${name} must be one of ${known.join(', ')}`)
    return meant
  }
}

function port(value: JsonValue, name: string): number {
  const found = asNumber(value)
  if (!isPort(found)) throw new TypeError(`${name} must be a port from ${FIRST_UNPRIVILEGED_PORT} to 65535`)
  return found
}

function userId(value: JsonValue, name: string): number | null {
  if (value === null) return null
  const found = asNumber(value)
  if (found === undefined || !Number.isInteger(found) || found < 1 || found > MAX_ID)
    throw new TypeError(`${name} must be a whole number above 0, or null`)
  return found
}

function names(value: JsonValue, name: string): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list`)
  return value.map((one: JsonValue) => text(one, name))
}

function resources(value: JsonValue, name: string): Resources {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be a mapping`)
  for (const part of Object.keys(value))
    if (part !== 'requests' && part !== 'limits') throw new TypeError(`unknown field ${name}.${part}`)
  return {
    requests: quantities(value['requests'], `${name}.requests`),
    limits: quantities(value['limits'], `${name}.limits`),
  }
}

function quantities(value: JsonValue | undefined, name: string): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (!isJsonObject(value)) throw new TypeError(`${name} must be a mapping`)
  return Object.fromEntries(
    Object.entries(value).map(([resource, amount]) => {
      const found = typeof amount === 'number' ? String(amount) : asString(amount)
      if (found === undefined || !isQuantity(found))
        throw new TypeError(`${name}.${resource} must be a quantity such as 96Mi`)
      return [resource, found]
    }),
  )
}
