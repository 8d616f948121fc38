/** A whole namespace in small: Redis, an operator's publisher and credentials service, and sidecars as processes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { contentHash } from '../../src/crypto/content-hash.ts'
import { deriveKeyPepper, keyDigester } from '../../src/crypto/derive.ts'
import { Secret } from '../../src/domain/secret.ts'
import { wholeKey } from '../../src/domain/quota/counter-keys.ts'
import { splitSnapshot } from '../../src/domain/snapshot/shards.ts'
import type { Snapshot } from '../../src/domain/snapshot/snapshot.ts'
import { buildGrant } from '../../src/operator/credentials/build-grant.ts'
import { CredentialsServer } from '../../src/operator/credentials/server.ts'
import { listenForHints } from '../../src/operator/publish/hints.ts'
import { Publisher } from '../../src/operator/publish/publisher.ts'
import type { TenantLogin } from '../../src/operator/publish/redis-users.ts'
import { createSigner, generateSigningKey } from '../../src/operator/publish/sign.ts'
import { connectRedis, type RedisConnection } from '../../src/proxy/stores/redis/redis-client.ts'
import { createAuthority } from './certificates.ts'
import { fakeCluster, POD, token } from './fake-cluster.ts'
import { collect, KEY } from './gateway.ts'
import { startRedis, type RedisServer } from './redis.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** What the operator's secrets are derived from. */
export const OPERATOR_MASTER = new Secret('ab'.repeat(32))

/** Digest of `KEY` in the pod's namespace. */
export const KEY_DIGEST = keyDigester(deriveKeyPepper(OPERATOR_MASTER, POD.namespace))(KEY)

export interface FakeOperator {
  readonly redisServer: RedisServer
  readonly redis: RedisConnection
  readonly ca: string
  /** `host:port` of the credentials service. */
  readonly address: string
  readonly server: () => CredentialsServer
  /** Puts a snapshot, and where given a provider's key and a login of Redis, in force. */
  apply(state: OperatorState): Promise<void>
  verifyPublished(): Promise<number>
  stop(): Promise<void>
  start(): Promise<void>
}

export interface OperatorState {
  readonly snapshot?: Snapshot
  /** Key of the provider `p`. */
  readonly credential?: string
  readonly login?: TenantLogin
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** @param url of another Redis than the one alone that is started for it */
export async function startOperator(t: Test, snapshot: Snapshot, url?: string): Promise<FakeOperator> {
  const redisServer = await startRedis()
  t.teardown(() => redisServer.stop())
  const redisUrl = url ?? redisServer.url
  const redis = connectRedis(redisUrl, { callTimeoutMs: 20_000 })
  t.teardown(() => redis.close())
  await redis.waitUntilReady(20_000)
  const signer = createSigner(generateSigningKey())
  const publisher = new Publisher({ redis, signer, epoch: 1, contentHash, now: Date.now })
  const authority = createAuthority()
  const { certificate, privateKey } = authority.issue()
  const cluster = fakeCluster()
  let state: Required<OperatorState> = {
    snapshot,
    credential: 'provider-key-1',
    login: { username: '', password: new Secret('') },
  }
  let server: CredentialsServer
  let port = 0
  const grantFor = (owner: string) =>
    buildGrant({
      owner,
      snapshot: state.snapshot,
      credentials: new Map([['p', new Secret(state.credential)]]),
      master: OPERATOR_MASTER,
      shardKeys: [signer.publicKey],
      redis: { url: redisUrl, ...state.login },
    })
  const start = async () => {
    server = new CredentialsServer({
      reviewer: cluster,
      pods: cluster,
      grants: { grantFor },
      log: silent,
      now: Date.now,
    })
    server.setCertificate(certificate, new Secret(privateKey))
    port = await server.listen('127.0.0.1', port)
  }
  await start()
  const onHint = (names: readonly string[]) => server.hint(names)
  // As src/operator-services.ts does: Sentinels and clusters are looked at each second only.
  if (url === undefined) {
    const hints = listenForHints({ url: redisUrl, onHint, random: Math.random })
    t.teardown(() => hints.close())
  }
  const operator: FakeOperator = {
    redisServer,
    redis,
    ca: authority.ca,
    address: `localhost:${port}`,
    server: () => server,
    async apply(change) {
      state = { ...state, ...change }
      for (const { name } of state.snapshot.organizations) {
        await redis.send(wholeKey(name), ['SET', wholeKey(name), '0'])
      }
      await publisher.publish(splitSnapshot(state.snapshot, [], contentHash))
      server.pushGrants()
    },
    verifyPublished: () => publisher.verifyPublished(),
    stop: () => server.close(),
    start,
  }
  t.teardown(() => operator.stop())
  return operator
}

export interface Sidecar {
  readonly url: string
  readonly admin: string
  readonly process: ChildProcess
  output(): string
  line(match: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  /** Status of `/readyz`. */
  ready(): Promise<number>
  /** A value of the metrics page; undefined: it is not there. */
  metric(name: string): Promise<number | undefined>
  /** A chat completion past the cache. */
  chat(key?: string): Promise<Response>
}

/** Resolves when it listens, ready or not. @param env further variables of its container */
export async function startSidecar(
  t: Test,
  operator: FakeOperator,
  env: Readonly<Record<string, string>> = {},
): Promise<Sidecar> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-sidecar-'))
  writeFileSync(join(directory, 'token'), token())
  const addresses = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--operator', operator.address]
  const child = spawn(process.execPath, [MAIN, 'sidecar', ...addresses, '--token', join(directory, 'token')], {
    env: {
      PATH: process.env['PATH'],
      TOLLGATE_CA: operator.ca,
      POD_NAME: POD.name,
      POD_NAMESPACE: POD.namespace,
      POD_UID: POD.uid,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(directory, { recursive: true, force: true })
  })
  const { line, output } = collect(child)
  const listening = await line(({ msg }) => msg === 'listening')
  const url = String(listening['data'])
  const admin = String(listening['admin'])
  return {
    url,
    admin,
    process: child,
    output,
    line,
    ready: async () => (await fetch(`${admin}/readyz`)).status,
    async metric(name) {
      const page = await (await fetch(`${admin}/metrics`)).text()
      const found = page.split('\n').find((one) => one.startsWith(`${name} `))
      return found === undefined ? undefined : Number(found.slice(name.length + 1))
    },
    chat: (key = KEY) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'cache-control': 'no-store' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
      }),
  }
}
