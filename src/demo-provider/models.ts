/** The models list in the three vendors' shapes. */
import type { JsonObject } from '../domain/json.ts'
import { DEMO_MODELS } from './demo-request.ts'

/** Any fixed time: the models are not new or old. */
const CREATED_SECONDS = 1_735_689_600
const OWNER = 'tollgate-demo-provider'

export function openaiModels(): JsonObject {
  return {
    object: 'list',
    data: DEMO_MODELS.map((id) => ({ id, object: 'model', created: CREATED_SECONDS, owned_by: OWNER })),
  }
}

export function anthropicModels(): JsonObject {
  const data = DEMO_MODELS.map((id) => ({
    type: 'model',
    id,
    display_name: `${id} (${OWNER})`,
    created_at: new Date(CREATED_SECONDS * 1_000).toISOString(),
  }))
  return { data, has_more: false, first_id: DEMO_MODELS[0] ?? null, last_id: DEMO_MODELS.at(-1) ?? null }
}

export function geminiModels(): JsonObject {
  return {
    models: DEMO_MODELS.map((id) => ({
      name: `models/${id}`,
      version: '1',
      displayName: `${id} (${OWNER})`,
      inputTokenLimit: 131_072,
      outputTokenLimit: 8_192,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    })),
  }
}
