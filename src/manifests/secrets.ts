/** Secrets of files: `data` decoded, `${VARIABLE}` in `stringData` replaced from the environment. */
import type { SecretLookup, SecretValue } from '../domain/resources/secret-lookup.ts'
import { Secret } from '../domain/secret.ts'
import type { SecretDocument } from './core-kinds.ts'
import { placeholderIn } from './placeholders.ts'

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
 * whose key is in the environment are configured. So is one that is a placeholder (`$NAME`, `<your-key>`).
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

/** The lookup that `buildSnapshot` takes, over Secrets of files. */
export function secretLookup(secrets: readonly SecretResource[]): SecretLookup {
  const byName = new Map(secrets.map((secret) => [`${secret.namespace}/${secret.name}`, secret]))
  return (namespace, name, key) => {
    const secret = byName.get(`${namespace}/${name}`)
    return secret === undefined ? { type: 'no-secret' } : (secret.entries.get(key) ?? { type: 'no-entry' })
  }
}

function expand(text: string, environment: Environment): SecretValue {
  const detail = placeholderIn(text)
  if (detail !== undefined) return { type: 'no-entry', detail }
  let unset: string | undefined
  const value = text.replaceAll(VARIABLE, (_match, _inner: string, name: string | undefined) => {
    if (name === undefined) return '${'
    const found = environment[name] ?? ''
    if (found === '') unset ??= name
    return found
  })
  return unset === undefined ? valueOf(value) : { type: 'no-entry', detail: `environment variable ${unset} is not set` }
}

function valueOf(text: string): SecretValue {
  return { type: 'value', secret: new Secret(text) }
}
