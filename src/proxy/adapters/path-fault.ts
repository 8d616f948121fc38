/** What is wrong with a path that no route has, where that can be told: mostly a base URL that is nearly right. */
import { nearest } from '../../domain/nearest-name.ts'
import { offeredMethods, pathOf } from './offered-methods.ts'
import { ADAPTERS } from './registry.ts'

/** What others call them, too. */
const ADMIN_PATH = /^\/(?:livez|readyz|metrics|healthz?)\/?$/
const ADAPTER = /^\/adapters\/([^/]+)/
const TWO_VERSIONS = /^(\/v1(?:beta)?)(\/v1(?:beta)?)(?=\/)/
/** Characters of the name of an adapter that a refusal repeats. */
const MAX_SHOWN_NAME = 40

const LABELS = [...new Set(ADAPTERS.map(({ label }) => label))].filter((label) => label !== 'native')

/**
 * A sentence about the path of `target`; undefined: nothing is known of it but that it is no route's.
 * @param target of a request for which no route was found
 */
export function pathFault(target: string): string | undefined {
  const path = pathOf(target)
  // Its method is wrong, or what it names: Gemini's paths are routes without a version, too.
  if (isRoute(path)) return undefined
  if (ADMIN_PATH.test(path)) return 'Health and metrics are on the admin port: GET /livez, /readyz, /metrics'
  if (isRoute(withoutEmptySegments(path))) return 'The path has a slash too many'
  const label = ADAPTER.exec(path)?.[1]
  return label === undefined || LABELS.some((known) => known === label)
    ? versionFault(path, label)
    : adapterFault(label)
}

function adapterFault(label: string): string {
  const lower = label.toLowerCase()
  if (LABELS.some((known) => known === lower)) return `The names of adapters are in small letters: /adapters/${lower}`
  const meant = nearest(label, LABELS)
  const shown = JSON.stringify(label.slice(0, MAX_SHOWN_NAME))
  return meant === undefined
    ? `There is no adapter ${shown}`
    : `There is no adapter ${shown} (did you mean /adapters/${meant}?)`
}

/** SDKs differ in whether their base URL has the version. */
function versionFault(path: string, label: string | undefined): string | undefined {
  const prefix = label === undefined ? '' : `/adapters/${label}`
  const rest = path.slice(prefix.length)
  if (isRoute(`${prefix}/v1${rest}`)) return 'The base URL lacks /v1'
  const [, first, second] = TWO_VERSIONS.exec(rest) ?? []
  if (first === undefined || second === undefined || !isRoute(prefix + rest.slice(first.length))) return undefined
  return first === second ? `The path has ${first} twice` : `The path has two versions, ${first} and ${second}`
}

/** As of a base URL that ends with a slash, before a path that begins with one. */
function withoutEmptySegments(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`
}

function isRoute(path: string): boolean {
  return offeredMethods(path).length > 0
}
