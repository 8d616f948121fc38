/**
 * Messages in, messages out: events pass as they came. Only a missing `event:` field is filled in from the data, which
 * some servers leave out and the official SDKs read nothing without.
 */
import { asObject, asString } from '../../json.ts'
import type { SseEvent, StreamRelay } from '../format.ts'

/** The relay for one response. */
export function createStreamRelay(): StreamRelay {
  return { push: (event) => [event.event === undefined ? named(event) : event] }
}

function named(event: SseEvent): SseEvent {
  const type = typeOf(event.data)
  return type === undefined ? event : { event: type, data: event.data }
}

function typeOf(data: string): string | undefined {
  try {
    return asString(asObject(JSON.parse(data))?.type)
  } catch {
    return undefined
  }
}
