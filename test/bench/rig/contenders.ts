/**
 * What is compared: the mock itself (direct), nginx as a plain reverse proxy, the least that a proxy on Node does (bare),
 * Portkey's gateway, and Tollgate with everything on.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCommand, freePort, portIn, start } from './processes.ts'
import type { Running } from './processes.ts'

export interface Contender {
  readonly name: ContenderName
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly process: Running
  /** From spawning it to its first good answer. */
  readonly startMs: number
}

export type ContenderName = 'direct' | 'nginx' | 'bare' | 'portkey' | 'tollgate'

export interface Surroundings {
  /** A directory of this run, removed at its end. */
  readonly directory: string
  readonly mockPort: number
  readonly redisUrl: string | undefined
  /** Whether Tollgate masks; the others cannot. */
  readonly masking: boolean
}

/** Every contender but `direct`, in the order of the tables. */
export const GATEWAYS: readonly ContenderName[] = ['nginx', 'bare', 'portkey', 'tollgate']

const ROOT = join(import.meta.dirname, '../../..')
const NODE = process.execPath
const BARE_MAIN = join(import.meta.dirname, 'bare-proxy.ts')
const PORTKEY_MAIN = join(import.meta.dirname, '../node_modules/@portkey-ai/gateway/build/start-server.js')
const TOLLGATE_MAIN = join(ROOT, 'src/main.ts')
/** What ships, made by `make bundle`; measured where it is there. */
const TOLLGATE_BUNDLE = join(ROOT, 'dist/tollgate.mjs')
/** As the image and the Makefile run it: three threads beside the program, a young heap that neither shrinks in a pause nor grows. */
export const TOLLGATE_FLAGS = [
  '--v8-pool-size=3',
  '--concurrent-maglev-max-threads=3',
  '--concurrent-marking-max-worker-num=1',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--minimum-invocations-after-ic-update=200',
  '--memory-reducer-delay-ms=300000',
]
export const TOLLGATE_ENVIRONMENT = {
  NODE_ENV: 'production',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '8192',
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tollgate'),
}
const CHAT_PATH = '/v1/chat/completions'
const VIRTUAL_KEY = 'bench-virtual-key-7f3a9c1e5b2d48600412'
const READY_TIMEOUT_MS = 15_000

/** Why it cannot run here; undefined where it can. */
export function missing(name: ContenderName): string | undefined {
  if (name === 'nginx' && findCommand('nginx') === undefined)
    return 'nginx is not installed (Debian: apt-get install nginx-light)'
  if (name === 'portkey' && !existsSync(PORTKEY_MAIN))
    return 'Portkey is not installed (npm ci --ignore-scripts --prefix test/bench)'
  if (name === 'tollgate' && !existsSync(TOLLGATE_MAIN)) return 'src/main.ts is not there'
  return undefined
}

/** @throws where it does not answer a first request with 200 in time. */
export async function startContender(name: ContenderName, surroundings: Surroundings): Promise<Contender> {
  const startedAt = performance.now()
  const launched = await LAUNCH[name](surroundings)
  try {
    await firstAnswer(launched)
  } catch (error) {
    await launched.process.stop()
    throw error
  }
  return { ...launched, name, startMs: performance.now() - startedAt }
}

type Launched = Omit<Contender, 'name' | 'startMs'>

const LAUNCH: Readonly<Record<ContenderName, (surroundings: Surroundings) => Promise<Launched>>> = {
  direct: () => Promise.reject(new Error('the mock runs already')),
  nginx: launchNginx,
  bare: launchBare,
  portkey: launchPortkey,
  tollgate: launchTollgate,
}

async function launchNginx({ directory, mockPort }: Surroundings): Promise<Launched> {
  const port = await freePort()
  const home = join(directory, `nginx-${port}`)
  mkdirSync(home, { recursive: true })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${home}/${kind};`,
  )
  const configuration = `
daemon off; master_process off; worker_processes 1; pid ${home}/pid; error_log stderr error;
events { worker_connections 2048; }
http {
  access_log off; ${temporary.join(' ')}
  keepalive_requests 100000000; tcp_nodelay on;
  upstream mock { server 127.0.0.1:${mockPort}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://mock; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`
  writeFileSync(join(home, 'nginx.conf'), configuration)
  const child = start('gateway', findCommand('nginx') ?? 'nginx', [
    '-p',
    home,
    '-c',
    join(home, 'nginx.conf'),
    '-e',
    'stderr',
  ])
  return { port, path: CHAT_PATH, headers: { Authorization: 'Bearer bench' }, process: child }
}

async function launchBare({ mockPort }: Surroundings): Promise<Launched> {
  const child = start('gateway', NODE, [BARE_MAIN, `http://127.0.0.1:${mockPort}`], { NODE_ENV: 'production' })
  const port = await child.line(portIn, READY_TIMEOUT_MS)
  return { port, path: CHAT_PATH, headers: { Authorization: 'Bearer bench' }, process: child }
}

async function launchPortkey({ mockPort }: Surroundings): Promise<Launched> {
  const port = await freePort()
  const child = start('gateway', NODE, [PORTKEY_MAIN, `--port=${port}`, '--headless'], { NODE_ENV: 'production' })
  child.line(() => undefined, READY_TIMEOUT_MS).catch(() => {})
  const headers = {
    Authorization: 'Bearer bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${mockPort}/v1`,
  }
  return { port, path: CHAT_PATH, headers, process: child }
}

async function launchTollgate({ directory, mockPort, redisUrl, masking }: Surroundings): Promise<Launched> {
  const manifests = join(directory, 'manifests')
  mkdirSync(manifests, { recursive: true })
  writeFileSync(join(manifests, 'bench.yaml'), tollgateManifests(mockPort, masking))
  const args = [...TOLLGATE_FLAGS, tollgateMain(), 'standalone', '--config', manifests]
  args.push('--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0')
  args.push('--state', join(directory, 'state'), ...(redisUrl === undefined ? [] : ['--redis', redisUrl]))
  const child = start('gateway', NODE, args, TOLLGATE_ENVIRONMENT)
  const address = await child.line(dataAddress, READY_TIMEOUT_MS)
  return {
    port: Number(new URL(address).port),
    path: CHAT_PATH,
    headers: { Authorization: `Bearer ${VIRTUAL_KEY}` },
    process: child,
  }
}

function tollgateMain(): string {
  return existsSync(TOLLGATE_BUNDLE) ? TOLLGATE_BUNDLE : TOLLGATE_MAIN
}

/** The log line that names the addresses taken. */
function dataAddress(line: string): string | undefined {
  if (!line.includes('listening')) return undefined
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && 'data' in entry && typeof entry.data === 'string'
      ? entry.data
      : undefined
  } catch {
    return undefined
  }
}

/** Key, policy, masking, exact cache, a budget and a token quota: what a governed key has. */
function tollgateManifests(mockPort: number, masking: boolean): string {
  return `apiVersion: v1
kind: Secret
metadata: { name: provider-mock }
stringData: { apiKey: sk-bench-provider-key }
---
apiVersion: v1
kind: Secret
metadata: { name: bench-key }
stringData: { key: ${VIRTUAL_KEY} }
---
apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: mock }
spec:
  type: OpenAICompatible
  countries: [it]
  endpoint: { baseURL: "http://127.0.0.1:${mockPort}/v1", allowInsecureHTTP: true }
  credentials: { type: Bearer, secretRef: { name: provider-mock } }
  models:
  - { name: bench-model, quality: 0.8, contextWindow: 131072, maxOutputTokens: 8192, pricing: { unit: Per1M, input: "0.40", output: "1.60" } }
---
apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: bench }
spec:
  key: { source: SecretRef, secretRef: { name: bench-key } }
  policies: { flags: [${masking ? 'pii-safe' : ''}], cache: { exact: { enabled: true } } }
  budgets: [{ window: Month, limitUSD: "1000000" }]
  tokenQuotas: [{ window: Day, kind: Total, limit: 1000000000000 }]
`
}

/** Asks until a chat completion is answered with 200. */
async function firstAnswer({ port, path, headers, process: child }: Launched): Promise<void> {
  const body = JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: 'first' }], max_tokens: 16 })
  const deadline = performance.now() + READY_TIMEOUT_MS
  let last = 'no answer'
  while (performance.now() < deadline && !child.exited()) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(2_000),
      })
      last = `${response.status} ${(await response.text()).slice(0, 400)}`
      if (response.status === 200) return
    } catch (error) {
      last = String(error)
    }
    await sleep(5)
  }
  throw new Error(`no good answer to a first request: ${last}. ${child.complaint()}`)
}
