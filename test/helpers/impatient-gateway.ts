/** The standalone gateway, to be run in place of `src/main.ts`: it asks a silent provider for a sign of life within a test's time. */
import { HttpTransport } from '../../src/proxy/providers/transport.ts'
import { runStandalone } from '../../src/standalone.ts'

await runStandalone(process.argv.slice(3), process.env, new HttpTransport({ firstByteMs: 300, signOfLifeMs: 700 }))
