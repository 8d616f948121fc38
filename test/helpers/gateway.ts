/** The gateway as users run it: a process of its own, from manifests, on free ports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** The key that `virtualKey()` declares. */
export const KEY = 'test-key-0123456789abcdef0123456789abcdef'

export interface Gateway {
  /** `http://127.0.0.1:port` of the data plane, and of health and metrics. */
  readonly url: string
  readonly admin: string
  readonly process: ChildProcess
  readonly configDir: string
  /** Every line of stdout that is JSON, parsed, so far. */
  readonly lines: readonly LogLine[]
  /** Everything the process has printed. */
  output(): string
  /** Writes a manifest file into the watched folder. */
  write(name: string, text: string): void
  /** Resolves with the first line, past or future, that `match` takes. */
  line(match: (line: LogLine) => boolean): Promise<LogLine>
  /** A chat completion by `fetch`, past the cache unless a header says otherwise; `body` is merged over a minimal one. */
  chat(body?: object, headers?: Record<string, string>, path?: string): Promise<Response>
}

export type LogLine = Record<string, unknown>

export interface GatewayOptions {
  readonly manifests: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Of Node itself. */
  readonly nodeFlags?: readonly string[]
  /** What is run in place of `src/main.ts`, with the same arguments. */
  readonly main?: string
}

/** Starts a gateway that lives as long as the test. */
export async function startGateway(t: Test, options: GatewayOptions): Promise<Gateway> {
  const configDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  const write = (name: string, text: string) => writeFileSync(join(configDir, name), text)
  for (const [name, text] of Object.entries(options.manifests)) write(name, text)
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeFlags ?? []),
      options.main ?? MAIN,
      'standalone',
      '--config',
      configDir,
      '--listen',
      '127.0.0.1:0',
      '--admin',
      '127.0.0.1:0',
      ...(options.args ?? []),
    ],
    { env: { PATH: process.env['PATH'], ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(configDir, { recursive: true, force: true })
  })
  const printed = collect(child)
  const listening = await printed.line((line) => line['msg'] === 'listening')
  const url = String(listening['data'])
  return {
    url,
    admin: String(listening['admin']),
    process: child,
    configDir,
    lines: printed.lines,
    output: printed.output,
    write,
    line: printed.line,
    chat: (body = {}, headers = {}, path = '/v1/chat/completions') =>
      fetch(url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          // Equal calls of a test are meant to reach the provider; tests of the cache say otherwise.
          'cache-control': 'no-store',
          ...headers,
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }),
      }),
  }
}

/** What a process prints: its lines of JSON, and all of it. */
export function collect(child: ChildProcess) {
  const lines: LogLine[] = []
  const waiting = new Set<() => void>()
  let text = ''
  let ended = false
  child.stderr?.on('data', (chunk) => (text += String(chunk)))
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      text += `${line}\n`
      if (line.startsWith('{')) lines.push(JSON.parse(line) as LogLine)
      for (const wake of waiting) wake()
    })
  }
  child.once('close', () => {
    ended = true
    for (const wake of waiting) wake()
  })
  return {
    lines,
    output: () => text,
    async line(match: (line: LogLine) => boolean): Promise<LogLine> {
      for (;;) {
        const found = lines.find(match)
        if (found !== undefined) return found
        if (ended) throw new Error(`the gateway ended before the line came; it printed:\n${text}`)
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
  }
}

export interface ProviderOptions {
  readonly name: string
  readonly url: string
  readonly type?: string
  readonly priority?: number
  readonly countries?: string
  /** YAML flow lines under `models:`. */
  readonly models?: readonly string[]
  /** Further YAML lines of the spec, two spaces indented. */
  readonly spec?: string
}

/** A Provider manifest for a local server, without credentials. */
export function provider(options: ProviderOptions): string {
  const { name, url, type = 'OpenAICompatible', priority = 100, countries = 'it', spec = '' } = options
  const models = options.models ?? ['{ name: m, quality: 0.5, pricing: { input: "1", output: "2" } }']
  const base = type === 'OpenAICompatible' || type === 'OpenAI' ? `${url}/v1` : url
  return `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: ${name} }
spec:
  type: ${type}
  priority: ${priority}
  countries: [${countries}]
  endpoint: { baseURL: "${base}", allowInsecureHTTP: true }
  credentials: { type: None }
${spec}
  models:
${models.map((model) => `  - ${model}`).join('\n')}
`
}

export interface KeyOptions {
  readonly name?: string
  readonly key?: string
  readonly namespace?: string
  /** Further YAML lines of the spec, two spaces indented. */
  readonly spec?: string
}

/** A VirtualKey with a supplied text, and the Secret that holds it. */
export function virtualKey({ name = 'test', key = KEY, namespace = 'default', spec = '' }: KeyOptions = {}): string {
  return `apiVersion: v1
kind: Secret
metadata: { name: key-${name}, namespace: ${namespace} }
stringData: { key: "${key}" }
---
apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  key: { source: SecretRef, secretRef: { name: key-${name} } }
${spec}
`
}

/** Joins documents. */
export function yaml(...documents: string[]): string {
  return documents.join('---\n')
}
