/** Reading a client's body: bounded in bytes, kind and time. */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../domain/errors.ts'

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i

/**
 * The whole body. A body that is announced or turns out larger than `maxBytes` is refused without being kept.
 * @throws {GatewayError} 413 `request_too_large`, 415 `unsupported_media_type`, 499 where the client breaks off.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  requireJson(request)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('client_closed_request', 'The client broke off its body.', { cause })
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length)
}

function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type === undefined || !JSON_TYPE.test(type)) {
    throw new GatewayError('unsupported_media_type', 'The content type must be application/json.', {
      param: 'content-type',
    })
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'Compressed bodies are not accepted.', {
      param: 'content-encoding',
    })
  }
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}
