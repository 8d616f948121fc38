/** Scenarios 19 and 20: certificates that come, go and change while pods are created, and a webhook that is away. */
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { PODS, SECRETS } from '../../../src/operator/kube/resource.ts'
import { splitPem } from '../../../src/operator/certificates/serving-certificate.ts'
import { containerOf, CONFIGURATION, pod, startInjectionWorld } from '../../helpers/injection.ts'
import type { InjectionWorld } from '../../helpers/injection.ts'
import { entry, SYSTEM, virtualKey } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

const SERVER = { namespace: SYSTEM, name: 'tollgate-tls' }
const AUTHORITY = { namespace: SYSTEM, name: 'tollgate-ca' }

t.test('certificates of an authority of its own', async (t) => {
  const world = await startInjectionWorld(t, ['shop'], ['plain'])
  if (world === undefined) return
  const { plane } = world
  await world.register()
  await world.apply(virtualKey('shop', 'app'))
  const operator = await world.startInjecting()

  t.test('openssl finds the chain good for each name of the Service', async (t) => {
    const secret = await plane.client.get(SECRETS, SERVER)
    const [ca, leaf] = [entry(secret, 'ca.crt'), entry(secret, 'tls.crt')]
    for (const name of [
      'tollgate-operator',
      `tollgate-operator.${SYSTEM}.svc`,
      `tollgate-operator.${SYSTEM}.svc.cluster.local`,
    ])
      t.match(verify(ca, leaf, name), /: OK/, name)
    t.notMatch(verify(ca, leaf, 'other.example'), /: OK/)
    t.equal(await world.caBundle(), ca)
    const days = (new X509Certificate(leaf).validToDate.getTime() - Date.now()) / 86_400_000
    t.ok(days > 89 && days < 91, `${days} days`)
    const years = (new X509Certificate(ca).validToDate.getTime() - Date.now()) / 86_400_000 / 365
    t.ok(years > 9.9 && years < 10.1, `${years} years`)
  })

  t.test('how long they last is a metric', async (t) => {
    const left = await operator.metric('tollgate_certificate_expiry_seconds{certificate="server"}')
    t.ok(left !== undefined && left > 89 * 86_400 && left <= 90 * 86_400, `${left}`)
  })

  t.test('a deleted certificate is issued again, and no pod is refused meanwhile', async (t) => {
    const before = entry(await plane.client.get(SECRETS, SERVER), 'tls.crt')
    const pods = createContinuously(t, world)
    await plane.client.delete(SECRETS, SERVER)
    await until(async () => ![before, ''].includes(await serverCertificate(world)))
    t.strictSame(await pods.refusals(), [])
  })

  t.test('a configuration that was written anew gets its caBundle back', async (t) => {
    const bundle = await world.caBundle()
    await plane.kubectl('delete', 'mutatingwebhookconfiguration', CONFIGURATION)
    await world.register()
    await until(async () => (await world.caBundle()) === bundle)
    const shown = await plane.kubectl(
      'get',
      'mutatingwebhookconfiguration',
      CONFIGURATION,
      '-o',
      'json',
      '--show-managed-fields',
    )
    t.match(shown, /"manager": "tollgate-webhook-certs"/)
    await plane.kubectl('patch', 'mutatingwebhookconfiguration', CONFIGURATION, '--type=json', '-p', REMOVE_BUNDLE)
    await until(async () => (await world.caBundle()) === bundle)
    t.ok(await eventuallyInjects(world, 'after-replace'))
  })

  t.test('a lost authority is replaced by one beside the old one, which stays trusted', async (t) => {
    const before = await world.caBundle()
    const pods = createContinuously(t, world)
    await plane.client.delete(SECRETS, AUTHORITY)
    // It is looked for each minute; a change of the server's Secret lets the operator look at once.
    await plane.kubectl('annotate', 'secret', 'tollgate-tls', '-n', SYSTEM, 'look=now')
    await until(async () => splitPem(await world.caBundle()).length === 2)
    t.ok((await world.caBundle()).startsWith(before))
    t.strictSame(await pods.refusals(), [])
  })

  t.test(
    'with the webhook away only pods of enabled namespaces wait, and taking the label off lets them go',
    async (t) => {
      await operator.end('SIGKILL')
      const refused = await world.tryCreate(pod('shop', 'away'))
      t.equal(refused.code, 1)
      t.match(refused.stderr, /failed calling webhook "inject.tollgate.dev"/)
      t.equal((await world.tryCreate(pod('plain', 'free'))).code, 0)
      await plane.kubectl('create', 'serviceaccount', 'default', '-n', SYSTEM)
      t.equal((await world.tryCreate(pod(SYSTEM, 'operator'))).code, 0, "the operator's own pods start")
      t.equal((await world.tryCreate(pod('shop', 'out', {}, { labels: { 'tollgate.dev/inject': 'false' } }))).code, 0)
      await plane.kubectl('label', 'namespace', 'shop', 'tollgate.dev/injection-')
      await until(async () => (await world.tryCreate(pod('shop', 'unlabelled'))).code === 0)
      await plane.kubectl('label', 'namespace', 'shop', 'tollgate.dev/injection=enabled')
      await world.startInjecting()
      t.ok(await eventuallyInjects(world, 'back'), 'when it is back it injects again')
    },
  )
})

t.test('short lives: certificates and authority change under a stream of pods', { timeout: 300_000 }, async (t) => {
  const world = await startInjectionWorld(t, ['shop'])
  if (world === undefined) return
  await world.register()
  await world.apply(virtualKey('shop', 'app'))
  const lives = ['--certificate-lifetime', '9s', '--authority-lifetime', '60s']
  const operator = await world.startInjecting(...lives)
  const first = await serverCertificate(world)
  const [firstAuthority = ''] = splitPem(await world.caBundle())
  t.ok(await eventuallyInjects(world, 'first'))
  const pods = createContinuously(t, world)

  await t.test('the server takes over each new certificate without a restart', async () => {
    await until(async () => (await serverCertificate(world)) !== first)
    const second = await serverCertificate(world)
    await until(async () => (await serverCertificate(world)) !== second, 20_000)
  })

  await t.test('the next authority is trusted before it signs, and the old one until it ends', async (t) => {
    await until(async () => splitPem(await world.caBundle()).length === 2, 90_000)
    const [old = '', next = ''] = splitPem(await world.caBundle())
    t.equal(old, firstAuthority)
    t.equal(issuerOf(await serverCertificate(world), [old, next]), old)
    await until(async () => issuerOf(await serverCertificate(world), [old, next]) === next, 60_000)
    t.strictSame(splitPem(await world.caBundle()), [old, next], 'both are trusted when it signs')
    await until(async () => !(await world.caBundle()).includes(old), 60_000)
  })
  t.strictSame(await pods.refusals(), [], 'no pod was refused during any of it')
  t.ok(pods.created() > 10, `${pods.created()} pods`)
  await operator.end('SIGTERM')
})

t.test(
  'two replicas that start at once make one authority; when the leader is killed the other one renews',
  async (t) => {
    const world = await startInjectionWorld(t, [])
    if (world === undefined) return
    const lives = ['--certificate-lifetime', '24s', '--listen-grpc', '127.0.0.1:0']
    const operators = await Promise.all([world.startOperator(...lives), world.startOperator(...lives)])
    await until(async () => (await Promise.all(operators.map((one) => one.ready()))).every((said) => said === 'ok'))
    const made = operators.filter((one) => one.output().includes('"first":true'))
    t.equal(made.length, 1, 'one has made the authority')
    await until(async () => (await Promise.all(operators.map((one) => one.isLeader()))).includes(true))
    const [first] = operators
    const leader = (await first.isLeader()) ? first : operators[1]
    const survivor = leader === first ? operators[1] : first
    const before = await serverCertificate(world)
    await leader.end('SIGKILL')
    await until(async () => ![before, ''].includes(await serverCertificate(world)), 40_000)
    const left = await survivor.metric('tollgate_certificate_expiry_seconds{certificate="server"}')
    t.ok(left !== undefined && left > 0, `${left} s left`)
    t.notMatch(survivor.output(), /certificates not kept/)
  },
)

const REMOVE_BUNDLE = JSON.stringify([{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }])

async function serverCertificate({ plane }: InjectionWorld): Promise<string> {
  const secrets = (await plane.client.list(SECRETS, { namespace: SYSTEM, fieldSelector: 'metadata.name=tollgate-tls' }))
    .items
  return entry(secrets[0], 'tls.crt')
}

function issuerOf(leaf: string, authorities: readonly string[]): string | undefined {
  return authorities.find((one) => new X509Certificate(leaf).verify(new X509Certificate(one).publicKey))
}

/** The API server learns of a caBundle by a watch of its own. */
async function eventuallyInjects(world: InjectionWorld, name: string): Promise<boolean> {
  await until(async () => (await world.tryCreate(pod('shop', name))).code === 0)
  const created = await world.plane.client.get(PODS, { namespace: 'shop', name })
  return containerOf(created, 'tollgate') !== undefined
}

/** Creates pods, one after the other, until it is asked for what was refused. Only as a dry run: none is kept. */
function createContinuously(t: Test, world: InjectionWorld) {
  const refusals: string[] = []
  let created = 0
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      const { code, stdout, stderr } = await world.tryCreate(pod('shop', 'continuous'), '--dry-run=server')
      if (code !== 0) refusals.push(stderr)
      else if (!stdout.includes('"tollgate-identity"')) refusals.push('not injected')
      created += 1
    }
  })()
  const stop = async () => {
    stopped = true
    await running
  }
  t.teardown(stop)
  return {
    created: () => created,
    refusals: async () => {
      await stop()
      return refusals
    },
  }
}

/** What Debian's openssl says of a server's certificate. */
function verify(ca: string, leaf: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-verify-'))
  try {
    writeFileSync(join(folder, 'ca.pem'), ca)
    writeFileSync(join(folder, 'leaf.pem'), leaf)
    const checks = ['-x509_strict', '-purpose', 'sslserver', '-verify_hostname', name]
    return execFileSync('openssl', ['verify', ...checks, '-CAfile', 'ca.pem', 'leaf.pem'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch (error) {
    return error instanceof Error ? error.message : ''
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
