import { parseArgs } from 'node:util'
import { startDemoProvider } from './server.ts'
import type { DemoProvider } from './server.ts'

export const DEMO_PROVIDER_USAGE = `tollgate demo-provider [--port 4150] [--host 127.0.0.1] [--name demo-a] [--fail-every N]

A local server that speaks the vendors' chat formats and answers from the request. A demo: no model behind it.
  --port N         0 takes any free port
  --fail-every N   every N-th call answers 500, to show a failover`

/**
 * Starts what `tollgate demo-provider` asks for and writes one JSON line with the address to `write`.
 * @throws {Error} with a message for the user, where an argument is wrong or the port is taken.
 */
export async function runDemoProvider(args: readonly string[], write: (line: string) => void): Promise<DemoProvider> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4150' },
      host: { type: 'string', default: '127.0.0.1' },
      name: { type: 'string', default: 'demo' },
      'fail-every': { type: 'string' },
    },
  })
  const failEvery = values['fail-every']
  const provider = await startDemoProvider({
    port: wholeNumber(values.port, 'port', 0, 65_535),
    host: values.host,
    name: values.name.slice(0, 64),
    ...(failEvery === undefined ? {} : { failEvery: wholeNumber(failEvery, 'fail-every', 1, 1_000_000) }),
  })
  write(
    JSON.stringify({
      level: 'info',
      msg: 'demo-provider listening: a demo without a model',
      name: values.name,
      url: provider.url,
    }),
  )
  return provider
}

function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new Error(`--${flag} must be a whole number from ${least} to ${most}, not '${text}'`)
}
