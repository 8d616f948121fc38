/** One client call as the pipeline sees it: no HTTP framework, no socket. */
import type { ClientAdapter } from '../adapters/adapter.ts'
import type { Milliseconds } from '../../domain/snapshot/snapshot.ts'
import type { RequestHints } from '../../domain/formats/format.ts'
import type { Cancellation } from './ports.ts'

export interface Incoming {
  readonly adapter: ClientAdapter
  /** UUIDv7, on every answer as `x-request-id`. */
  readonly requestId: string
  /** As `Services.now` has it. */
  readonly receivedAtMs: Milliseconds
  /** The same moment as `Services.wallNow` has it. */
  readonly dateMs: Milliseconds
  /** Names and values in turn, as they came (`IncomingMessage.rawHeaders`): duplicates are visible. */
  readonly rawHeaders: readonly string[]
  /** The query string without `?`. */
  readonly query: string
  /** What the path says of the request, for formats that put the model there. */
  readonly hints: RequestHints
  /** Reads the body, at most once. @throws {GatewayError} request_too_large, request_timeout, unsupported_media_type. */
  readBody(): Promise<Uint8Array>
  /** Fires when the client has gone before its answer ended. */
  readonly signal: Cancellation
  /** Lets go of the client as if it had gone. For one that takes nothing of an answer that others wait for. */
  letGo(): void
}

export type ResponseHeaders = Record<string, string>

/** The answer: whole, or a stream that is pulled as fast as the client reads. */
export type Outgoing =
  | {
      readonly type: 'whole'
      readonly status: number
      readonly headers: ResponseHeaders
      readonly body: string | Uint8Array
      /** To be called when the client has taken the answer or has gone; large ones only. */
      readonly release?: () => void
    }
  | {
      readonly type: 'stream'
      readonly status: number
      readonly headers: ResponseHeaders
      readonly chunks: AsyncIterable<string>
    }
