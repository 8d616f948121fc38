/** Talks to pods and Services through the API server, so that no test needs a route into the cluster. */
import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import { eventually, fieldsOf, type Fields } from './kubectl.ts'

/** What the test applications answer (apps/app.mjs). */
export interface Answer {
  /** Undefined: the SDK threw. */
  readonly text: string | undefined
  readonly pieces: number
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Question {
  readonly sdk?: 'openai' | 'anthropic'
  readonly stream?: boolean
  readonly prompt: string
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly maxTokens?: number
}

export interface Reach {
  /** `pods/NAME:PORT` or `services/NAME:PORT`. @throws {Error} where it does not answer 2xx. */
  fetch(namespace: string, target: string, path: string, body?: object): Promise<string>
  ask(namespace: string, target: string, question: Question): Promise<Answer>
  vendor(name: string): Vendor
  /** Starts asking `url` without a pause; the function that is returned stops it when enough has come, and tells what. */
  load(url: string, clients: number, pieces: number): Promise<() => Promise<LoadResult>>
}

export interface Vendor {
  /** Accepted keys (any where empty), and the status to fail with (0: none). Forgets what came before. */
  set(state: { readonly keys?: readonly string[]; readonly failWith?: number }): Promise<void>
  /** What came since. */
  log(): Promise<readonly Fields[]>
}

export interface LoadResult {
  readonly asked: number
  readonly good: number
  readonly failures: Readonly<Record<string, number>>
}

/** Answers without which a load is none. */
const ENOUGH = 12

/** Where everything of the tests that stands for vendors is (manifests/vendors.yaml). */
export const VENDORS = 'vendors'

/** By the `kubectl proxy` of `run`, or by one of this test file. */
export async function reach(t: Test): Promise<Reach> {
  const base = `${process.env['E2E_PROXY'] ?? (await startProxy(t))}/api/v1/namespaces`
  const get: Reach['fetch'] = async (namespace, target, path, body) => {
    const response = await fetch(
      `${base}/${namespace}/${target}/proxy${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`${namespace}/${target}${path}: ${response.status} ${text.slice(0, 300)}`)
    return text
  }
  const figures = async (path: string): Promise<LoadResult> =>
    JSON.parse(await get(VENDORS, 'services/loader:8080', path))
  return {
    fetch: get,
    ask: async (namespace, target, question) => parseAnswer(await get(namespace, target, '/ask', question)),
    vendor: (name) => ({
      set: async (state) => void (await get(VENDORS, 'services/vendor:8080', `/set/${name}`, state)),
      log: async () => {
        const log: unknown = JSON.parse(await get(VENDORS, 'services/vendor:8080', `/log/${name}`))
        return Array.isArray(log) ? log.map(fieldsOf) : []
      },
    }),
    load: async (url, clients, pieces) => {
      const query = new URLSearchParams({ url, clients: String(clients), pieces: String(pieces) })
      await get(VENDORS, 'services/loader:8080', `/start?${query.toString()}`)
      return async () => {
        // However busy the machine is: too few answers would say nothing.
        await eventually(`${ENOUGH} answers under load`, async () => total(await figures('/')) >= ENOUGH, 120)
        return figures('/stop')
      }
    },
  }
}

function total({ good, failures }: LoadResult): number {
  return good + Object.values(failures).reduce((sum, count) => sum + count, 0)
}

/** Lines of JSON, the last of which tells the end. @throws {Error} where there is no end. */
function parseAnswer(text: string): Answer {
  const last = fieldsOf(JSON.parse(text.trim().split('\n').at(-1) ?? 'null'))
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(last.at('headers') ?? {})) headers[name.toLowerCase()] = String(value)
  if (last.at('done') !== true && last.at('error') === undefined) throw new Error(`cut short: ${text.slice(-300)}`)
  return {
    text: last.at('done') === true ? last.text('text') : undefined,
    pieces: Number(last.at('pieces') ?? 0),
    status: Number(last.at('error', 'status') ?? 200),
    code: last.text('error', 'code'),
    message: last.text('error', 'message'),
    headers,
  }
}

async function startProxy(t: Test): Promise<string> {
  const child = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill())
  let said = ''
  child.stdout.on('data', (piece) => (said += piece))
  const address = await eventually('kubectl proxy listens', async () => /127\.0\.0\.1:\d+/.exec(said)?.[0], 20)
  return `http://${address}`
}
