/** Reading a client's body: bounded in bytes, kind and time. */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../domain/errors.ts'

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i

/**
 * The whole body. A body that is announced or turns out larger than `maxBytes` is refused without being kept.
 * @throws {GatewayError} 413 `request_too_large`, 415 `unsupported_media_type`, 499 where the client breaks off.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const refusal = refusalOf(request, maxBytes)
  return refusal === undefined ? collect(request, maxBytes) : Promise.reject(refusal)
}

/** By events: iterating a stream costs more than all else that is done with a body of ordinary size. */
function collect(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const brokenOff = (cause?: unknown) =>
      reject(new GatewayError('client_closed_request', 'The client broke off its body.', { cause }))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      reject(tooLarge(maxBytes))
      // A client that is still writing reads the refusal only when it is through; one that does not end is cut off.
      if (length > 2 * maxBytes) request.destroy()
    })
    request.on('end', () => {
      // An error is dear to make: not for a request that has come as a whole.
      request.off('close', brokenOff)
      const [only] = chunks
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length))
    })
    request.on('error', brokenOff)
    request.on('close', brokenOff)
    if (request.destroyed) brokenOff()
  })
}

/** Whether the body is said to be JSON. */
export function hasJsonType({ headers }: IncomingMessage): boolean {
  const type = headers['content-type']
  return type !== undefined && JSON_TYPE.test(type)
}

/** What the head says against the body. */
function refusalOf(request: IncomingMessage, maxBytes: number): GatewayError | undefined {
  if (!hasJsonType(request)) {
    return new GatewayError('unsupported_media_type', 'The content type must be application/json.', {
      param: 'content-type',
    })
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new GatewayError('unsupported_media_type', 'Compressed bodies are not accepted.', {
      param: 'content-encoding',
    })
  }
  return Number(request.headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}
