/**
 * A provider's answer as a stream of events and what they mean.
 *
 * Reading is pulled: one chunk of bytes makes one batch, nothing is read ahead of the consumer. The decoder sees every
 * event even where the bytes could pass through, because usage, the finish and errors must be known in any case.
 */
import { partsOf } from '../../domain/completion/assemble.ts'
import type { StreamPart } from '../../domain/completion/stream-part.ts'
import type { Format, SseEvent } from '../../domain/formats/format.ts'
import { SseDecoder } from '../../domain/formats/sse.ts'
import { parseDocument } from './read-request.ts'
import { readWhole } from './read-whole.ts'
import type { ProviderReply } from './ports.ts'

/** An event with its parts; no event where parts stand for themselves (closing parts, an answer that was no stream). */
export interface StreamItem {
  readonly event?: SseEvent
  readonly parts: readonly StreamPart[]
}

/** The stream's items by the chunk. Ends when the provider's body ends. @throws {AttemptError} */
export async function* providerItems(reply: ProviderReply, format: Format): AsyncGenerator<StreamItem[]> {
  if (isJson(reply)) return yield* wholeAsItems(reply, format)
  const events = new SseDecoder()
  const codec = format.createStreamDecoder()
  for await (const chunk of reply.body) {
    const items = events.push(chunk).map((event) => ({ event, parts: codec.push(event) }))
    if (items.length > 0) yield items
  }
  const last = events.end().map((event) => ({ event, parts: codec.push(event) }))
  yield [...last, { parts: codec.end() }]
}

/** Whether something the client would see has come: from here on nothing can be tried elsewhere. */
export function isContent(part: StreamPart): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
    case 'tool-input-delta':
      return part.delta !== ''
    case 'tool-input-start':
    case 'finish':
      return true
    case 'reasoning-start':
      return part.redacted !== undefined
    default:
      return false
  }
}

function isJson(reply: ProviderReply): boolean {
  return String(reply.headers['content-type'] ?? '').startsWith('application/json')
}

/** Some servers ignore `stream` and answer whole: their answer becomes the stream it stands for. */
async function* wholeAsItems(reply: ProviderReply, format: Format): AsyncGenerator<StreamItem[]> {
  const result = format.parseResult(parseDocument(await readWhole(reply)))
  yield [{ parts: [...partsOf(result)] }]
}
