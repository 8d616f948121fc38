/** The one way out of the pipeline for refusals and failures, whatever was asked. */
import type { GatewayError } from '../../domain/errors.ts'
import type { Outgoing } from './exchange.ts'
import { leavingError } from './leaving.ts'
import { NoMemoryError } from './memory/no-memory.ts'
import { QuotaUnavailableError } from './quota-port.ts'
import { publicError, refuse } from './refuse.ts'
import type { Outcome, RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import type { Settle } from './settle.ts'
import { answerHeaders } from './answer-headers.ts'

/** Logs what is our fault or a store's, settles the record and says it in the client's shape. Never throws. */
export async function refuseAndSettle(
  error: unknown,
  record: RequestRecord,
  settle: Settle,
  services: Services,
): Promise<Outgoing> {
  const { adapter, requestId } = record.incoming
  const shown = shownError(error, services)
  record.errorCode = shown.code
  const { cause } = shown.details
  // A limit of a key says so in numbers; of memory nobody knows but the log.
  if (shown instanceof NoMemoryError)
    services.log.warn({ requestId, reason: shown.message }, 'no memory for the request')
  // Why the store is away is told once, by the store.
  if (cause instanceof QuotaUnavailableError) {
    services.log.warn({ requestId, code: shown.code, reason: cause.message }, 'request not admitted')
  } else if (cause !== undefined && shown.status >= 500) {
    services.log.error({ requestId, code: shown.code, err: cause }, 'request failed inside the gateway')
  }
  await settle(outcomeOf(shown))
  return refuse(shown, adapter, requestId, answerHeaders(record))
}

/** Where the process leaves, it has let go of the call in the client's place. */
function shownError(error: unknown, { leaving }: Services): GatewayError {
  const shown = publicError(error)
  return shown.code === 'client_closed_request' && leaving.aborted ? leavingError() : shown
}

/**
 * What a refusal or failure means for the record: `failed` is for whoever runs the gateway to look at. What its provider refuses is the
 * client's to mend; that all providers are rate limited is not, though its status says "ask again".
 */
function outcomeOf(error: GatewayError): Outcome {
  if (error.code === 'client_closed_request') return 'client-gone'
  return error.status >= 500 || error.code === 'providers_rate_limited' ? 'failed' : 'refused'
}
