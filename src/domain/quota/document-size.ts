/**
 * What a request's document says in all, whatever the neutral request knows of it: fields and parts that only one format has
 * go to its providers as they are, and are paid for.
 *
 * Every string counts by its bytes, and every name of a field that is not one of the formats' own. Left out are short
 * values that name a thing (roles, types, ids), signatures, and fields beside the prompt. Numbers are too short to matter.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
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
const BESIDE_PROMPT: ReadonlySet<string> = words(
  'metadata user labels safety_identifier prompt_cache_key stop stop_sequences service_tier logit_bias model modalities',
)

/** Fields whose short values name a thing of the format. */
const NAMING: ReadonlySet<string> = words(
  'type role id name format language mimeType mime_type media_type detail tool_call_id tool_use_id toolUseId status ttl',
)
/** Longer ones may be prompts. */
const MAX_NAME_BYTES = 64

/** Opaque to us and not read by the model as text. */
const SIGNATURES: ReadonlySet<string> = words('signature thought_signature thoughtSignature encrypted_index')

/** Fields by which a document refers to media that the neutral request has no word for, or to what the vendor keeps. */
const REFERENCES: ReadonlySet<string> = words('fileUri file_uri cachedContent cached_content video_url audio_url')

/** Names of fields that the formats give: as many others are texts of the client. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...BESIDE_PROMPT,
  ...NAMING,
  ...SIGNATURES,
  ...REFERENCES,
  ...words('messages content text system tools function parameters description input_schema properties required items'),
  ...words(
    'max_tokens max_completion_tokens stream stream_options include_usage temperature top_p top_k n seed tool_choice',
  ),
  ...words(
    'tool_calls arguments response_format json_schema schema strict cache_control thinking budget_tokens source data',
  ),
  ...words(
    'contents parts systemInstruction system_instruction generationConfig generation_config maxOutputTokens inlineData url image_url',
  ),
  ...words(
    'functionDeclarations functionCall functionResponse args response input is_error refusal reasoning_content title',
  ),
  ...words(
    'input_audio file filename file_data reasoning_effort parallel_tool_calls frequency_penalty presence_penalty enum',
  ),
  ...words(
    'topP topK stopSequences candidateCount responseMimeType responseSchema safetySettings category threshold thought',
  ),
])

/** Measures a document; one pass, which does not recurse. */
export function measureDocument(document: JsonObject): DocumentSize {
  const size = { bytes: 0, wide: 0, references: 0 }
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
  if (REFERENCES.has(field) && refers(value)) size.references++
  if (typeof value !== 'string') return measureValue(value, size, pending)
  if (SIGNATURES.has(field)) return
  if (value.length > MAX_NAME_BYTES || !NAMING.has(field)) addText(value, size)
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
