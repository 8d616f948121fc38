/**
 * The text whose digest is a request's cache key. Everything that can change an answer is in it; whatever nobody knows
 * is in it too, so that an unknown field costs a miss and never a wrong answer.
 */
import type { FormatName, ProviderFormatName } from '../completion/request.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { canonicalJson } from './canonical-json.ts'
import { looksLikeOrdinal, type TokenOrdinals } from './token-ordinals.ts'

/** In which answers are kept. */
export type CachedFormat = ProviderFormatName | 'embeddings'

type AskedFormat = FormatName | 'embeddings'

export interface RequestText {
  readonly format: AskedFormat
  /** The client's document, masked. */
  readonly document: JsonObject
  /** As the client named it; undefined and `auto` are the same. */
  readonly model: string | undefined
  readonly policy: EffectivePolicy
  /** Client headers that are passed on to a provider. */
  readonly passHeaders: Readonly<Record<string, string>>
  /** Set where a whole answer and a stream are not the same answer, see `complete-through-cache.ts`. */
  readonly shape: 'whole' | 'stream' | undefined
  readonly tokens: TokenOrdinals
  /** JSON schema of the answer, part of the document: models write its fields in the schema's order, which counts therefore. */
  readonly schema?: JsonValue | undefined
}

const OF_OPENAI = ['model', 'stream', 'stream_options', 'user', 'metadata', 'safety_identifier', 'prompt_cache_key']

/**
 * Fields of each format that say who asks, how the answer is to be sent or what else to do with it, but not what the
 * answer is. `model` stands beside the document.
 */
const IGNORED: Readonly<Record<AskedFormat, ReadonlySet<string>>> = {
  'chat-completions': new Set(OF_OPENAI),
  messages: new Set(['model', 'stream', 'metadata']),
  'generate-content': new Set(['model', 'labels']),
  responses: new Set([...OF_OPENAI, 'store', 'include']),
  embeddings: new Set(['model', 'user']),
}

/**
 * @returns undefined where the request cannot be told from others with certainty and must not be cached.
 */
export function requestText(request: RequestText): string | undefined {
  const { tokens } = request
  // A token among the names has a place that differs from user to user, its ordinal has not.
  const placeOf = tokens.size === 0 ? undefined : (name: string) => tokens.toOrdinals(name)
  const document = canonicalJson(request.document, IGNORED[request.format], placeOf)
  if (looksLikeOrdinal(document)) return undefined
  const schema = request.schema === undefined ? '' : `\n${JSON.stringify(request.schema)}`
  return `${headText(request)}\n${tokens.toOrdinals(document + schema)}`
}

/** A JSON list of what is not in the document, put together by hand because most of it is the same for many requests. */
function headText({ format, model, shape, tokens, policy, passHeaders }: RequestText): string {
  const shapeText = shape === undefined ? 'null' : `"${shape}"`
  const modelText = JSON.stringify(model ?? 'auto')
  return `["${format}",${modelText},${shapeText},${tokens.size},${policyText(policy)},${headersText(passHeaders)}]`
}

/** Names and values in the order of the names. */
function headersText(headers: Readonly<Record<string, string>>): string {
  const names = Object.keys(headers)
  return names.length === 0 ? '[]' : JSON.stringify(names.toSorted().map((name) => [name, headers[name]]))
}

/** A key's requests without control headers share one policy object, so its text is made once. */
const policyTexts = new WeakMap<EffectivePolicy, string>()

/** JSON as a JSON string. */
function policyText(policy: EffectivePolicy): string {
  let text = policyTexts.get(policy)
  if (text === undefined) {
    text = JSON.stringify(JSON.stringify(policyOf(policy)))
    policyTexts.set(policy, text)
  }
  return text
}

/** What the rules of a request say about who may answer it and how. */
function policyOf(policy: EffectivePolicy): JsonValue {
  return [
    [...policy.flags].toSorted(),
    [...policy.excludeProviders].toSorted(),
    [...policy.excludeModels].toSorted(),
    [...policy.excludeCountries].toSorted(),
    policy.maxCost ?? null,
    policy.minQuality ?? null,
    policy.scoringMethod ?? null,
    policy.fallback,
  ]
}
