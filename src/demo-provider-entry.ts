/** Process entry of `tollgate demo-provider`. Wiring only. */
import { parseFlags, parseWholeNumber, type FlagSpec } from './command-line.ts'
import { DEMO_MODELS } from './demo-provider/demo-request.ts'
import { startDemoProvider } from './demo-provider/server.ts'
import { refusedAs } from './refused-address.ts'
import { endOnSignals } from './signals.ts'
import { outliveOutput } from './standard-output.ts'

export const DEMO_PROVIDER_FLAGS = {
  port: { type: 'text', default: '4150', help: '0 takes any free port' },
  host: { type: 'text', default: '127.0.0.1', help: 'address to listen on' },
  name: { type: 'text', default: 'demo', help: 'how it calls itself in its answers' },
  'fail-every': { type: 'text', help: 'every n-th call answers 500, to show a failover' },
} as const satisfies Record<string, FlagSpec>

const MAX_NAME_CHARACTERS = 64

/**
 * Starts one demo provider and writes one JSON line with its address; it ends by signal. The environment is not read:
 * beside a Kubernetes Service named `tollgate` it holds a `TOLLGATE_PORT` that is no port.
 * @throws {UsageError}
 */
export async function runDemoProvider(args: readonly string[]): Promise<undefined> {
  const flags = parseFlags(args, DEMO_PROVIDER_FLAGS, {})
  const failEvery = flags['fail-every']
  const name = flags.name.slice(0, MAX_NAME_CHARACTERS)
  const { host } = flags
  const port = parseWholeNumber('port', flags.port, 0, 65_535)
  const failing = failEvery === undefined ? {} : { failEvery: parseWholeNumber('fail-every', failEvery, 1, 1_000_000) }
  const provider = await startDemoProvider({ port, host, name, ...failing }).catch((error: unknown) => {
    throw refusedAs(`--host ${host} --port ${port}`, error)
  })
  endOnSignals(() => provider.close())
  const where = { name, url: provider.url, models: DEMO_MODELS }
  const line = { level: 'info', msg: 'demo-provider listening: a demo without a model', ...where }
  outliveOutput()
  process.stdout.write(`${JSON.stringify(line)}\n`)
  return undefined
}
