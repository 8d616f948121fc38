/** The standalone gateway, to be run in place of `src/main.ts`: it asks a silent provider for a sign of life within a test's time. */
import { HttpTransport } from '../../src/proxy/providers/transport.ts'
import { runStandalone } from '../../src/standalone.ts'

const SIGN_OF_LIFE = { patienceMs: 300, answerMs: 700 }

await runStandalone(process.argv.slice(3), process.env, new HttpTransport({ signOfLife: SIGN_OF_LIFE }))
