/** The configuration in force: what it consists of, and the one place where it is swapped. */
import { deriveCacheKey, deriveKeyPepper, deriveRedactionSecret, keyDigester } from '../../crypto/derive.ts'
import type { Secret } from '../../domain/secret.ts'
import { takeAll, type Steps } from '../../domain/steps.ts'
import { compileSnapshot } from '../../domain/snapshot/compiled-snapshot.ts'
import { parseSnapshotInSteps } from '../../domain/snapshot/parse-snapshot.ts'
import type { Configuration, ConfigurationSource } from '../pipeline/ports.ts'

/** The secrets that a configuration hands out beside providers' credentials. */
export interface DerivedSecrets {
  digestOf(keyText: string): string
  redactionSecretOf(organization: string): Secret
  cacheKeyOf(organization: string): Secret
}

/** All of them from the installation's master secret, each once. */
export function deriveSecrets(master: Secret): DerivedSecrets {
  return {
    digestOf: keyDigester(deriveKeyPepper(master)),
    redactionSecretOf: remembered((organization) => deriveRedactionSecret(master, organization)),
    cacheKeyOf: remembered((organization) => deriveCacheKey(master, organization)),
  }
}

function remembered(make: (organization: string) => Secret): (organization: string) => Secret {
  const known = new Map<string, Secret>()
  return (organization) => {
    const secret = known.get(organization) ?? make(organization)
    known.set(organization, secret)
    return secret
  }
}

/**
 * A configuration from a snapshot (validated, copied and frozen here), the providers' credentials and the secrets.
 * @throws {GatewayError} where the snapshot is not one.
 */
export function createConfiguration(
  snapshot: unknown,
  credentials: ReadonlyMap<string, Secret>,
  secrets: DerivedSecrets,
): Configuration {
  return takeAll(createConfigurationInSteps(snapshot, credentials, secrets))
}

/** The same in steps. @throws {GatewayError} */
export function* createConfigurationInSteps(
  snapshot: unknown,
  credentials: ReadonlyMap<string, Secret>,
  secrets: DerivedSecrets,
): Steps<Configuration> {
  return {
    compiled: compileSnapshot(yield* parseSnapshotInSteps(snapshot)),
    credentialOf: (provider) => credentials.get(provider),
    ...secrets,
  }
}

/** Holds the configuration in force. Requests in flight keep the one they began with. */
export class ConfigurationHolder implements ConfigurationSource {
  readonly #listeners: ((configuration: Configuration) => void)[] = []
  #current: Configuration | undefined

  current(): Configuration | undefined {
    return this.#current
  }

  swap(configuration: Configuration): void {
    this.#current = configuration
    for (const listener of this.#listeners) listener(configuration)
  }

  /** Called with every configuration that comes into force, at once with the one that is. */
  onChange(listener: (configuration: Configuration) => void): void {
    this.#listeners.push(listener)
    if (this.#current !== undefined) listener(this.#current)
  }
}
