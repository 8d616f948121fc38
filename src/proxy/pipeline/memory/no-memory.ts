/** The gateway's own bounds of memory: of bodies, of answers, of masked values. */
import { GatewayError } from '../../../domain/errors.ts'

/** Long enough for some requests to end. */
const RETRY_AFTER_SECONDS = 5

/** 429 `rate_limit_exceeded`: one of these bounds is reached. It says nothing of a provider. */
export class NoMemoryError extends GatewayError {
  /** @param message a sentence for the client and for the log */
  constructor(message: string) {
    super('rate_limit_exceeded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}
