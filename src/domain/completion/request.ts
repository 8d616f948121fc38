/**
 * The neutral request: what every vendor's chat format can say, in one shape, beside the document it came from.
 *
 * Codecs render it two ways. Same format: the source document is patched, so a field that this file does not know
 * survives. Another format: what both define is translated and what is lost becomes a `TranslationWarning`.
 */
import type { JsonObject, JsonValue } from '../json.ts'

/** A wire format that providers speak, and clients too. Several provider families may speak one format. */
export type ProviderFormatName = 'chat-completions' | 'messages' | 'generate-content'

/** A wire format that clients speak. */
export type FormatName = ProviderFormatName | 'responses'

export interface CompletionRequest {
  /** The client's own document. Never mutated after parsing, except by guardrails through the codec's text visitor. */
  readonly source: { readonly format: FormatName; readonly document: JsonObject }
  /** As the client wrote it; absent means automatic choice, as does `auto`. */
  readonly model: string | undefined
  readonly stream: boolean
  /** Whether the client asked for usage in a stream (always true for formats that always send it). */
  readonly streamUsage: boolean
  /** System and developer instructions that stand before the conversation, in order. */
  readonly system: readonly TextPart[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: ToolChoice | undefined
  readonly parallelToolCalls: boolean | undefined
  readonly sampling: Sampling
  readonly responseFormat: ResponseFormat | undefined
  readonly reasoning: Reasoning | undefined
  /** The end user's opaque id (OpenAI `user`, Anthropic `metadata.user_id`). */
  readonly user: string | undefined
}

export interface Sampling {
  /** Upper bound of generated tokens per choice. */
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  /** Number of choices; absent means 1. */
  readonly choices?: number
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | { readonly type: 'json-schema'; readonly name: string; readonly schema: JsonValue; readonly strict?: boolean }

/** How much the model may think before it answers. Either an effort word or a budget of tokens; both when given. */
export interface Reasoning {
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'
  readonly budgetTokens?: number
}

export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments; absent means no arguments. */
  readonly parameters?: JsonValue
  readonly strict?: boolean
  /** The client knows it as one that takes a text (OpenAI's custom tools): the text is the argument `input`. */
  readonly takesText?: true
  /** The client's name of it, where that has two parts (OpenAI's namespaces): `name` is both of them then. */
  readonly member?: NamespaceMember
  /** Marks the end of a cached prefix (Anthropic `cache_control`), carried verbatim. */
  readonly cacheControl?: JsonValue
}

export interface NamespaceMember {
  readonly namespace: string
  readonly name: string
}

export type ToolChoice =
  /** `among`: names of the only tools that may be called; absent: all may. */
  | { readonly type: 'auto' | 'required'; readonly among?: readonly string[] }
  | { readonly type: 'none' }
  | { readonly type: 'tool'; readonly name: string }

export type Message =
  | { readonly role: 'system'; readonly content: readonly TextPart[] }
  /** `isUnread`: it is not empty, but holds only parts that this file has no word for. */
  | { readonly role: 'user'; readonly content: readonly UserPart[]; readonly isUnread?: true }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] }

export type UserPart = TextPart | ImagePart | DocumentPart | AudioPart
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | RefusalPart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly cacheControl?: JsonValue
}

/** Binary content: by URL, or inline as base64. */
export type MediaSource =
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly id: string; readonly mediaType?: string }

export interface ImagePart {
  readonly type: 'image'
  readonly media: MediaSource
  /** OpenAI's `detail`. */
  readonly detail?: string
  readonly cacheControl?: JsonValue
}

export interface DocumentPart {
  readonly type: 'document'
  readonly media: MediaSource | { readonly type: 'text'; readonly text: string }
  readonly name?: string
  readonly cacheControl?: JsonValue
}

export interface AudioPart {
  readonly type: 'audio'
  readonly media: MediaSource
}

/** Thinking that the model showed. `signature` and `redacted` are opaque and must go back to the same vendor unchanged. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly signature?: string
  /** Encrypted thinking without text (Anthropic `redacted_thinking.data`). */
  readonly redacted?: string
}

/** The model declines (OpenAI `refusal`). */
export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
}

/** The arguments of a call that has ended and has none: clients parse what they have put together. */
export const NO_ARGUMENTS = '{}'

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  /**
   * The arguments as JSON text, exactly as the model wrote them (it may be invalid JSON). Empty in an answer: it was cut off before their
   * first character; a call without arguments has `NO_ARGUMENTS`.
   */
  readonly arguments: string
  /** Gemini's thought signature, opaque. */
  readonly signature?: string
  readonly cacheControl?: JsonValue
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  /** Name of the tool, where the format carries it (Gemini does, others do not). */
  readonly name?: string
  readonly content: readonly (TextPart | ImagePart | DocumentPart)[]
  readonly isError?: boolean
  readonly cacheControl?: JsonValue
}

/** A field or meaning that the target format cannot carry. Shown in the trace, the audit record and a metric. */
export interface TranslationWarning {
  /** Path of the field in the client's own terms, e.g. `messages[2].audio` or `logit_bias`. */
  readonly field: string
  readonly message: string
}
