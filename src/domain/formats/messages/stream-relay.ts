/**
 * Messages in, messages out: events pass as they came. What servers that imitate the vendor leave out is filled in: the
 * `event:` field, without which the official SDKs read nothing, and the last event, without which they have no answer.
 */
import { asObject, asString } from '../../json.ts'
import { jsonValue } from '../../json-value.ts'
import type { SseEvent, StreamRelay } from '../format.ts'
import { eventOf } from './stream-event.ts'

/** The relay for one response. */
export function createStreamRelay(): StreamRelay {
  let stopped = false
  return {
    push: (event) => {
      if (stopped) return []
      const passed = event.event === undefined ? named(event) : event
      if (passed.event === 'message_stop') stopped = true
      return [passed]
    },
    end: () => (stopped ? [] : [eventOf('message_stop', {})]),
  }
}

function named(event: SseEvent): SseEvent {
  const type = typeOf(event.data)
  return type === undefined ? event : { event: type, data: event.data }
}

function typeOf(data: string): string | undefined {
  try {
    return asString(asObject(jsonValue(data))?.type)
  } catch {
    return undefined
  }
}
