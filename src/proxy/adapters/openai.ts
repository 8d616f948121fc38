/**
 * The native interface and the adapter for the official OpenAI SDK: the same surface under two prefixes. The vendor has two formats;
 * each adapter is two therefore, of one name, since a client chooses between them call by call.
 */
import { formatOf } from '../../domain/formats/registry.ts'
import type { AdapterRoute, ClientAdapter, ListedModel } from './adapter.ts'

const shared = {
  maturity: 'stable',
  format: 'chat-completions',
  offers: 'v1/chat/completions, v1/responses, v1/embeddings, v1/models, v1/usage',
  keyHeaders: [],
  passHeaders: [],
  renderModels: (models) => ({ object: 'list', data: models.map(renderModel) }),
  renderModel,
  renderError: (error, requestId) => formatOf('chat-completions').renderError(error, requestId),
} satisfies Partial<ClientAdapter>

/** Calls in the Responses format. */
const inResponses = {
  ...shared,
  maturity: 'beta',
  format: 'responses',
  renderTokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
} satisfies Partial<ClientAdapter>

/** Specification section 4.1: `{base_url}/v1`. */
export const native = { ...shared, name: 'Native', label: 'native', routes: routesUnder('/v1') } satisfies ClientAdapter

/** SDK base URL `{base_url}/adapters/openai/v1`. */
export const openai = {
  ...shared,
  name: 'OpenAI',
  label: 'openai',
  routes: routesUnder('/adapters/openai/v1'),
} satisfies ClientAdapter

export const nativeResponses = {
  ...inResponses,
  name: native.name,
  label: native.label,
  routes: responsesUnder('/v1'),
} satisfies ClientAdapter

export const openaiResponses = {
  ...inResponses,
  name: openai.name,
  label: openai.label,
  routes: responsesUnder('/adapters/openai/v1'),
} satisfies ClientAdapter

function responsesUnder(prefix: string): AdapterRoute[] {
  return [
    { method: 'POST', path: `${prefix}/responses`, operation: 'chat' },
    {
      method: 'POST',
      path: `${prefix}/responses/input_tokens`,
      operation: 'count-tokens',
      hints: () => ({ countOnly: true }),
    },
  ]
}

function routesUnder(prefix: string): AdapterRoute[] {
  return [
    { method: 'POST', path: `${prefix}/chat/completions`, operation: 'chat' },
    { method: 'POST', path: `${prefix}/embeddings`, operation: 'embeddings' },
    { method: 'GET', path: `${prefix}/models`, operation: 'list-models' },
    { method: 'GET', path: `${prefix}/usage`, operation: 'usage' },
    {
      method: 'GET',
      path: `${prefix}/models/*`,
      operation: 'get-model',
      hints: ({ '*': model = '' }) => (model === '' ? undefined : { model }),
    },
  ]
}

function renderModel(model: ListedModel) {
  return { id: model.id, object: 'model', created: model.created, owned_by: model.ownedBy }
}
