/** A forward proxy that tunnels to where it is told, and notes what it was asked. */
import type { Test } from 'tap'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface ProxyOptions {
  /** What it does instead of tunnelling. */
  readonly onConnect?: (socket: Socket) => void
  /** Where on this machine it leads to whatever it is asked for: names need not exist. */
  readonly port?: number
  /** Speaks TLS itself. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string }
}

export async function startProxy(t: Test, { onConnect, port: fixed, tls }: ProxyOptions = {}) {
  const targets: string[] = []
  const logins: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server: Server =
    tls === undefined ? createServer() : createTlsServer({ cert: tls.certificate, key: tls.privateKey })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '')
    logins.push(request.headers['proxy-authorization'])
    if (onConnect !== undefined) return onConnect(socket)
    const { hostname, port } = new URL(`http://${request.url}`)
    const [toPort, toHost] = fixed === undefined ? [Number(port), hostname] : [fixed, '127.0.0.1']
    const upstream = connect(toPort, toHost, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { proxyUrl: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, targets, logins }
}
