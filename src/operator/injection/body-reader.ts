/** Reads bodies of requests, each bounded, and all that are being read together. */
import type { IncomingMessage } from 'node:http'

/** As the API server bounds what it takes itself. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024
/** Some twenty of the largest, thousands of common ones: whoever can reach the port can send. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024

export type Body =
  | { readonly type: 'body'; readonly text: string }
  | { readonly type: 'too-large' }
  /** Too much is being read already. */
  | { readonly type: 'busy' }

export class BodyReader {
  readonly #maxBufferedBytes: number
  #buffered = 0

  constructor(maxBufferedBytes = MAX_BUFFERED_BYTES) {
    this.#maxBufferedBytes = maxBufferedBytes
  }

  /** @throws where the connection breaks. */
  async read(request: IncomingMessage): Promise<Body> {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return { type: 'too-large' }
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of request) {
        const bytes = Buffer.from(chunk)
        size += bytes.length
        this.#buffered += bytes.length
        if (size > MAX_BODY_BYTES) return { type: 'too-large' }
        if (this.#buffered > this.#maxBufferedBytes) return { type: 'busy' }
        chunks.push(bytes)
      }
      return { type: 'body', text: Buffer.concat(chunks).toString('utf8') }
    } finally {
      this.#buffered -= size
    }
  }
}
