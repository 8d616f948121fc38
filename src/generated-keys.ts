/**
 * The texts of the virtual keys that a standalone gateway makes itself. One whose file in the state folder cannot be read or
 * written is out of force alone, so that it holds up no revocation beside it; it is tried again at every reading, and between.
 */
import { randomBytes } from 'node:crypto'
import { namespacedName } from './domain/resources/namespaced-name.ts'
import type { VirtualKeyResource } from './domain/resources/kinds.ts'
import { ownerOfSecret, type SecretLookup, type SecretValue } from './domain/resources/secret-lookup.ts'
import { renderVirtualKey, VIRTUAL_KEY_BYTES } from './domain/resources/virtual-key-text.ts'
import { weaknessOf } from './domain/resources/virtual-keys.ts'
import type { Secret } from './domain/secret.ts'
import type { Steps } from './domain/steps.ts'
import { StateError, type StateDirectory, type TextKind } from './proxy/config/state-directory.ts'

/** Tried between readings: where it is the folder that fails, one stands for all of them. */
const MOST_TRIED = 20

export interface GeneratedKeysOptions {
  readonly state: StateDirectory
  /** Calls `again` after a while. */
  readonly later: (again: () => void) => void
  /** Called where a text that was lacking is there: the manifests are to be read anew. */
  readonly found: () => void
}

/** As it was read. */
export interface GeneratedKey {
  /** `namespace/name` of the VirtualKey. */
  readonly id: string
  readonly value: SecretValue
}

export class GeneratedKeys {
  readonly #options: GeneratedKeysOptions
  #lacking: readonly VirtualKeyResource[] = []
  #isDue = false

  constructor(options: GeneratedKeysOptions) {
    this.#options = options
  }

  /**
   * Those with source Generated, a key a step. A text that is known stays so, whatever has become of its file, as long as its
   * key is declared.
   */
  *read(virtualKeys: readonly VirtualKeyResource[]): Steps<readonly GeneratedKey[]> {
    const read: GeneratedKey[] = []
    const lacking: VirtualKeyResource[] = []
    for (const resource of virtualKeys.filter(isGenerated)) {
      const value = this.#valueOf(resource)
      if (value.type !== 'value') lacking.push(resource)
      read.push({ id: namespacedName(resource.metadata), value })
      yield
    }
    this.#lacking = lacking
    this.#tryLater()
    return read
  }

  /** To be called when these are in force: others have ended. */
  nowInForce(virtualKeys: readonly VirtualKeyResource[]): void {
    this.#options.state.keepOnly(virtualKeys.filter(isGenerated).map(({ metadata }) => metadata))
  }

  #tryLater(): void {
    if (this.#isDue || this.#lacking.length === 0) return
    this.#isDue = true
    this.#options.later(() => {
      this.#isDue = false
      const isFound = this.#lacking.slice(0, MOST_TRIED).some((resource) => this.#valueOf(resource).type === 'value')
      if (isFound) this.#options.found()
      else this.#tryLater()
    })
  }

  #valueOf({ metadata: { namespace, name } }: VirtualKeyResource): SecretValue {
    try {
      return { type: 'value', secret: this.#options.state.virtualKey(namespace, name, KEY_TEXT) }
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      return { type: 'unreadable', refusal: { reason: 'StateUnusable', message: error.message } }
    }
  }
}

function isGenerated({ spec }: VirtualKeyResource): boolean {
  return spec.key.source === 'Generated'
}

/** Their texts, by `namespace/name` of the key. */
export function textsOf(generated: readonly GeneratedKey[]): { readonly id: string; readonly key: Secret }[] {
  return generated.flatMap(({ id, value }) => (value.type === 'value' ? [{ id, key: value.secret }] : []))
}

/** The lookup with them, as if the Secrets that hold them in a cluster were there. */
export function withGenerated(lookup: SecretLookup, generated: readonly GeneratedKey[]): SecretLookup {
  const values = new Map(generated.map(({ id, value }) => [id, value]))
  return (namespace, name, entry) => {
    const owner = ownerOfSecret(name)
    const value = owner === undefined ? undefined : values.get(namespacedName({ namespace, name: owner }))
    return value ?? lookup(namespace, name, entry)
  }
}

const KEY_TEXT: TextKind = {
  create: () => renderVirtualKey(randomBytes(VIRTUAL_KEY_BYTES)).text,
  faultIn: (text) => {
    const weakness = weaknessOf(text)
    return weakness && `is not used: ${weakness}`
  },
}
