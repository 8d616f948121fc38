/** A forward proxy that tunnels to where it is told, and notes where that was. */
import type { Test } from 'tap'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** @param onConnect what it does instead of tunnelling */
export async function startProxy(t: Test, onConnect?: (socket: Socket) => void) {
  const targets: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '')
    if (onConnect !== undefined) return onConnect(socket)
    const { hostname, port } = new URL(`http://${request.url}`)
    const upstream = connect(Number(port), hostname, () => {
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
  return { proxyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets }
}
