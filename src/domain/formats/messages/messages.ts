/**
 * The Anthropic messages format, as Anthropic speaks it and as others imitate it.
 * @see https://docs.anthropic.com/en/api/messages
 */
import type { Format } from '../format.ts'
import { parseError, renderError, renderStreamError } from './errors.ts'
import { parseRequest } from './request-parse.ts'
import { renderUserPart } from './block-translate.ts'
import { renderRequest } from './request-render.ts'
import { reviseRequest } from './request-revise.ts'
import { visitRequestText } from './request-text.ts'
import { parseResult, renderResult } from './result.ts'
import { visitResultText } from './result-text.ts'
import { MessagesStreamDecoder } from './stream-decoder.ts'
import { MessagesStreamEncoder } from './stream-encoder.ts'
import { createStreamRelay } from './stream-relay.ts'
import { MessagesStreamTextPatcher } from './stream-text.ts'
import { unmodelledFields } from './unmodelled.ts'

/** The codec. */
export const messages = {
  name: 'messages',
  toolNames: { character: /^[A-Za-z0-9_-]$/, first: /^[A-Za-z0-9_-]$/, longest: 128 },
  parseRequest,
  renderRequest,
  carries: (part) => renderUserPart(part, '', []) !== undefined,
  unmodelledFields,
  visitRequestText,
  reviseRequest,
  parseResult,
  renderResult,
  visitResultText,
  createStreamDecoder: () => new MessagesStreamDecoder(),
  createStreamEncoder: (context) => new MessagesStreamEncoder(context),
  createStreamRelay,
  createStreamTextPatcher: (rewriter) => new MessagesStreamTextPatcher(rewriter),
  renderError,
  renderStreamError,
  parseError,
} satisfies Format
