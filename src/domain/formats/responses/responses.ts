/**
 * OpenAI's Responses format, at the client's end: every provider is asked in its own. The gateway keeps no responses, so that
 * what refers to kept ones is refused (stored-state.ts).
 * @see https://platform.openai.com/docs/api-reference/responses
 */
import { renderError } from '../chat-completions/errors.ts'
import type { ClientFormat } from '../format.ts'
import { renderStreamError } from './error-event.ts'
import { parseRequest } from './request-parse.ts'
import { reviseRequest } from './request-revise.ts'
import { visitRequestText } from './request-text.ts'
import { visitResultText } from './result-text.ts'
import { renderResult } from './result.ts'
import { ResponsesStreamEncoder } from './stream-encoder.ts'
import { unmodelledFields } from './unmodelled.ts'

/** The codec. */
export const responses = {
  name: 'responses',
  parseRequest,
  unmodelledFields,
  visitRequestText,
  reviseRequest,
  renderResult,
  visitResultText,
  createStreamEncoder: (context) => new ResponsesStreamEncoder(context),
  renderError,
  renderStreamError,
} satisfies ClientFormat
