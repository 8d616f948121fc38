/** A sidecar as a process, with the identity of a pod that a real API server knows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { JsonObject } from '../../src/domain/json.ts'
import type { KubeObject } from '../../src/operator/kube/kube-object.ts'
import { PODS } from '../../src/operator/kube/resource.ts'
import type { ControlPlane } from './control-plane.ts'
import { collect } from './gateway.ts'
import { entry, secretOf, SYSTEM } from './operator.ts'
import type { OperatorWorld, RunningOperator } from './operator.ts'
import { until } from './redis.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const IDENTITY = {
  name: 'tollgate-identity',
  projected: {
    sources: [{ serviceAccountToken: { path: 'token', audience: 'tollgate.dev', expirationSeconds: 3600 } }],
  },
}

/** A running pod of the namespace `team`, with our sidecar where it is given the certificates to trust. */
export async function makePod(plane: ControlPlane, name: string, ca?: string): Promise<KubeObject> {
  const sidecar = {
    name: 'tollgate',
    image: 'tollgate',
    restartPolicy: 'Always',
    args: ['sidecar'],
    env: [
      { name: 'TOLLGATE_CA', value: ca },
      { name: 'TOLLGATE_LISTEN', value: '127.0.0.1:4141' },
    ],
    volumeMounts: [{ name: IDENTITY.name, mountPath: '/var/run/tollgate' }],
  }
  const spec: JsonObject = {
    serviceAccountName: 'app',
    containers: [{ name: 'app', image: 'app' }],
    ...(ca === undefined ? {} : { initContainers: [sidecar], volumes: [IDENTITY] }),
  }
  const pod = await plane.client.create(PODS, { metadata: { namespace: 'team', name }, spec })
  const status = { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }
  await plane.client.jsonPatch(PODS, { namespace: 'team', name }, [{ op: 'add', path: '/status', value: status }], {
    subresource: 'status',
  })
  return pod
}

/** A token of our audience that is bound to the pod. */
function tokenOf(plane: ControlPlane, { metadata }: KubeObject): Promise<string> {
  const bound = [
    '--bound-object-kind',
    'Pod',
    '--bound-object-name',
    metadata.name,
    '--bound-object-uid',
    metadata.uid ?? '',
  ]
  return plane.kubectl('create', 'token', 'app', '-n', 'team', '--audience', 'tollgate.dev', ...bound)
}

/** An operator that hands out credentials, and what its sidecars are started with. */
export interface CredentialsSource {
  readonly operator: RunningOperator
  /** `host:port`. */
  readonly address: string
  /** PEM of its authority. */
  readonly ca: string
}

export async function startCredentialsSource(
  world: OperatorWorld,
  ...flags: readonly string[]
): Promise<CredentialsSource> {
  const operator = await world.startOperator(
    '--listen-grpc',
    '127.0.0.1:0',
    '--certificate-names',
    'localhost',
    ...flags,
  )
  await until(() => operator.output().includes('credentials service listens'))
  const address = (/"grpc":"([^"]+)"/.exec(operator.output())?.[1] ?? '').replace('127.0.0.1', 'localhost')
  return { operator, address, ca: entry(await secretOf(world, SYSTEM, 'tollgate-tls'), 'ca.crt') }
}

/** Of a pod, with its token. Resolves when it listens, ready or not. */
export async function startPodSidecar(
  t: Test,
  plane: ControlPlane,
  { address, ca }: Pick<CredentialsSource, 'address' | 'ca'>,
  pod: KubeObject,
) {
  const { metadata } = pod
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-sidecar-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [caFile, tokenFile] = [join(folder, 'ca.crt'), join(folder, 'token')]
  writeFileSync(caFile, ca)
  writeFileSync(tokenFile, await tokenOf(plane, pod))
  const identity = ['--operator', address, '--ca', caFile, '--token', tokenFile]
  const args = [MAIN, 'sidecar', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', ...identity]
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      POD_NAME: metadata.name,
      POD_NAMESPACE: metadata.namespace,
      POD_UID: metadata.uid,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(end)
  const listening = await collect(child).line(({ msg }) => msg === 'listening')
  return { data: String(listening['data']), admin: String(listening['admin']), child, end }
}
