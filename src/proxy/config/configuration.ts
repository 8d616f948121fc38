/** The configuration in force: what it consists of, and the one place where it is swapped. */
import { createHmac, hkdfSync } from 'node:crypto'
import { Secret } from '../../domain/secret.ts'
import { compileSnapshot } from '../../domain/snapshot/compiled-snapshot.ts'
import { parseSnapshot } from '../../domain/snapshot/parse-snapshot.ts'
import type { Configuration, ConfigurationSource } from '../pipeline/ports.ts'

/** Secrets of an installation, each derived from the master for one purpose (HKDF-SHA256). */
export interface DerivedSecrets {
  digestOf(keyText: string): string
  redactionSecretOf(organization: string): Secret
  cacheKeyOf(organization: string): Secret
}

export function deriveSecrets(master: Secret): DerivedSecrets {
  const pepper = derive(master, 'tollgate virtual-key pepper')
  return {
    digestOf: (keyText) => createHmac('sha256', pepper).update(keyText).digest('hex'),
    redactionSecretOf: perOrganization(master, 'redaction'),
    cacheKeyOf: perOrganization(master, 'cache'),
  }
}

/** One secret an organization, hex, derived once. */
function perOrganization(master: Secret, purpose: string): (organization: string) => Secret {
  const known = new Map<string, Secret>()
  return (organization) => {
    let secret = known.get(organization)
    if (secret === undefined) {
      secret = new Secret(derive(master, `tollgate ${purpose} ${organization}`).toString('hex'))
      known.set(organization, secret)
    }
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
  return {
    compiled: compileSnapshot(parseSnapshot(snapshot)),
    credentialOf: (provider) => credentials.get(provider),
    ...secrets,
  }
}

/** Holds the configuration in force. Requests in flight keep the one they began with. */
export class ConfigurationHolder implements ConfigurationSource {
  #current: Configuration | undefined

  current(): Configuration | undefined {
    return this.#current
  }

  swap(configuration: Configuration): void {
    this.#current = configuration
  }
}

function derive(master: Secret, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(master.reveal(), 'hex'), '', purpose, 32))
}
