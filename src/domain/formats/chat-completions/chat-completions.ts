/**
 * The OpenAI chat-completions format, as OpenAI speaks it and as everyone who calls himself compatible does.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import type { Format } from '../format.ts'
import { callIdFor } from './model-call-id.ts'
import { parseError, renderError, renderStreamError } from './errors.ts'
import { refusesTools } from './refused-tools.ts'
import { parseRequest } from './request-parse.ts'
import { renderUserPart } from './message-translate.ts'
import { renderRequest } from './request-render.ts'
import { reviseRequest } from './request-revise.ts'
import { visitRequestText } from './request-text.ts'
import { parseResult, renderResult } from './result.ts'
import { visitResultText } from './result-text.ts'
import { asksForJson } from './schema-fields.ts'
import { ChatStreamDecoder } from './stream-decoder.ts'
import { ChatStreamEncoder } from './stream-encoder.ts'
import { createStreamRelay } from './stream-relay.ts'
import { ChatStreamTextPatcher } from './stream-text.ts'
import { unmodelledFields } from './unmodelled.ts'

/** The codec. */
export const chatCompletions = {
  name: 'chat-completions',
  toolNames: { character: /^[A-Za-z0-9_-]$/, first: /^[A-Za-z0-9_-]$/, longest: 64 },
  parseRequest,
  renderRequest,
  carries: (part) => renderUserPart(part, '', []) !== undefined,
  callIdFor,
  refusesTools,
  unmodelledFields,
  asksForJson,
  visitRequestText,
  reviseRequest,
  parseResult,
  renderResult,
  visitResultText,
  createStreamDecoder: () => new ChatStreamDecoder(),
  createStreamEncoder: (context) => new ChatStreamEncoder(context),
  createStreamRelay,
  createStreamTextPatcher: (rewriter) => new ChatStreamTextPatcher(rewriter),
  renderError,
  renderStreamError,
  parseError,
} satisfies Format
