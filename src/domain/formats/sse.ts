/**
 * Server-sent events, both ways.
 *
 * The decoder reads bytes in whatever pieces the network cuts them. It looks at each character once: a line that is
 * still open is kept as a list of pieces and joined when its end comes, so that a long line in many small pieces costs
 * linear time. `id` and `retry` are read past: no provider uses them and a proxy cannot resume a completion.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
import { UpstreamFormatError } from '../errors.ts'
import { checkEventBounds } from './event-bounds.ts'
import type { SseEvent } from './format.ts'

/** Longest event in characters. An image as base64 inside one event fits; a provider gone mad does not fill the memory. */
export const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024

/** What a line of data costs beyond its text, in characters: the strings that join it to those before it. */
const LINE_CHARACTERS = 64

/** Read past: a comment, and what the standard has beside data and names. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(['', 'id', 'retry'])
const MORE_TO_COME = { stream: true }
const LINE_FEED = 10
const SPACE = 32

/** Reads an event stream. One decoder per response. */
export class SseDecoder {
  // Invalid bytes become U+FFFD and a leading byte order mark is dropped, as the standard says.
  readonly #text = new TextDecoder()
  readonly #maxCharacters: number
  #openLine: string[] = []
  #event: string | undefined
  /** Of the open event; undefined where no data line has come yet. */
  #data: string | undefined
  /** Characters held in `#openLine` and `#data`. */
  #held = 0
  #skipLineFeed = false
  #isForeign = false

  constructor(maxCharacters: number = MAX_EVENT_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  /** Of the event that has not ended. */
  get heldCharacters(): number {
    return this.#held
  }

  /** Whether a line has come that an event stream has no field for: a page, say, or words of a proxy. */
  get isForeign(): boolean {
    return this.#isForeign
  }

  /** The events that `bytes` completes. @throws {UpstreamFormatError} where an event is longer or holds more than the bounds. */
  push(bytes: Uint8Array): SseEvent[] {
    const text = this.#text.decode(bytes, MORE_TO_COME)
    const event = this.#wholeEvent(text)
    if (event === undefined) return this.#read(text)
    checkEventBounds(event.data)
    return [event]
  }

  /**
   * The stream has ended: the last event, where data without its closing blank line is left. (The standard would drop
   * it; several providers end on a `data:` line.)
   */
  end(): SseEvent[] {
    const events = this.#read(this.#text.decode())
    if (this.#openLine.length > 0) this.#endLine('', events)
    this.#dispatch(events)
    return events
  }

  /** The event where `text` is just one, of one data line, as most pieces of a stream are: the short way for it. */
  #wholeEvent(text: string): SseEvent | undefined {
    const isBetween = this.#event === undefined && this.#held === 0 && this.#data === undefined && !this.#skipLineFeed
    const end = text.length - 2
    if (!isBetween || this.#openLine.length > 0 || text.length > this.#maxCharacters) return undefined
    if (text.slice(0, 5) !== 'data:' || text.indexOf('\n') !== end || text.includes('\r')) return undefined
    return text.charCodeAt(end + 1) === LINE_FEED ? { data: text.slice(valueStart(text, 4), end) } : undefined
  }

  #read(text: string): SseEvent[] {
    const events: SseEvent[] = []
    let start = 0
    if (this.#skipLineFeed && text.length > 0) {
      this.#skipLineFeed = false
      if (text.charCodeAt(0) === LINE_FEED) start = 1
    }
    let carriageReturn = text.indexOf('\r', start)
    while (start < text.length) {
      const lineFeed = text.indexOf('\n', start)
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf('\r', start)
      const end = firstOf(lineFeed, carriageReturn)
      if (end === -1) {
        this.#hold(text.slice(start))
        break
      }
      this.#endLine(text.slice(start, end), events)
      start = end + 1
      if (end === carriageReturn) {
        if (start === text.length) this.#skipLineFeed = true
        else if (text.charCodeAt(start) === LINE_FEED) start += 1
      }
    }
    return events
  }

  #hold(piece: string): void {
    this.#openLine.push(piece)
    this.#count(piece.length)
  }

  #count(characters: number): void {
    this.#held += characters
    if (this.#held > this.#maxCharacters) {
      throw new UpstreamFormatError(`The provider sent an event of more than ${this.#maxCharacters} characters.`)
    }
  }

  #endLine(rest: string, events: SseEvent[]): void {
    let line = rest
    if (this.#openLine.length > 0) {
      line = this.#openLine.join('') + rest
      this.#held -= line.length - rest.length
      this.#openLine = []
    }
    if (line === '') this.#dispatch(events)
    else this.#field(line)
  }

  #field(line: string): void {
    // Nearly every line is one.
    if (line.slice(0, 5) === 'data:') return this.#addData(line.slice(valueStart(line, 4)))
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(valueStart(line, colon))
    if (name === 'data') this.#addData(value)
    else if (name === 'event') this.#event = value
    else if (!OTHER_FIELDS.has(name)) this.#isForeign = true
  }

  #addData(value: string): void {
    const isFirst = this.#data === undefined
    this.#data = isFirst ? value : `${this.#data}\n${value}`
    this.#count(isFirst ? value.length : value.length + LINE_CHARACTERS)
  }

  #dispatch(events: SseEvent[]): void {
    const data = this.#data
    if (data !== undefined) {
      checkEventBounds(data)
      events.push(this.#event ? { event: this.#event, data } : { data })
    }
    this.#data = undefined
    this.#event = undefined
    this.#held = 0
  }
}

/** One event as it goes on the wire, its closing blank line included. */
export function encodeSse(event: SseEvent): string {
  const name = event.event === undefined ? '' : `event: ${event.event}\n`
  return `${name}data: ${hasLineBreak(event.data) ? event.data.split(LINE_BREAK).join('\ndata: ') : event.data}\n\n`
}

const LINE_BREAK = /\r\n|\r|\n/

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r')
}

/** Where a field's value begins: one space after the colon is not part of it. */
function valueStart(line: string, colon: number): number {
  return line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1
}

/** The smaller of two indices, where -1 means that there is none. */
function firstOf(one: number, other: number): number {
  if (one === -1) return other
  return other === -1 || one < other ? one : other
}
