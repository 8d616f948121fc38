/**
 * The standalone gateway, to be run in place of `src/main.ts`: it asks a silent provider for a sign of life within a
 * test's time, and a closing that its request has met may arrive as late as a busy machine makes it.
 * MAX_CONNECTIONS: requests at a time to a provider.
 */
import { HttpTransport } from '../../src/proxy/providers/transport.ts'
import { runStandalone } from '../../src/standalone.ts'

const { MAX_CONNECTIONS } = process.env
const transport = new HttpTransport({
  firstByteMs: 300,
  patienceMs: 300,
  signOfLifeMs: 2_000,
  crossingMs: 60_000,
  ...(MAX_CONNECTIONS === undefined ? {} : { maxConnections: Number(MAX_CONNECTIONS) }),
})
await runStandalone(process.argv.slice(3), process.env, { transport, sendTimeoutMs: 1_000 })
