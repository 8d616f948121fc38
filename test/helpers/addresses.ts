/** What this machine's network has. */
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

export function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'))
}

/** A port of 127.0.0.1 that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
