/** What each route of an adapter does. */
import type { AdapterRoute } from '../adapters/adapter.ts'
import { countTokens } from './queries/count-tokens.ts'
import { createEmbeddings } from './embeddings/embed.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { completeChat } from './pipeline.ts'
import { readModels } from './queries/read-models.ts'
import { readUsage } from './queries/read-usage.ts'
import type { Services } from './services.ts'

/** From a client's request to its answer, refusals included. Never rejects. */
export type Operation = (incoming: Incoming, services: Services) => Promise<Outgoing>

const OPERATIONS: Readonly<Record<AdapterRoute['operation'], Operation>> = {
  chat: completeChat,
  embeddings: createEmbeddings,
  'count-tokens': countTokens,
  'list-models': readModels,
  'get-model': readModels,
  usage: readUsage,
}

/** That of a route. */
export function operationOf(name: AdapterRoute['operation']): Operation {
  return OPERATIONS[name]
}
