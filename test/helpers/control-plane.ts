/**
 * Starts a real etcd and kube-apiserver for a test: those of KUBEBUILDER_ASSETS, else of PATH, else built once by
 * test/cluster/build (some minutes; kept in ~/.cache/tollgate-cluster). Starting takes about 2 s. Each call makes a
 * cluster of its own; nothing of it remains after `stop`.
 */
import { execFile, spawn } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import type { KubeConnection } from '../../src/operator/kube/connection.ts'
import { findConnection } from '../../src/operator/kube/find-connection.ts'
import { createKubeClient } from '../../src/operator/kube/kube-client.ts'
import type { KubeClient } from '../../src/operator/kube/kube-api.ts'
import { KubeHttp } from '../../src/operator/kube/kube-http.ts'
import { SYSTEM_TIMING } from '../../src/operator/kube/timing.ts'

const run = promisify(execFile)
const CLUSTER = join(import.meta.dirname, '..', 'cluster')
const CACHE = process.env['CLUSTER_CACHE'] ?? join(homedir(), '.cache', 'tollgate-cluster')
const CRDS = join(import.meta.dirname, '..', '..', 'crds')
const MAX_OUTPUT = 64 << 20

export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface ControlPlane {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly url: string
  /** PEM. */
  readonly ca: string
  readonly clientCertificate: string
  readonly clientKey: string
  readonly connection: KubeConnection
  /** An administrator's client; closed by `stop`. */
  readonly client: KubeClient
  /** Output of kubectl. Throws with its messages when it fails. */
  kubectl(...args: string[]): Promise<string>
  /** As `kubectl`, with `input` as its standard input, and without throwing. */
  tryKubectl(args: readonly string[], input?: string): Promise<CommandResult>
  /** Applies crds/ and waits until they are established. */
  applyCrds(): Promise<void>
  /** SIGKILL, or STOP and CONT. */
  kill(component: Component, signal?: 'KILL' | 'STOP' | 'CONT'): Promise<void>
  /** Of the process as it was started last. */
  pid(component: Component): Promise<number>
  /** After a kill; waits until the API server answers. */
  start(component: Component): Promise<void>
  stop(): Promise<void>
}

export interface ControlPlaneOptions {
  /** Also kube-controller-manager: garbage collection, namespaces that end, service accounts. */
  readonly controllers?: boolean
}

/**
 * A control plane that ends with the test `t`. Undefined where the programs cannot be had and this is no CI: the test has
 * then been skipped, loudly, and must return.
 */
export async function startControlPlane(t: Test, options: ControlPlaneOptions = {}): Promise<ControlPlane | undefined> {
  const programs = await findPrograms(options)
  if (programs.type === 'missing') {
    if (process.env['CI'] !== undefined && process.env['CI'] !== 'false') throw new Error(programs.reason)
    console.error(`\n*** NOT TESTED: ${t.name}\n*** no control plane: ${programs.reason}\n`)
    t.plan(0, `NOT TESTED, no control plane: ${programs.reason}`)
    return undefined
  }
  const plane = await up(options)
  t.teardown(() => plane.stop())
  return plane
}

/** One that the caller stops, outside of tests. @throws where its programs cannot be had. */
export async function runControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = await findPrograms(options)
  if (programs.type === 'missing') throw new Error(`no control plane: ${programs.reason}`)
  return up(options)
}

type Programs = { readonly type: 'found' } | { readonly type: 'missing'; readonly reason: string }

/** As test/cluster/lib.sh looks for programs. */
const PATH = [process.env['KUBEBUILDER_ASSETS'], join(CACHE, 'bin'), process.env['PATH']]
  .filter((part) => part !== undefined && part !== '')
  .join(delimiter)

let building: Promise<Programs> | undefined

async function findPrograms({ controllers = false }: ControlPlaneOptions): Promise<Programs> {
  const needed = ['etcd', 'kube-apiserver', 'kubectl', ...(controllers ? ['kube-controller-manager'] : [])]
  const given = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)]
  if (
    await haveAll(
      needed,
      given.filter((folder) => folder !== ''),
    )
  )
    return { type: 'found' }
  building ??= build()
  return building
}

async function haveAll(programs: readonly string[], folders: readonly string[]): Promise<boolean> {
  const found = programs.map((program) => Promise.any(folders.map((folder) => access(join(folder, program)))))
  return (await Promise.allSettled(found)).every(({ status }) => status === 'fulfilled')
}

/** Returns at once when all is there and current. Without Go, what was built before is used as it is. */
async function build(): Promise<Programs> {
  const isBuilt = await haveAll(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'], [join(CACHE, 'bin')])
  if (!isBuilt) console.error('# control plane: building etcd and kube-apiserver, which takes minutes the first time')
  const options = { stdio: ['ignore', 2, 'pipe'] } satisfies SpawnOptions
  const child = spawn('nice', ['-n', '15', join(CLUSTER, 'build'), '--control-plane-only'], options)
  let messages = ''
  child.stderr?.on('data', (chunk: Buffer) => (messages = `${messages}${chunk.toString()}`.slice(-2_000)))
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(-1)).once('close', (status) => resolve(status ?? -1))
  })
  if (code === 0 || isBuilt) return { type: 'found' }
  return { type: 'missing', reason: `test/cluster/build failed: ${messages.trim() || `code ${code}`}` }
}

async function up({ controllers = false }: ControlPlaneOptions): Promise<ControlPlane> {
  const state = await mkdtemp(join(tmpdir(), 'tollgate-cp-'))
  const env = { ...process.env, CLUSTER_STATE: state }
  const script = (name: string, ...args: string[]) => run(join(CLUSTER, name), args, { env, maxBuffer: MAX_OUTPUT })
  const down = async (): Promise<void> => {
    await script('down')
    await rm(state, { recursive: true, force: true })
  }
  try {
    await script('up', '--control-plane-only', ...(controllers ? ['--with-controllers'] : []))
    return await connect(state, env, script, down)
  } catch (error) {
    await down().catch(() => undefined)
    throw error
  }
}

type Script = (name: string, ...args: string[]) => Promise<{ stdout: string }>

async function connect(
  state: string,
  env: NodeJS.ProcessEnv,
  script: Script,
  down: () => Promise<void>,
): Promise<ControlPlane> {
  const kubeconfig = join(state, 'kubeconfig')
  const connection = await findConnection({ env: { KUBECONFIG: kubeconfig }, home: '/', timing: SYSTEM_TIMING })
  const http = new KubeHttp(connection, { timing: SYSTEM_TIMING, userAgent: 'tollgate-test' })
  const client = createKubeClient(http, {
    timing: SYSTEM_TIMING,
    fieldManager: 'test',
    requestsPerSecond: 1_000,
    burst: 1_000,
  })
  const programs = { ...env, KUBECONFIG: kubeconfig, PATH }
  const kubectl = async (...args: string[]) =>
    (await run('kubectl', args, { env: programs, maxBuffer: MAX_OUTPUT })).stdout
  return {
    kubeconfig,
    url: connection.server,
    ca: connection.tls.ca ?? '',
    clientCertificate: connection.tls.certificate ?? '',
    clientKey: connection.tls.key?.reveal() ?? '',
    connection,
    client,
    kubectl,
    tryKubectl: (args, input = '') => runWithInput('kubectl', args, input, programs),
    applyCrds: async () => {
      await kubectl('apply', '--server-side', '-f', CRDS)
      const established = () => kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', CRDS)
      // Where a definition has no conditions yet, kubectl's wait fails instead of waiting.
      await established().catch(() => sleep(1_000).then(established))
    },
    kill: async (component, signal = 'KILL') => void (await script('component', 'kill', component, signal)),
    pid: async (component) => Number(await readFile(join(state, 'run', `${component}.pid`), 'utf8')),
    start: async (component) => {
      await script('component', 'start', component)
      await answers(client)
    },
    stop: async () => {
      await http.close()
      await down()
    },
  }
}

async function answers(client: KubeClient): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      await client.raw('/apis', { timeoutMs: 2_000 })
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function runWithInput(
  program: string,
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
    // It may end without reading all.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
