/** The adapter for the official Google GenAI SDKs: base URL `{base_url}/adapters/gemini`. Model and method are in the path. */
import { InvalidRequestError } from '../../domain/errors.ts'
import { formatOf } from '../../domain/formats/registry.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { AdapterRoute, ClientAdapter, ListedModel, RouteHints } from './adapter.ts'
import { jsonArrayFraming } from './json-array-framing.ts'

/** The SDKs take the beta by default, and the other where they are told to. Both are the same here. */
const VERSIONS = ['/v1beta', '/v1'] as const

/** LiteLLM as a client puts the methods right under the base URL that it is given. */
const UNVERSIONED = ''

/** The vendor's own bounds of a page. */
const DEFAULT_PAGE = 50
const MAX_PAGE = 1000

const HINTS_OF_METHOD: Readonly<Record<string, RouteHints>> = {
  generateContent: { operation: 'chat', stream: false },
  streamGenerateContent: { operation: 'chat', stream: true },
  countTokens: { operation: 'count-tokens', stream: false, countOnly: true },
}

export const gemini = {
  name: 'Gemini',
  label: 'gemini',
  maturity: 'alpha',
  format: 'generate-content',
  offers: 'v1beta/models, v1beta/models/{model}:generateContent, :streamGenerateContent, :countTokens',
  routes: [...VERSIONS, UNVERSIONED].flatMap((version) => routesUnder(`/adapters/gemini${version}/models`)),
  keyHeaders: ['x-goog-api-key'],
  keyQuery: 'key',
  passHeaders: [],
  // Without `alt=sse` the vendor streams one JSON array.
  streamFraming: (query) => (query.get('alt') === 'sse' ? undefined : jsonArrayFraming),
  renderModels,
  renderModel,
  renderTokenCount: (tokens) => ({ totalTokens: tokens }),
  renderError: (error, requestId) => formatOf('generate-content').renderError(error, requestId),
} satisfies ClientAdapter

function routesUnder(path: string): AdapterRoute[] {
  return [
    { method: 'POST', path: `${path}/*`, operation: 'chat', hints: ({ '*': rest = '' }) => hintsOf(rest) },
    { method: 'GET', path, operation: 'list-models' },
    { method: 'GET', path: `${path}/*`, operation: 'get-model', hints: ({ '*': rest = '' }) => modelHint(rest) },
  ]
}

/** Splits `model:method` at the last colon: a model's own name may have one (`llama3:8b`). */
function hintsOf(rest: string): RouteHints | undefined {
  const colon = rest.lastIndexOf(':')
  const method = rest.slice(colon + 1)
  const model = modelHint(rest.slice(0, Math.max(0, colon)))
  const hints = Object.hasOwn(HINTS_OF_METHOD, method) ? HINTS_OF_METHOD[method] : undefined
  return model === undefined || hints === undefined ? undefined : { ...model, ...hints }
}

/** A name, with slashes where it has a provider's before it. Empty segments and dots are tricks, no names. */
const NAME = /^(?!\.{1,2}(?:\/|$))[^\s/]+(?:\/(?!\.{1,2}(?:\/|$))[^\s/]+)*$/

function modelHint(name: string): { model: string } | undefined {
  return NAME.test(name) ? { model: name } : undefined
}

/** One page. A page's token is the position after it. */
function renderModels(models: readonly ListedModel[], query: URLSearchParams): JsonObject {
  // Larger pages than the vendor's are cut to its size, as the vendor does.
  const size = Math.min(wholeNumber(query, 'pageSize') || DEFAULT_PAGE, MAX_PAGE)
  const start = wholeNumber(query, 'pageToken') ?? 0
  const end = start + size
  return {
    models: models.slice(start, end).map(renderModel),
    ...(end < models.length ? { nextPageToken: String(end) } : {}),
  }
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidRequestError(`Invalid value for '${name}': expected a whole number.`, name)
}

function renderModel(model: ListedModel): JsonObject {
  return {
    name: `models/${model.id}`,
    displayName: model.displayName,
    ...(model.contextWindow === undefined ? {} : { inputTokenLimit: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { outputTokenLimit: model.maxOutputTokens }),
    supportedGenerationMethods: Object.keys(HINTS_OF_METHOD),
  }
}
