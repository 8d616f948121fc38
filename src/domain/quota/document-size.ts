/**
 * What a request's document says in all, whatever the neutral request knows of it: fields and parts that only one format has
 * go to its providers as they are, and are paid for.
 *
 * Every string counts by its bytes, and every name of a field that is not one of the formats' own. Left out are short
 * values that name a thing (roles, types, ids), signatures, and fields beside the prompt. Numbers are too short to matter.
 */
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { utf8Size } from './utf8-size.ts'

export interface DocumentSize {
  /** UTF-8 bytes. */
  readonly bytes: number
  /** How many of them belong to characters outside ASCII. */
  readonly wide: number
  /** Media and caches that stand elsewhere, whose tokens nobody can tell from here. */
  readonly references: number
}

/** Fields of a request that are no part of its prompt. */
const BESIDE_PROMPT: ReadonlySet<string> = new Set([
  ...words('metadata user labels safety_identifier prompt_cache_key stop stop_sequences service_tier logit_bias model'),
  ...words('modalities reasoning_effort tool_choice toolConfig tool_config safetySettings safety_settings'),
])

/** Fields whose short values name a thing of the format. */
const NAMING: ReadonlySet<string> = words(
  'type role id name format language mimeType mime_type media_type detail tool_call_id tool_use_id toolUseId status ttl',
)
/** Longer ones may be prompts. */
const MAX_NAME_BYTES = 64

/** Opaque to us and not read by the model as text. */
const SIGNATURES: ReadonlySet<string> = words('signature thought_signature thoughtSignature encrypted_index')

/** Names of fields that the formats give: all others are texts of the client. One that is missing here costs its few bytes. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...BESIDE_PROMPT,
  ...NAMING,
  ...SIGNATURES,
  ...words('messages content text system tools function parameters description input_schema properties required items'),
  ...words('max_tokens max_completion_tokens stream stream_options include_usage temperature top_p top_k n seed enum'),
  ...words('tool_calls arguments response_format json_schema schema strict cache_control source data title'),
  ...words('parallel_tool_calls frequency_penalty presence_penalty thinking budget_tokens thought'),
  ...words('input_audio image_url url video_url audio_url file filename file_data refusal reasoning_content is_error'),
  ...words('contents parts systemInstruction system_instruction generationConfig generation_config maxOutputTokens'),
  ...words(
    'inlineData fileData fileUri file_uri cachedContent functionDeclarations functionCall functionResponse args',
  ),
  ...words('response input topP topK stopSequences candidateCount responseMimeType responseSchema'),
])

/** Measures a document; one pass, which does not recurse. */
export function measureDocument(document: JsonObject): DocumentSize {
  const size = { bytes: 0, wide: 0, references: referencesOf(document) }
  const pending: (JsonObject | JsonValue[])[] = []
  for (const field in document) if (!BESIDE_PROMPT.has(field)) measureField(document, field, size, pending)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next) measureValue(item, size, pending)
    else for (const field in next) measureField(next, field, size, pending)
  }
  return size
}

type Size = { -readonly [Part in keyof DocumentSize]: DocumentSize[Part] }

function measureField(holder: JsonObject, field: string, size: Size, pending: (JsonObject | JsonValue[])[]): void {
  if (!OWN_NAMES.has(field)) addText(field, size)
  const value = holder[field]
  if (typeof value !== 'string') return measureValue(value, size, pending)
  if (SIGNATURES.has(field)) return
  if (value.length > MAX_NAME_BYTES || !NAMING.has(field)) addText(value, size)
}

/** Of the parts of messages, and of the request: the same names in a tool's arguments are data. */
function referencesOf({ messages, contents, cachedContent, cached_content }: JsonObject): number {
  let references = refers(cachedContent ?? cached_content) ? 1 : 0
  for (const message of asArray(messages)) {
    for (const part of asArray(asObject(message)?.content)) {
      const { video_url, audio_url } = asObject(part) ?? {}
      if (refers(video_url ?? audio_url)) references++
    }
  }
  for (const content of asArray(contents)) {
    for (const part of asArray(asObject(content)?.parts)) {
      const { fileData, file_data } = asObject(part) ?? {}
      const file = asObject(fileData ?? file_data)
      if (refers(file?.fileUri ?? file?.file_uri)) references++
    }
  }
  return references
}

function refers(value: JsonValue | undefined): boolean {
  const address = isJsonObject(value) ? value.url : value
  return typeof address === 'string' && address !== '' && !address.startsWith('data:')
}

function measureValue(value: JsonValue | undefined, size: Size, pending: (JsonObject | JsonValue[])[]): void {
  if (typeof value === 'string') addText(value, size)
  else if (Array.isArray(value) || isJsonObject(value)) pending.push(value)
}

function addText(text: string, size: Size): void {
  const { bytes, wide } = utf8Size(text)
  size.bytes += bytes
  size.wide += wide
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
