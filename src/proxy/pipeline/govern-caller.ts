/** How every call begins, from its headers alone: who is calling, then which rules apply. */
import { GatewayError } from '../../domain/errors.ts'
import { authenticate } from './authenticate.ts'
import type { Configuration } from './ports.ts'
import type { RequestRecord } from './request-record.ts'
import { resolveRequestPolicy, type GovernedCaller } from './resolve-request-policy.ts'
import type { Services } from './services.ts'

/**
 * Each is on the record before what follows it may be refused.
 * @throws {GatewayError} as `authenticate` and `resolve`; 503 `not_ready` before the first snapshot.
 */
export function governCaller(
  record: RequestRecord,
  services: Services,
  resolve = resolveRequestPolicy,
): GovernedCaller {
  const caller = authenticate(record, requireConfiguration(services), services.wallNow())
  record.caller = caller
  const governed = resolve(caller, record.incoming)
  record.policy = governed.policy
  return governed
}

function requireConfiguration(services: Services): Configuration {
  const configuration = services.configuration.current()
  if (configuration === undefined) {
    throw new GatewayError('not_ready', 'The gateway has no configuration yet.', { retryAfterSeconds: 1 })
  }
  return configuration
}
