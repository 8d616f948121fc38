/**
 * Providers are asked for plain bytes (`accept-encoding: identity`): models' answers are small, and a compressed stream
 * comes in blocks instead of tokens. A server that compresses all the same is understood, as a stream, so that its
 * answer costs no more memory than a plain one.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { BrotliDecompress, Gunzip, Inflate, ZstdDecompress } from 'node:zlib'
import { AttemptError } from '../pipeline/ports.ts'

/** Eight MiB, the most that HTTP has (RFC 9659): a frame may ask for 128. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

/** Whether a `content-encoding` asks for decoding. */
export function isEncoded(encoding: string | string[] | undefined): boolean {
  return !['', 'identity'].includes(nameOf(encoding))
}

/** In small letters; several lines are a name that nobody knows. */
function nameOf(encoding: string | string[] = ''): string {
  return String(encoding).trim().toLowerCase()
}

/** A body that is read by one reader, and that ends its exchange when that reader leaves. */
export type Body = AsyncIterable<Uint8Array> & Required<Pick<AsyncIterator<Uint8Array, undefined>, 'return'>>

/** The body as plain bytes. Throws AttemptError `protocol` on reading where the encoding is unknown or broken. */
export function decodeContent(body: Body, encoding: string | string[] | undefined): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const decoded = decode(body, encoding)
      return {
        next: () => decoded.next(),
        // A generator that has not begun, or waits, would not see its reader leave.
        async return() {
          await body.return()
          return decoded.return(undefined)
        },
      }
    },
  }
}

async function* decode(body: Body, encoding: string | string[] | undefined): AsyncGenerator<Uint8Array, undefined> {
  try {
    const decoder = newDecoder(encoding)
    // The pipeline's own failure is the decoder's, which the loop below throws.
    pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), decoder).catch(() => undefined)
    yield* decoder
  } catch (error) {
    if (error instanceof AttemptError) throw error
    throw new AttemptError('protocol', 'the answer is not encoded as its content-encoding says', { cause: error })
  } finally {
    await body.return()
  }
  return undefined
}

function newDecoder(encoding: string | string[] | undefined): Gunzip | Inflate | BrotliDecompress | ZstdDecompress {
  switch (nameOf(encoding)) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress(ZSTD)
    default:
      throw new AttemptError('protocol', 'the answer has an unknown content-encoding')
  }
}
