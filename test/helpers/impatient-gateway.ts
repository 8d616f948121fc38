/**
 * The standalone gateway, to be run in place of `src/main.ts`: it asks a silent provider for a sign of life within a
 * test's time, and a closing that its request has met may arrive as late as a busy machine makes it.
 */
import { HttpTransport } from '../../src/proxy/providers/transport.ts'
import { runStandalone } from '../../src/standalone.ts'

const transport = new HttpTransport({ firstByteMs: 300, patienceMs: 300, signOfLifeMs: 2_000, crossingMs: 60_000 })
await runStandalone(process.argv.slice(3), process.env, { transport, sendTimeoutMs: 1_000 })
