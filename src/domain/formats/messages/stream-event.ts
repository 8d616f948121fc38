/** One event of a messages stream: its name stands in the `event:` field, which the SDKs go by, and in the data. */
import type { JsonObject } from '../../json.ts'
import type { SseEvent } from '../format.ts'

export function eventOf(type: string, fields: JsonObject): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) }
}
