/**
 * The neutral stream: what a decoder makes of a provider's events and an encoder turns into a client's.
 *
 * Grammar, per choice: blocks are opened and closed by start/end with an id that is unique in the stream; deltas name
 * their block; blocks of one choice do not overlap. `response-start` comes first and once, one `finish` per choice,
 * `usage` any number of times (the last one counts; later values replace earlier ones), `error` ends the stream.
 */
import type { JsonValue } from '../json.ts'
import type { Finish, Usage } from './result.ts'

export type StreamPart =
  // The response as a whole:
  | { readonly type: 'response-start'; readonly id: string; readonly model: string; readonly created?: number }
  // Of all that was said before it; the last one counts:
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly choice: number; readonly finish: Finish }

  // Text blocks:
  | { readonly type: 'text-start'; readonly choice: number; readonly id: string }
  | { readonly type: 'text-delta'; readonly choice: number; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly choice: number; readonly id: string }

  // Reasoning blocks; `redacted` stands for encrypted thinking, the signature comes at the end or not at all:
  | { readonly type: 'reasoning-start'; readonly choice: number; readonly id: string; readonly redacted?: string }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly id: string; readonly delta: string }
  | { readonly type: 'reasoning-end'; readonly choice: number; readonly id: string; readonly signature?: string }

  // Refusal text (OpenAI):
  | { readonly type: 'refusal-delta'; readonly choice: number; readonly delta: string }

  // Tool calls; deltas are pieces of the arguments' JSON text (none at all: the answer was cut off before the first), `id` is the block's,
  // `toolCallId` the vendor's:
  | {
      readonly type: 'tool-input-start'
      readonly choice: number
      readonly id: string
      readonly toolCallId: string
      readonly toolName: string
      readonly signature?: string
    }
  | { readonly type: 'tool-input-delta'; readonly choice: number; readonly id: string; readonly delta: string }
  | { readonly type: 'tool-input-end'; readonly choice: number; readonly id: string }

  // The provider reports an error inside the stream; nothing follows it:
  | { readonly type: 'error'; readonly message: string; readonly code?: string; readonly raw?: JsonValue }

  // Keep-alive, and what this model does not know (kept for same-format relays, dropped by other encoders); with a choice
  // it is a piece of that choice's content (media, citations, a vendor's own tool), without one it is said beside it:
  | { readonly type: 'ping' }
  | {
      readonly type: 'unknown'
      readonly choice?: number
      readonly name: string
      readonly raw: JsonValue
      /** What of it was generated, where that can be told: for the estimate of a stream whose usage never came. */
      readonly generated?: { readonly text: string; readonly audioBytes?: number }
    }
