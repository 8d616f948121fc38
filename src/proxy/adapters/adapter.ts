/**
 * A client adapter: the HTTP surface that one vendor's official SDK expects. It says where the routes are, where the key
 * stands, which format is spoken and how lists and errors look; what happens to a request is the pipeline's.
 */
import type { FormatName } from '../../domain/completion/request.ts'
import type { GatewayError } from '../../domain/errors.ts'
import type { RequestHints } from '../../domain/formats/format.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { AdapterName } from '../../domain/snapshot/snapshot.ts'

export interface ClientAdapter {
  readonly name: AdapterName
  /** Metric label and log word. */
  readonly label: 'native' | 'openai' | 'anthropic' | 'gemini'
  readonly maturity: 'stable' | 'beta' | 'alpha'
  readonly format: FormatName
  readonly routes: readonly AdapterRoute[]
  /** What they are, for who asks for anything else. */
  readonly offers: string
  /** Headers that may carry the key beside `Authorization: Bearer`, lower case. */
  readonly keyHeaders: readonly string[]
  /** Query parameter that may carry the key. */
  readonly keyQuery?: string
  /** Client headers passed on to a provider of the same format, lower case. */
  readonly passHeaders: readonly string[]
  /** Header that the vendor's SDK reads the request id from, beside `x-request-id`. */
  readonly requestIdHeader?: string
  /** How to send a stream to a client whose query asks for another framing than server-sent events. */
  streamFraming?(query: URLSearchParams): StreamFraming | undefined
  /** `query`: what the client asks of the list, e.g. a page. @throws {InvalidRequestError} */
  renderModels(models: readonly ListedModel[], query: URLSearchParams): JsonObject
  renderModel(model: ListedModel): JsonObject
  /** The answer to `count-tokens`; absent where the vendor has no such call. */
  renderTokenCount?(inputTokens: number): JsonObject
  renderError(error: GatewayError, requestId: string): JsonObject
}

/** A framing of a streamed answer, made of its server-sent events. */
export interface StreamFraming {
  readonly contentType: string
  /** Must pass a `return` on to `events`, started or not: that is how an answer settles whose client has gone. */
  frame(events: AsyncIterable<string>): AsyncIterable<string>
}

export interface AdapterRoute {
  readonly method: 'GET' | 'POST'
  /** Path pattern of the router: `:name` for one segment, `*` for the rest. */
  readonly path: string
  readonly operation: 'chat' | 'embeddings' | 'count-tokens' | 'list-models' | 'get-model' | 'usage'
  /** Reads what the path says; undefined: the path is none of this route's. */
  hints?(parameters: Readonly<Record<string, string>>, query: URLSearchParams): RouteHints | undefined
}

export interface RouteHints extends RequestHints {
  /** The operation where one pattern serves several (`models/x:generateContent`). */
  readonly operation?: AdapterRoute['operation']
}

/** A model as the lists show it. */
export interface ListedModel {
  readonly id: string
  readonly ownedBy: string
  readonly displayName: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly contextWindow: number | undefined
  readonly maxOutputTokens: number | undefined
}
