/**
 * The beginning of a stream, for whoever comes to follow it: its events as text in one buffer outside V8's heap, read
 * again where somebody comes. Hardly ever somebody does, and as items each event would be eight objects that the
 * collector copies twice: with a hundred streams that was most of what it had to do, and every stream waits for it.
 *
 * An event is two lines, its name (mostly empty) and its data: cheaper to write than the event as it was on the wire.
 */
import type { Format, SseEvent } from '../../../domain/formats/format.ts'
import type { StreamItem } from './item-stream.ts'

/** Some forty short events. */
const FIRST_BYTES = 8 * 1024
/** Of one code unit in UTF-8, at most. */
const BYTES_PER_UNIT = 3
const LINE_FEED = 10

export class StreamRecording {
  #bytes: Buffer | undefined
  #length = 0

  /** Whether the items could be recorded: events of one line can, and no parts that stand for themselves. */
  add(items: readonly StreamItem[]): boolean {
    for (const item of items) if (!canBeRecorded(item)) return false
    for (const { event } of items) if (event !== undefined) this.#record(event)
    return true
  }

  /** What was recorded, decoded anew: equal to what came. @param format of the recorded stream */
  items(format: Pick<Format, 'createStreamDecoder'>): StreamItem[] {
    const decoder = format.createStreamDecoder()
    const lines = this.#bytes?.toString('utf8', 0, this.#length).split('\n') ?? []
    const items: StreamItem[] = []
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const event = eventOf(lines[at] ?? '', lines[at + 1] ?? '')
      items.push({ event, parts: decoder.push(event) })
    }
    return items
  }

  #record({ event = '', data }: SseEvent): void {
    const bytes = this.#room(event, data)
    let at = this.#length
    if (event !== '') at += bytes.write(event, at)
    bytes[at++] = LINE_FEED
    at += bytes.write(data, at)
    bytes[at++] = LINE_FEED
    this.#length = at
  }

  /** The buffer with room for both lines. They are measured exactly only near its end. */
  #room(event: string, data: string): Buffer {
    const old = this.#bytes
    const capacity = old?.length ?? 0
    if (old !== undefined && this.#length + (event.length + data.length) * BYTES_PER_UNIT + 2 <= capacity) return old
    const needed = this.#length + Buffer.byteLength(event) + Buffer.byteLength(data) + 2
    if (old !== undefined && needed <= capacity) return old
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * capacity, needed))
    old?.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
    return grown
  }
}

function canBeRecorded({ event, parts }: StreamItem): boolean {
  return event === undefined ? parts.length === 0 : !event.data.includes('\n')
}

function eventOf(event: string, data: string): SseEvent {
  return event === '' ? { data } : { event, data }
}
