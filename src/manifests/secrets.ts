/** Secrets of files: `data` decoded, `${VARIABLE}` in `stringData` replaced from the environment. */
import { nearest } from '../domain/nearest-name.ts'
import { namespacedName } from '../domain/resources/namespaced-name.ts'
import type { SecretLookup, SecretValue } from '../domain/resources/secret-lookup.ts'
import { Secret } from '../domain/secret.ts'
import type { SecretDocument } from './validation/core-kinds.ts'
import { noKeyIn, placeholderIn } from './remarks/placeholders.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface SecretResource {
  readonly namespace: string
  readonly name: string
  /** An entry that names an unset variable has no value, and says which variable. */
  readonly entries: ReadonlyMap<string, SecretValue>
}

const VARIABLE = /\$(\$\{|\{([A-Za-z_][A-Za-z0-9_]*)\})/g

/**
 * The entries of a Secret. In `stringData`, `${NAME}` is the environment variable's value and `$${` a literal `${`; an
 * entry with a variable that is unset or empty is absent, so that a manifest may list every provider and only those
 * whose key is in the environment are configured. So is one that is a placeholder (`$NAME`, `<your-key>`), or whose variable holds one.
 * `stringData` wins over `data`, as in Kubernetes.
 */
export function readSecret(
  metadata: { readonly namespace: string; readonly name: string },
  { data = {}, stringData = {} }: SecretDocument,
  environment: Environment,
): SecretResource {
  const entries = new Map<string, SecretValue>()
  for (const [key, value] of Object.entries(data))
    entries.set(key, valueOf(Buffer.from(value, 'base64').toString('utf8')))
  for (const [key, value] of Object.entries(stringData)) entries.set(key, expand(value, environment))
  return { ...metadata, entries }
}

/** The lookup that `buildSnapshot` takes, over Secrets of files. Who wrote those may know what else there is in them. */
export function secretLookup(secrets: readonly SecretResource[]): SecretLookup {
  const byName = new Map(secrets.map((secret) => [namespacedName(secret), secret]))
  const byNamespace = Map.groupBy(secrets, ({ namespace }) => namespace)
  const namesIn = (namespace: string): string[] => {
    const there = byNamespace.get(namespace) ?? []
    return there.length > MAX_COMPARED ? [] : there.map(({ name }) => name)
  }
  return (namespace, name, key) => {
    const secret = byName.get(namespacedName({ namespace, name }))
    if (secret !== undefined) return secret.entries.get(key) ?? { type: 'no-entry', detail: entriesOf(secret) }
    const nearName = nearest(name, namesIn(namespace))
    return nearName === undefined ? { type: 'no-secret' } : { type: 'no-secret', nearName }
  }
}

/** Where there are more Secrets, every key that lacks its own would be compared with all of them. */
const MAX_COMPARED = 200
/** Most entries that are named. */
const MAX_NAMED = 5

function entriesOf({ entries }: SecretResource): string {
  const names = [...entries.keys()]
  if (names.length === 0) return 'it has none'
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : ''
  return `it has ${names.slice(0, MAX_NAMED).join(', ')}${more}`
}

function expand(text: string, environment: Environment): SecretValue {
  const detail = placeholderIn(text)
  if (detail !== undefined) return { type: 'no-entry', detail }
  const names: string[] = []
  const value = text.replaceAll(VARIABLE, (_match, _inner: string, name: string | undefined) => {
    if (name === undefined) return '${'
    names.push(name)
    return environment[name] ?? ''
  })
  return names.map((name) => faultOf(name, environment[name] ?? '')).find((one) => one !== undefined) ?? valueOf(value)
}

/** Why the variable holds no key, without what it holds. */
function faultOf(name: string, held: string): SecretValue | undefined {
  if (held === '') return { type: 'no-entry', detail: `environment variable ${name} is not set`, isUnset: true }
  const found = noKeyIn(held)
  return found === undefined ? undefined : { type: 'no-entry', detail: `environment variable ${name} holds ${found}` }
}

function valueOf(text: string): SecretValue {
  return { type: 'value', secret: new Secret(text) }
}
