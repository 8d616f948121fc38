/**
 * A streamed answer as one JSON array that grows, an element an event: what Google's API sends a client that did not ask
 * for server-sent events. Errors are elements too, and the array is closed whatever happens to the stream.
 */
import { SseDecoder } from '../../domain/formats/sse.ts'
import type { StreamFraming } from './adapter.ts'

/** Takes event streams only whose events are JSON. */
export const jsonArrayFraming: StreamFraming = {
  contentType: 'application/json; charset=utf-8',
  frame: (chunks) => ({ [Symbol.asyncIterator]: () => new ArrayFrames(chunks[Symbol.asyncIterator]()) }),
}

/** Not a generator: one that was never started would not pass a `return` on, and the answer would never settle. */
class ArrayFrames implements AsyncIterator<string> {
  readonly #chunks: AsyncIterator<string>
  readonly #events = new SseDecoder()
  readonly #bytes = new TextEncoder()
  #isFirst = true
  #ended = false

  constructor(chunks: AsyncIterator<string>) {
    this.#chunks = chunks
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    while (!this.#ended) {
      const { value, done } = await this.#chunks.next()
      if (done === true) {
        this.#ended = true
        return { value: this.#isFirst ? '[]' : '\n]', done: false }
      }
      const text = this.#elements(value)
      if (text !== '') return { value: text, done: false }
    }
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true
    await this.#chunks.return?.()
    return { value: undefined, done: true }
  }

  #elements(chunk: string): string {
    let text = ''
    for (const { data } of this.#events.push(this.#bytes.encode(chunk))) {
      text += (this.#isFirst ? '[' : ',\n') + data
      this.#isFirst = false
    }
    return text
  }
}
