/** An audit record as the tool reads it back: what is filtered and summed, and the document it stood in. */
import { asNumber, asObject, asString, isJsonObject } from '../json.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { MicroUsd } from '../quota/money.ts'
import type { Milliseconds } from '../snapshot/snapshot.ts'

export interface AuditEntry {
  readonly document: JsonObject
  readonly requestId: string
  /** When the request came. */
  readonly atMs: Milliseconds
  readonly organization: string | undefined
  readonly project: string | undefined
  /** `owner/name`. */
  readonly virtualKey: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** Prompt tokens charged, cached and written ones and an embedding's included; else 0 for an answer from the cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined where no price or no usage is known. */
  readonly costMicroUsd: MicroUsd | undefined
  /** The provider told no usage; the tokens are an estimate. */
  readonly isEstimated: boolean
}

/** The entry of one JSON document; undefined where it is no audit record. Fields that are missing read as absent. */
export function parseAuditEntry(document: JsonValue): AuditEntry | undefined {
  if (!isJsonObject(document) || document['type'] !== 'audit') return undefined
  const atMs = Date.parse(asString(document['time']) ?? '')
  const requestId = asString(document['requestId'])
  if (Number.isNaN(atMs) || requestId === undefined) return undefined
  const isHit = asString(document['cache'])?.startsWith('hit') === true
  const tokens = isHit ? undefined : asObject(document['tokens'])
  const count = (name: string) => asNumber(tokens?.[name]) ?? 0
  return {
    document,
    requestId,
    atMs,
    organization: asString(document['organization']),
    project: asString(document['project']),
    virtualKey: asString(document['virtualKey']),
    tags: tagsOf(document['tags']),
    inputTokens: count('input') + count('cachedInput') + count('cacheWrite') + embeddingTokens(document),
    outputTokens: count('output'),
    costMicroUsd: asNumber(document['costMicroUsd']),
    isEstimated: tokens?.['estimated'] === true,
  }
}

function embeddingTokens(document: JsonObject): number {
  return asNumber(asObject(asObject(document['cacheDetails'])?.['embedding'])?.['tokens']) ?? 0
}

function tagsOf(value: JsonValue | undefined): Record<string, string> {
  const tags: Record<string, string> = Object.create(null)
  for (const [name, text] of Object.entries(asObject(value) ?? {})) {
    if (typeof text === 'string') tags[name] = text
  }
  return tags
}
