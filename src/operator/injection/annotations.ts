/** What a pod asks of its sidecar: annotations `tollgate.dev/...` of the pod, or of the template it is made from. */
import { asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { ENV_MODES, isPort, isQuantity, LOG_LEVELS } from './settings.ts'
import type { EnvMode, InjectionSettings, LogLevel } from './settings.ts'

const PREFIX = 'tollgate.dev/'
/** Written by us. */
export const CONFIG_HASH_ANNOTATION = 'tollgate.dev/config-hash'
export const INJECTED_LABEL = 'tollgate.dev/injected'
/** `"false"` on a pod: none is wanted. */
export const INJECT_LABEL = 'tollgate.dev/inject'
export const DEFAULT_CONTAINER_ANNOTATION = 'kubectl.kubernetes.io/default-container'
export const VIRTUAL_KEY_ANNOTATION = 'tollgate.dev/virtual-key'

/** Annotations that are judged elsewhere. */
const ELSEWHERE: ReadonlySet<string> = new Set([CONFIG_HASH_ANNOTATION, INJECT_LABEL])
const KNOWN =
  /^tollgate\.dev\/(?:virtual-key|env|port|log-level|await|image|resources-(?:requests|limits)-(?:cpu|memory))$/
const RESOURCE = /^resources-(requests|limits)-(cpu|memory)$/

/** What the sidecar of one pod shall be: the settings with what the pod asks for. */
export interface PodWishes extends InjectionSettings {
  readonly virtualKey: string | undefined
  /** Whether the application waits until the sidecar is ready. */
  readonly await: boolean
}

/** @throws {TypeError} that names the annotation and what it may be. */
export function readWishes(
  pod: JsonObject,
  settings: InjectionSettings,
  mayUseImage: (image: string) => boolean,
): PodWishes {
  let wishes: PodWishes = { ...settings, virtualKey: undefined, await: true }
  for (const [name, value] of Object.entries(annotationsOf(pod))) {
    if (!isKnownAnnotation(name)) continue
    wishes = { ...wishes, ...readOne(name.slice(PREFIX.length), asString(value) ?? '', wishes, mayUseImage) }
  }
  if (wishes.dataPort === wishes.adminPort)
    throw new TypeError(`annotation ${PREFIX}port must not be ${wishes.adminPort}, which is the admin port`)
  return wishes
}

/** Annotations of ours that nobody reads: a misspelt wish, for a warning. */
export function unknownAnnotations(pod: JsonObject): readonly string[] {
  return Object.keys(annotationsOf(pod)).filter(
    (name) => name.startsWith(PREFIX) && !ELSEWHERE.has(name) && !isKnownAnnotation(name),
  )
}

/** For people; short, because a warning has 256 characters. */
export const KNOWN_ANNOTATIONS =
  'tollgate.dev/{virtual-key,env,port,log-level,await,image,resources-{requests,limits}-{cpu,memory}}'

export function annotationsOf(pod: JsonObject): JsonObject {
  return asObject(asObject(pod['metadata'])?.['annotations']) ?? {}
}

export function labelsOf(pod: JsonObject): JsonObject {
  return asObject(asObject(pod['metadata'])?.['labels']) ?? {}
}

function readOne(
  name: string,
  value: string,
  wishes: PodWishes,
  mayUseImage: (image: string) => boolean,
): Partial<PodWishes> {
  const wrong = (what: string) => new TypeError(`annotation ${PREFIX}${name} must be ${what}`)
  switch (name) {
    case 'virtual-key':
      if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value)) throw wrong('the name of a VirtualKey')
      return { virtualKey: value }
    case 'env':
      if (!isEnvMode(value)) throw wrong(`one of ${ENV_MODES.join(', ')}`)
      return { env: value }
    case 'port':
      if (!/^\d+$/.test(value) || !isPort(Number(value))) throw wrong('a port from 1024 to 65535')
      return { dataPort: Number(value) }
    case 'log-level':
      if (!isLogLevel(value)) throw wrong(`one of ${LOG_LEVELS.join(', ')}`)
      return { logLevel: value }
    case 'await':
      if (value !== 'true' && value !== 'false') throw wrong('"true" or "false"')
      return { await: value === 'true' }
    case 'image':
      if (!mayUseImage(value)) throw wrong('an image that the installation allows (imagePattern)')
      return { image: value }
    default:
      return { resources: readResource(name, value, wishes) }
  }
}

function readResource(name: string, value: string, { resources }: PodWishes): InjectionSettings['resources'] {
  const [, part, resource = ''] = RESOURCE.exec(name) ?? []
  if (part !== 'requests' && part !== 'limits') return resources
  if (!isQuantity(value)) throw new TypeError(`annotation ${PREFIX}${name} must be a quantity such as 96Mi or 100m`)
  return { ...resources, [part]: { ...resources[part], [resource]: value } }
}

/** Whether a pod says something with an annotation of this name. */
export function isKnownAnnotation(annotation: string): boolean {
  return KNOWN.test(annotation)
}

function isEnvMode(value: string): value is EnvMode {
  return ENV_MODES.some((known) => known === value)
}

function isLogLevel(value: string): value is LogLevel {
  return LOG_LEVELS.some((known) => known === value)
}
