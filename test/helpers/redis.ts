/** Starts real redis-server processes on free ports for tests: alone, with TLS, with an ACL user, behind Sentinels, as a cluster. */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFree } from './addresses.ts'

const run = promisify(execFile)

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Stops answering with its sockets open. */
  freeze(): void
  thaw(): void
  /** As a power cut: nothing is written. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
  /** Output of redis-cli. */
  cli(...args: string[]): Promise<string>
  /** Ends it and removes its directory. */
  stop(): Promise<void>
}

/** A server without persistence. `args` are further options of redis-server. */
export async function startRedis(args: readonly string[] = [], cliArgs: readonly string[] = []): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-redis-'))
  const port = await freePort()
  const all = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    ...args,
  ]
  return serverOf(port, directory, all, cliArgs, [])
}

export interface TlsRedisServer extends RedisServer {
  /** PEM of the certificate authority. */
  readonly ca: string
}

export async function startTlsRedis(): Promise<TlsRedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-redis-'))
  const file = (name: string) => join(directory, name)
  await makeCertificates(directory)
  const port = await freePort()
  const tls = [
    '--tls-port',
    `${port}`,
    '--tls-cert-file',
    file('server.crt'),
    '--tls-key-file',
    file('server.key'),
    '--tls-ca-cert-file',
    file('ca.crt'),
  ]
  const args = [
    '--port',
    '0',
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--tls-auth-clients',
    'no',
    '--dir',
    directory,
    ...tls,
  ]
  const server = await serverOf(port, directory, args, ['--tls', '--cacert', file('ca.crt')], [])
  return Object.assign(server, { ca: await readFile(file('ca.crt'), 'utf8'), url: `rediss://localhost:${port}` })
}

/** Only `user` may log in, to the keys and commands that `rules` name. */
export async function startAclRedis(user: string, password: string, rules: string): Promise<RedisServer> {
  const server = await startRedis(['--requirepass', 'root'], ['-a', 'root', '--no-auth-warning'])
  await server.cli('ACL', 'SETUSER', user, 'on', `>${password}`, ...rules.split(' '))
  return Object.assign(server, {
    url: `redis://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`,
  })
}

export interface RedisCluster {
  readonly url: string
  readonly nodes: readonly RedisServer[]
  stop(): Promise<void>
}

/** Three masters, each with as many replicas. */
export async function startCluster(replicas = 0): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: 3 + 3 * replicas }, () =>
      startRedis(['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000']),
    ),
  )
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', `${replicas}`, '--cluster-yes'])
  for (const node of nodes) await until(async () => (await node.cli('CLUSTER', 'INFO')).includes('cluster_state:ok'))
  return {
    url: `redis+cluster://${addresses.join(',')}`,
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  }
}

export interface RedisSentinels {
  readonly url: string
  readonly master: RedisServer
  readonly replica: RedisServer
  stop(): Promise<void>
}

/** A master, a replica and three Sentinels that fail over after half a second of silence, and may ask for a password. */
export async function startSentinels(password?: string): Promise<RedisSentinels> {
  const master = await startRedis()
  const replica = await startRedis(['--replicaof', '127.0.0.1', `${master.port}`])
  await until(async () => (await replica.cli('INFO', 'replication')).includes('master_link_status:up'))
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(master.port, password)))
  // Each must know the others and the replica, or none can be elected.
  for (const sentinel of sentinels) {
    await until(async () => /num-other-sentinels\n2\n/.test(await sentinel.cli('SENTINEL', 'MASTER', 'tollgate')))
    await until(async () => (await sentinel.cli('SENTINEL', 'REPLICAS', 'tollgate')).includes(`${replica.port}`))
  }
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const stop = async () => void (await Promise.all([master, replica, ...sentinels].map((server) => server.stop())))
  const login = password === undefined ? '' : `?sentinel=:${encodeURIComponent(password)}`
  return { url: `redis+sentinel://${hosts}/tollgate${login}`, master, replica, stop }
}

/** Waits until `condition` holds; fails after `timeoutMs`. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function startSentinel(masterPort: number, password?: string): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-redis-'))
  const port = await freePort()
  const file = join(directory, 'sentinel.conf')
  await writeFile(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor tollgate 127.0.0.1 ${masterPort} 2`,
      'sentinel down-after-milliseconds tollgate 500',
      'sentinel failover-timeout tollgate 3000',
      // They talk to each other with it as well.
      ...(password === undefined ? [] : [`requirepass ${password}`]),
      '',
    ].join('\n'),
  )
  const cliArgs = password === undefined ? [] : ['-a', password, '--no-auth-warning']
  return serverOf(port, directory, [], cliArgs, [file, '--sentinel'])
}

async function serverOf(
  port: number,
  directory: string,
  args: string[],
  cliArgs: readonly string[],
  first: string[],
): Promise<RedisServer> {
  let child: ChildProcess | undefined
  const cli = async (...command: string[]) => (await run('redis-cli', ['-p', `${port}`, ...cliArgs, ...command])).stdout
  const start = async () => {
    child = spawn('redis-server', [...first, ...args], { stdio: 'ignore' })
    try {
      await until(() => accepts(port))
      await until(async () => !(await cli('PING')).startsWith('LOADING'))
    } catch (error) {
      // Nobody else knows it: it would outlive the test.
      child.kill('SIGKILL')
      throw error
    }
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    restart: start,
    cli,
    stop: async () => {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** What a cluster's bus adds to the port. */
const BUS = 10_000

/** With its bus below the ports from which Linux takes those of outgoing connections: one of these may be taken at any moment. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000)
    if ((await isFree(port)) && (await isFree(port + BUS))) return port
  }
}

async function makeCertificates(directory: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: directory })
  await openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=test ca',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  )
  await openssl(
    'req',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
  )
  await writeFile(join(directory, 'san.cnf'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  await openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'san.cnf',
    '-out',
    'server.crt',
  )
}
