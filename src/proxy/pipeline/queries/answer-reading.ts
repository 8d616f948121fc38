/**
 * Calls that only read what the gateway knows: authenticated, control headers checked as in every call; no body, no
 * provider, no audit record.
 */
import type { JsonValue } from '../../../domain/json.ts'
import type { Incoming, Outgoing } from '../exchange.ts'
import { governCaller } from '../govern-caller.ts'
import { publicError, refuse } from '../refuse.ts'
import { RequestRecord } from '../request-record.ts'
import { resolveReadingPolicy, type GovernedCaller } from '../resolve-request-policy.ts'
import type { Services } from '../services.ts'
import { answerHeaders } from '../answer-headers.ts'

/** @param read what the caller is told; what it throws becomes a refusal. Never throws. */
export async function answerReading(
  incoming: Incoming,
  operation: 'models' | 'usage',
  services: Services,
  read: (caller: GovernedCaller, record: RequestRecord) => JsonValue | Promise<JsonValue>,
): Promise<Outgoing> {
  const { adapter, requestId } = incoming
  const record = new RequestRecord(incoming, operation)
  try {
    const caller = governCaller(record, services, resolveReadingPolicy)
    const body = JSON.stringify(await read(caller, record))
    const headers = { ...answerHeaders(record), 'content-type': 'application/json' }
    return { type: 'whole', status: 200, headers, body }
  } catch (error) {
    return refuse(publicError(error), adapter, requestId, answerHeaders(record))
  } finally {
    record.memory.releaseAll()
  }
}
