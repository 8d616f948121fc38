/**
 * Providers are asked for plain bytes (`accept-encoding: identity`): models' answers are small, and a compressed stream
 * comes in blocks instead of tokens. A server that compresses all the same is understood, as a stream, so that its
 * answer costs no more memory than a plain one.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { BrotliDecompress, Gunzip, Inflate } from 'node:zlib'
import { AttemptError } from '../pipeline/ports.ts'

/** Whether a `content-encoding` asks for decoding. */
export function isEncoded(encoding: string | string[] | undefined): boolean {
  return encoding !== undefined && encoding !== '' && encoding !== 'identity'
}

/** The body as plain bytes. Throws AttemptError `protocol` on reading where the encoding is unknown or broken. */
export async function* decodeContent(
  body: AsyncIterable<Uint8Array>,
  encoding: string | string[] | undefined,
): AsyncGenerator<Uint8Array> {
  const decoder = newDecoder(encoding)
  const source = Readable.from(body, { objectMode: true, highWaterMark: 1 })
  // The pipeline's own failure is the decoder's, which the loop below throws.
  const piped = pipeline(source, decoder).catch(() => undefined)
  try {
    yield* decoder
  } catch (error) {
    if (error instanceof AttemptError) throw error
    throw new AttemptError('protocol', 'the answer is not encoded as its content-encoding says', { cause: error })
  } finally {
    source.destroy()
    await piped
  }
}

function newDecoder(encoding: string | string[] | undefined): Gunzip | Inflate | BrotliDecompress {
  switch (typeof encoding === 'string' ? encoding.trim().toLowerCase() : '') {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new AttemptError('protocol', 'the answer has an unknown content-encoding')
  }
}
