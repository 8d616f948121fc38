/** What this machine's network has. */
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

export function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'))
}

/**
 * A port of 127.0.0.1 that nobody has now, and that nobody gets by chance until it is used: below those that Linux gives to
 * connections and to who listens at 0, and those that redis.ts takes. None of these is one that `fetch` refuses.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 7_000 + Math.floor(Math.random() * 3_000)
    if (await isFree(port)) return port
  }
}

/** Whether one can listen there now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
