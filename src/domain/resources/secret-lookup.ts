/** How the build reads Secrets, and what it says where one cannot be read. */
import type { Secret } from '../secret.ts'
import type { Refusal } from './conditions.ts'
import { present } from './present.ts'

export type SecretValue =
  | { readonly type: 'value'; readonly secret: Secret }
  /** `nearName`: another Secret there that may be meant, where whoever reads the conditions may know of it. */
  | { readonly type: 'no-secret'; readonly nearName?: string }
  /**
   * The Secret is there, the entry is not. `detail` says why where it is known (an unset environment variable), or what
   * there is instead where whoever reads the conditions may know of it. `isUnset`: it is left to the environment, which has none.
   */
  | { readonly type: 'no-entry'; readonly detail?: string; readonly isUnset?: true }
  /**
   * Nothing is known of it: of all of this namespace's Secrets, as access to them is missing or still on its way, where no
   * refusal says otherwise.
   */
  | { readonly type: 'unreadable'; readonly refusal?: Refusal }

/** One entry of a Secret, decoded. Never throws. */
export type SecretLookup = (namespace: string, name: string, key: string) => SecretValue

/**
 * Before a VirtualKey's name, as which the text of a generated key is asked for, whatever its Secret is called: somebody else's
 * Secret of that name, or another key's, must not become the key. Not allowed in a Secret's name.
 */
const OWNED = 'owned-by:'

/** The VirtualKey whose own Secret is asked for; undefined where it is any Secret. */
export function ownerOfSecret(name: string): string | undefined {
  return name.startsWith(OWNED) ? name.slice(OWNED.length) : undefined
}

export type ResolvedSecret =
  | { readonly type: 'value'; readonly secret: Secret }
  | { readonly type: 'refused'; readonly refusal: Refusal; readonly isUnreadable?: true }

/** A generated key's own text. */
export function resolveOwnSecret(lookup: SecretLookup, namespace: string, virtualKey: string): ResolvedSecret {
  return firstOf(lookup, [namespace], { name: OWNED + virtualKey, key: 'key' })
}

/** The entry in the first of `namespaces` that holds the Secret. The name is whatever a resource says: none of a key's own text. */
export function resolveSecret(
  lookup: SecretLookup,
  namespaces: readonly string[],
  reference: Reference,
): ResolvedSecret {
  const isReserved = ownerOfSecret(reference.name) !== undefined
  return firstOf(isReserved ? () => ({ type: 'no-secret' }) : lookup, namespaces, reference)
}

interface Reference {
  readonly name: string
  readonly key: string
}

function firstOf(lookup: SecretLookup, namespaces: readonly string[], reference: Reference): ResolvedSecret {
  let near = ''
  for (const namespace of namespaces) {
    const found = lookup(namespace, reference.name, reference.key)
    if (found.type === 'value') return found
    if (found.type === 'unreadable') return unreadable(namespace, found.refusal)
    if (found.type === 'no-entry') return missingEntry(namespace, reference, found)
    if (near === '' && found.nearName !== undefined) near = `, did you mean ${found.nearName}?`
  }
  const message = `Secret ${reference.name} not found in namespace ${namespaces.join(' or ')}${near}`
  return { type: 'refused', refusal: { reason: 'SecretNotFound', message } }
}

function unreadable(namespace: string, refusal: Refusal | undefined): ResolvedSecret {
  const message = `Secrets in namespace ${namespace} cannot be read`
  return { type: 'refused', refusal: refusal ?? { reason: 'SecretNotFound', message }, isUnreadable: true }
}

function missingEntry(
  namespace: string,
  { name, key }: Reference,
  { detail, isUnset }: SecretValue & { type: 'no-entry' },
): ResolvedSecret {
  const why = detail === undefined ? '' : `: ${detail}`
  const message = `Secret ${namespace}/${name} has no entry ${key}${why}`
  return { type: 'refused', refusal: present<Refusal>({ reason: 'SecretKeyMissing', message, isUnset }) }
}
