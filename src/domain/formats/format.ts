/**
 * A wire format: the codec of one vendor's chat API, used at the client end and, but for one, at the provider end alike.
 * One folder per format, listed in registry.ts. Pure: documents in, documents out.
 */
import type {
  CompletionRequest,
  FormatName,
  ProviderFormatName,
  ResponseFormat,
  TranslationWarning,
  UserPart,
} from '../completion/request.ts'
import type { CompletionResult, Usage } from '../completion/result.ts'
import type { StreamPart } from '../completion/stream-part.ts'
import type { TextVisitor } from '../completion/text-span.ts'
import type { GatewayError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ToolNameRules } from './tool-names.ts'

/** What the client's end of a format does. `responses` has no other: no provider is asked in it. */
export interface ClientFormat {
  readonly name: FormatName

  /**
   * Reads a client's request.
   * @throws {InvalidRequestError} with `param` where a field that the gateway must understand has a wrong type.
   * Fields that it does not know are left alone: they survive in the source document.
   */
  parseRequest(document: JsonObject, hints: RequestHints): CompletionRequest

  /**
   * What a document of this format says that the neutral request has no word for: lost when the request is rendered in
   * another format (`renderRequestFor` in registry.ts adds it to that format's own warnings). At most
   * `MAX_UNMODELLED_FIELDS`.
   */
  unmodelledFields(document: JsonObject): TranslationWarning[]

  /** Whether the document asks for JSON by a field that the neutral request has no word for. Absent: none does. */
  asksForJson?(document: JsonObject): boolean

  /**
   * Visits every text of a request document that a model will read, and puts back what the visitor returns.
   * Mutates `document`. Covers system, messages, parts, tool definitions (descriptions and string values inside the
   * schemas), tool arguments (decoded leaves), tool results, and string leaves of unknown fields of messages.
   * Never visits base64 media, ids, roles, type words or signatures.
   * @returns whether anything was changed.
   */
  visitRequestText(document: JsonObject, visit: TextVisitor): boolean

  /**
   * The client's document with other orders to the model, for forced JSON. Shares what it does not change; never
   * mutates `document`.
   */
  reviseRequest(document: JsonObject, revision: RequestRevision): JsonObject

  /** The result as this format says it, for the client. Same format: the source document, unknown fields included. */
  renderResult(result: CompletionResult, context: RenderContext): Rendered<JsonObject>
  /** Like `visitRequestText`, over an answer: text, reasoning without signature, refusal, tool arguments (leaves). */
  visitResultText(document: JsonObject, visit: TextVisitor): boolean

  /** Writes a client's stream from parts that came from ANOTHER format. */
  createStreamEncoder(context: RenderContext): StreamEncoder
  /**
   * Rewrites text inside events of this format (client side), with hold-back across events. Absent where a text comes again
   * at its end: then the parts are rewritten before they are written as events. @see part-rewriter.ts
   */
  createStreamTextPatcher?(rewriter: StreamTextRewriter): StreamTextPatcher

  /** The body of a refusal or failure, in the vendor's shape. */
  renderError(error: GatewayError, requestId: string): JsonObject
  /**
   * The event that ends a stream that has failed after its first content.
   * @param sequence how many events the encoder has written, for a format that numbers them
   */
  renderStreamError(error: GatewayError, requestId: string, sequence: number): SseEvent[]
}

/** A format with both ends. */
export interface Format extends ClientFormat {
  readonly name: ProviderFormatName

  /**
   * The request as this format says it, for the provider. Never mutates the source document, and returns it itself
   * where nothing has to change, so that the caller can send the bytes that came.
   */
  renderRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject>

  /** Whether anything of the part is left when `renderRequest` translates it from another format. */
  carries(part: UserPart): boolean

  /** What the vendor takes as names of tools; others are sent as such, and come back as they were. @see tool-names.ts */
  readonly toolNames: ToolNameRules

  /**
   * Why a model cannot be offered the request's tools in this format, in words that follow its name; undefined: it can. Absent: every
   * one can.
   */
  refusesTools?(request: CompletionRequest, target: Pick<RenderTarget, 'model' | 'dialect'>): string | undefined

  /**
   * The id of another vendor's tool call as the model that a provider knows by `model` takes it; equal ones equally.
   * Absent: every id is taken, or `renderRequest` sees to it.
   */
  callIdFor?(id: string, model: string): string

  /** Reads a provider's whole answer. @throws {UpstreamFormatError} where it is not one. */
  parseResult(document: JsonObject): CompletionResult

  /** Reads a provider's stream: any number of parts for an event. */
  createStreamDecoder(): StreamDecoder
  /** Same format on both ends: events go through as they came, except what must be hidden. */
  createStreamRelay(context: RenderContext): StreamRelay
  createStreamTextPatcher(rewriter: StreamTextRewriter): StreamTextPatcher

  /** What a provider's error body says; undefined fields where it says nothing. Never throws. */
  parseError(document: JsonObject): ProviderError
}

export interface RequestRevision {
  /** Takes the place of what the document says of the answer's form; `text` removes it. Absent: stays as it is. */
  readonly responseFormat?: ResponseFormat
  /** Added at the end of the system instructions. */
  readonly instruction?: string
  /** Added at the end of the conversation. */
  readonly turns?: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
}

export interface RequestHints {
  /** Model and stream flag where the path carries them instead of the body (Gemini). */
  readonly model?: string
  readonly stream?: boolean
  /** The request is to be counted, not answered: fields that only an answer needs may be missing. */
  readonly countOnly?: boolean
}

export interface RenderTarget {
  /** The name that the provider knows the model by. */
  readonly model: string
  /** The provider's own name, by which clients choose it (`provider/model`). Absent: they cannot. */
  readonly provider?: string
  /** Sent as the output limit, where the gateway clamps it or the format requires one. Undefined: the request's own. */
  readonly maxOutputTokens: number | undefined
  /** The model's own output limit, used where the format requires a limit and the client gave none. */
  readonly defaultMaxOutputTokens: number | undefined
  readonly stream: boolean
  /**
   * How the provider wants an output limit that the client did not name itself (chat-completions only): OpenAI's newer
   * models refuse `max_tokens`, several compatible servers know nothing else. Absent: `max_tokens`.
   */
  readonly outputLimitField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /**
   * Whose API it is, where that matters (chat-completions only). Mistral's takes no field but its own; OpenAI's own also what a
   * Responses request says beside the neutral one. Absent: what OpenAI's takes is taken, or ignored.
   */
  readonly dialect?: 'mistral' | 'openai' | undefined
  /** False: the provider refuses to be asked for the usage of a stream (chat-completions only). Absent: it is asked. */
  readonly asksUsage?: boolean
  /** False: the provider refuses its own thinking of earlier turns (messages to messages only). Absent: it goes as it is. */
  readonly keepsThinking?: boolean
}

export interface RenderContext {
  /** The client's request that is being answered. */
  readonly request: CompletionRequest
  /** Name to show as the model where the provider's answer carries none. */
  readonly model: string
  /** Seconds since the epoch, for formats that require a time of creation. */
  readonly nowSeconds: number
  /** For ids that a format requires and the provider did not give; unique per request. */
  readonly requestId: string
  /**
   * The format of the provider that answers: signatures of thoughts are shown to its own clients only, since every other
   * vendor refuses them in the next turn. Absent: in a whole answer its source's, in a stream another than the client's.
   */
  readonly answeredIn?: ProviderFormatName
}

export interface Rendered<Document> {
  readonly document: Document
  readonly warnings: readonly TranslationWarning[]
  /** Of `ClientFormat.unmodelledFields` those that the document has all the same. Absent: none. */
  readonly carried?: readonly string[]
}

/** One server-sent event. `data` is the joined data lines without the prefix. */
export interface SseEvent {
  /** The `event:` field; undefined where there is none. */
  readonly event?: string
  readonly data: string
}

export interface StreamDecoder {
  push(event: SseEvent): StreamPart[]
  /**
   * The provider's byte stream has ended. Returns closing parts, or an `error` part where the format's own end mark is
   * missing (a cut stream).
   */
  end(): StreamPart[]
  /**
   * After how many milliseconds without another event the stream is over, whether or not its body ends: 0 where its end
   * mark has come (nothing is read after it), Infinity as long as its answer is not complete. Vendors end the body with
   * the answer; several servers leave it open.
   */
  readonly endsAfterMs: number
  /** Whether anything that has come is held, to be put in order. Absent: nobody knows. */
  readonly holdsBack?: boolean
}

/** Name of the unknown part that content after the finish is. */
export const LATE_CONTENT = 'content after the finish'

/** `endsAfterMs` where the answer is complete by the format's rules, and no end mark is to come. */
export const COMPLETE_ENDS_AFTER_MS = 1_000
/** The same where more usually comes (an end mark, usage), or the vendor's word for the end is not to be relied on. */
export const LIKELY_COMPLETE_ENDS_AFTER_MS = 3_000

export interface StreamEncoder {
  push(part: StreamPart): SseEvent[]
  /** Closing events (`[DONE]`, `message_stop`). Called once, after the last part. */
  end(): SseEvent[]
  /** What could not be carried so far. */
  readonly warnings: readonly TranslationWarning[]
  /** Characters of the answer that are kept for its end. Absent: none are. */
  readonly heldCharacters?: number
  /** Events written so far. Absent: the format does not number them. */
  readonly sequence?: number
}

export interface StreamRelay {
  /** The events to send for one that came: usually itself; none where it must be hidden; changed where a part must. */
  push(event: SseEvent): SseEvent[]
  /** The answer is complete: events of the end that the provider left out and clients wait for. Absent: none. */
  end?(): SseEvent[]
}

/** Rewrites pieces of text that arrive one after the other. A channel is one text that the client concatenates. */
export interface StreamTextRewriter {
  /** `json`: the pieces are JSON text (tool arguments), replacements must be escaped for a JSON string. */
  push(channel: string, kind: 'text' | 'json', delta: string): string
  /** The channel has ended: what was held back. */
  flush(channel: string): string
}

export interface StreamTextPatcher {
  push(event: SseEvent): SseEvent[]
  /** The stream has ended without the format's end events; what is held back, as events. */
  end(): SseEvent[]
}

/** A provider's error body, read. */
export interface ProviderError {
  readonly message: string | undefined
  readonly type: string | undefined
  readonly code: string | undefined
  readonly param: string | undefined
}

/** Bound of `Format.unmodelledFields`: enough to see what is lost, whatever the client sends. */
export const MAX_UNMODELLED_FIELDS = 64

/** No tokens at all, for answers that carry no usage. */
export const NO_USAGE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }
