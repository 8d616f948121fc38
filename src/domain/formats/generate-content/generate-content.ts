/**
 * The generate-content format of Google's Gemini API (Developer API, v1beta).
 * @see https://ai.google.dev/api/generate-content
 */
import type { Format } from '../format.ts'
import { parseError, renderError, renderStreamError } from './errors.ts'
import { parseRequest } from './request-parse.ts'
import { renderUserPart } from './content-translate.ts'
import { renderRequest } from './request-render.ts'
import { reviseRequest } from './request-revise.ts'
import { visitRequestText } from './request-text.ts'
import { parseResult, renderResult } from './result.ts'
import { visitResultText } from './result-text.ts'
import { GenerateContentStreamDecoder } from './stream-decoder.ts'
import { GenerateContentStreamEncoder } from './stream-encoder.ts'
import { GenerateContentStreamTextPatcher } from './stream-text.ts'
import { unmodelledFields } from './unmodelled.ts'

/** The codec. */
export const generateContent = {
  name: 'generate-content',
  toolNames: { character: /^[A-Za-z0-9_.:-]$/, first: /^[A-Za-z_]$/, longest: 64 },
  parseRequest,
  renderRequest,
  carries: (part) => renderUserPart(part, '', []) !== undefined,
  unmodelledFields,
  visitRequestText,
  reviseRequest,
  parseResult,
  renderResult,
  visitResultText,
  createStreamDecoder: () => new GenerateContentStreamDecoder(),
  createStreamEncoder: (context) => new GenerateContentStreamEncoder(context),
  // Usage is in every event, asked for or not: there is nothing to hide.
  createStreamRelay: () => ({ push: (event) => [event] }),
  createStreamTextPatcher: (rewriter) => new GenerateContentStreamTextPatcher(rewriter),
  renderError,
  renderStreamError,
  parseError,
} satisfies Format
