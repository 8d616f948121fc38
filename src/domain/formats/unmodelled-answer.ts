/**
 * What an answer says that the neutral result has no word for: lost where the client's format is another. Each format
 * has its list; fields that say nothing to a client (envelopes, ratings of a harmless text) are not on it.
 */
import type { ProviderFormatName, TranslationWarning } from '../completion/request.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { MAX_UNMODELLED_FIELDS } from './format.ts'

const READERS: Readonly<Record<ProviderFormatName, (document: JsonObject) => string[]>> = {
  'chat-completions': ofChatCompletions,
  messages: ofMessages,
  'generate-content': ofGenerateContent,
}

/** The fields of a provider's whole answer that another format is not given, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledAnswer(format: ProviderFormatName, document: JsonObject): TranslationWarning[] {
  const message = `known to ${format} only; it was left out of the answer`
  return READERS[format](document)
    .slice(0, MAX_UNMODELLED_FIELDS)
    .map((field) => ({ field, message }))
}

const OWN_MESSAGE_FIELDS = ['audio', 'annotations', 'images'] as const

/** What only chat-completions can say in a message, or in a streamed piece of one. */
export function ownMessageFields(message: JsonObject): string[] {
  return OWN_MESSAGE_FIELDS.filter((field) => isFilled(message[field]))
}

function ofChatCompletions(document: JsonObject): string[] {
  return asArray(document.choices).flatMap((value, index) => {
    const choice = asObject(value) ?? {}
    const message = asObject(choice.message) ?? {}
    const path = `choices[${index}]`
    return [
      ...ownMessageFields(message).map((field) => `${path}.message.${field}`),
      ...asArray(message.tool_calls).flatMap((call, at) =>
        asObject(asObject(call)?.function) === undefined ? [`${path}.message.tool_calls[${at}]`] : [],
      ),
      ...(isFilled(asObject(choice.logprobs)?.content) ? [`${path}.logprobs`] : []),
    ]
  })
}

const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])

function ofMessages(document: JsonObject): string[] {
  return asArray(document.content).flatMap((value, index) => {
    const block = asObject(value) ?? {}
    const path = `content[${index}]`
    return BLOCKS.has(block.type) ? filled(block, ['citations'], `${path}.`) : [path]
  })
}

const PARTS: ReadonlySet<string> = new Set(['text', 'functionCall', 'thought', 'thoughtSignature', 'partMetadata'])
const CANDIDATE_FIELDS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata', 'logprobsResult']

/** What only generate-content can say beside a candidate's content, or beside a streamed piece of it. */
export function ownCandidateFields(candidate: JsonObject): string[] {
  return CANDIDATE_FIELDS.filter((field) => isFilled(candidate[field]))
}

function ofGenerateContent(document: JsonObject): string[] {
  return asArray(document.candidates).flatMap((value, index) => {
    const candidate = asObject(value) ?? {}
    const path = `candidates[${index}]`
    const parts = asArray(asObject(candidate.content)?.parts).filter(isJsonObject)
    const unknown = parts.flatMap((part, at) =>
      Object.keys(part)
        .filter((field) => !PARTS.has(field))
        .map((field) => `${path}.content.parts[${at}].${field}`),
    )
    return [...unknown, ...ownCandidateFields(candidate).map((field) => `${path}.${field}`)]
  })
}

function filled(object: JsonObject, fields: readonly string[], prefix: string): string[] {
  return fields.filter((field) => isFilled(object[field])).map((field) => prefix + field)
}

/** Null and empty say what leaving the field out says. */
function isFilled(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || asString(value) === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
