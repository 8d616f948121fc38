/** The adapter for the official Anthropic SDK: base URL `{base_url}/adapters/anthropic`. */
import { formatOf } from '../../domain/formats/registry.ts'
import { InvalidRequestError } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { ClientAdapter, ListedModel } from './adapter.ts'

const PREFIX = '/adapters/anthropic/v1'

/** The vendor's own bounds of a page. */
const DEFAULT_PAGE = 20
const MAX_PAGE = 1000

export const anthropic = {
  name: 'Anthropic',
  label: 'anthropic',
  maturity: 'beta',
  format: 'messages',
  offers: 'v1/messages, v1/messages/count_tokens, v1/models',
  routes: [
    { method: 'POST', path: `${PREFIX}/messages`, operation: 'chat' },
    {
      method: 'POST',
      path: `${PREFIX}/messages/count_tokens`,
      operation: 'count-tokens',
      hints: () => ({ countOnly: true }),
    },
    { method: 'GET', path: `${PREFIX}/models`, operation: 'list-models' },
    {
      method: 'GET',
      path: `${PREFIX}/models/*`,
      operation: 'get-model',
      hints: ({ '*': model = '' }) => (model === '' ? undefined : { model }),
    },
  ],
  keyHeaders: ['x-api-key'], // the SDKs before October 2026; since then they send a bearer token
  passHeaders: ['anthropic-version', 'anthropic-beta'],
  requestIdHeader: 'request-id',
  renderModels,
  renderModel,
  renderTokenCount: (tokens) => ({ input_tokens: tokens }),
  renderError: (error, requestId) => formatOf('messages').renderError(error, requestId),
} satisfies ClientAdapter

/** One page. `after_id` and `before_id` are ids of the list; one that is not on it begins at that end of the list. */
function renderModels(models: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const limit = pageSize(query)
  const after = query.get('after_id')
  const before = query.get('before_id')
  const positionOf = (id: string): number => models.findIndex((model) => model.id === id)
  const backwards = before !== null && after === null
  const stop = backwards && positionOf(before) !== -1 ? positionOf(before) : models.length
  const start = backwards ? Math.max(0, stop - limit) : after === null ? 0 : positionOf(after) + 1
  const page = models.slice(start, Math.min(stop, start + limit))
  return {
    data: page.map(renderModel),
    has_more: backwards ? start > 0 : start + page.length < models.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

function pageSize(query: URLSearchParams): number {
  const text = query.get('limit')
  if (text === null) return DEFAULT_PAGE
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_PAGE) return limit
  throw new InvalidRequestError(`Invalid value for 'limit': expected an integer from 1 to ${MAX_PAGE}.`, 'limit')
}

function renderModel(model: ListedModel): JsonObject {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.contextWindow ?? null,
    max_tokens: model.maxOutputTokens ?? null,
  }
}
