/**
 * Reads the chunks of a stream that differ in nothing but their text, without parsing each.
 *
 * A provider writes the same envelope around every piece of text: id, model, time, choice. Once a chunk has been parsed, what
 * stands before and after its text is kept. A later event with the same beginning and end, and between them text without
 * quotes, backslashes or control characters, would parse to the same chunk with that text: this is checked when the
 * envelope is learned, by parsing it around another text.
 *
 * Limits: one choice; text in `delta.content` only; where each envelope differs (a time, random padding) nothing is gained,
 * and learning is given up unless it has paid before.
 */
import { asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { jsonValue } from '../../json-value.ts'
import type { SseEvent } from '../format.ts'

/** What must be escaped in a JSON string. */
// oxlint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f]/

/** Chunks that an envelope must have served before another one is learned: learning costs as much as a few parses. */
const WORTH_LEARNING = 8

/** Stands for a text while an envelope is checked. */
const PROBE = 'any text'

interface Envelope {
  readonly name: string | undefined
  readonly before: string
  readonly after: string
  readonly choice: number
}

export class RepeatedChunk {
  #envelope: Envelope | undefined
  /** Chunks that the envelope has served. */
  #served = WORTH_LEARNING

  /** The text of an event that repeats what was learned; undefined for every other, which is to be parsed. */
  textOf({ event, data }: SseEvent): string | undefined {
    const envelope = this.#envelope
    if (envelope === undefined || envelope.name !== event) return undefined
    const { before, after } = envelope
    const end = data.length - after.length
    if (end <= before.length) return undefined
    // Slices compare ten times as fast as `startsWith` and `endsWith` do.
    if (data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined
    const text = data.slice(before.length, end)
    if (ESCAPED.test(text)) return undefined
    this.#served += 1
    return text
  }

  /** Which choice the text is of. */
  get choice(): number {
    return this.#envelope?.choice ?? 0
  }

  /**
   * Looks at an event that repeats nothing and whose only part is a piece of text.
   * @param chunk what the event was parsed to; its text is not to be used afterwards
   * @returns whether it was learned
   */
  learn(event: SseEvent, chunk: JsonObject, choice: number): boolean {
    if (this.#served < WORTH_LEARNING) return false
    const envelope = envelopeOf(event, chunk, choice)
    if (envelope === undefined) return false
    this.#envelope = envelope
    this.#served = 0
    return true
  }

  /** The data of the event with another text, written as `JSON.stringify` writes it. */
  withText(text: string): string {
    const { before = '""', after = '' } = this.#envelope ?? {}
    return JSON.stringify(jsonValue(before + JSON.stringify(text).slice(1, -1) + after))
  }
}

function envelopeOf({ event: name, data }: SseEvent, chunk: JsonObject, choice: number): Envelope | undefined {
  const delta = deltaOf(chunk)
  if (delta === undefined || typeof delta.content !== 'string') return undefined
  const written = JSON.stringify(delta.content)
  const start = data.indexOf(written, data.indexOf('"content"') + '"content"'.length)
  if (start === -1) return undefined
  const before = data.slice(0, start + 1)
  const after = data.slice(start + written.length - 1)
  delta.content = PROBE
  return saysTheSame(before + PROBE + after, chunk) ? { name, before, after, choice } : undefined
}

function deltaOf({ choices }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices
  return isJsonObject(choice) ? asObject(choice.delta) : undefined
}

function saysTheSame(data: string, chunk: JsonObject): boolean {
  try {
    return JSON.stringify(jsonValue(data)) === JSON.stringify(chunk)
  } catch {
    return false
  }
}
