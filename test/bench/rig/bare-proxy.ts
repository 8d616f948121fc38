/**
 * The least that a proxy on this platform does: `node:http` in, undici out, and nothing between them. What it adds is the
 * floor under every gateway that is written for Node; what a gateway adds beyond it is its own.
 *
 *     node bare-proxy.ts http://127.0.0.1:PORT      prints its port; lives until SIGTERM
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'

const CONNECTIONS = 512
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

const upstream = new Pool(process.argv[2] ?? '', { connections: CONNECTIONS })
const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => forward(request, Buffer.concat(chunks), response))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object')
    process.stdout.write(`${JSON.stringify({ port: address.port })}\n`)
})
process.on('SIGTERM', () => process.exit(0))

function forward({ url = '/', headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const { authorization = '', 'content-type': contentType = 'application/json' } = headers
  upstream.dispatch(
    { path: url, method: 'POST', headers: { authorization, 'content-type': contentType }, body },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, status, fields) => {
        for (const [name, value] of Object.entries(fields)) {
          if (value !== undefined && !HOP_BY_HOP.has(name)) response.setHeader(name, value)
        }
        response.writeHead(status)
      },
      onResponseData: (_controller, chunk) => void response.write(chunk),
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}
