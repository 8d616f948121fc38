import { connect } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import t, { type Test } from 'tap'
import { CredentialsServer } from '../../../src/operator/credentials/server.ts'
import type { GrantContent } from '../../../src/operator/credentials/ports.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { CredentialsClient } from '../../../src/proxy/config/credentials-client.ts'
import type { Grant } from '../../../src/proxy/config/grant.ts'
import { hasIPv6 } from '../../helpers/addresses.ts'
import { createAuthority, type Authority } from '../../helpers/certificates.ts'
import { FACTS, fakeCluster, grantOf, POD, REVIEW, token, type FakeCluster } from '../../helpers/fake-cluster.ts'
import { until } from '../../helpers/redis.ts'

const authority = createAuthority()

interface Operator {
  readonly server: CredentialsServer
  readonly address: string
  readonly cluster: FakeCluster
  readonly grants: Map<string, GrantContent>
  readonly results: string[]
}

interface OperatorOptions {
  readonly cluster?: FakeCluster
  readonly grants?: Map<string, GrantContent>
  readonly port?: number
  /** Undefined: all addresses. */
  readonly host?: string | undefined
}

const lines: object[] = []
const log = {
  info: (fields: object, message: string) => void lines.push({ ...fields, message }),
  warn: (fields: object, message: string) => void lines.push({ ...fields, message }),
  error: (fields: object, message: string) => void lines.push({ ...fields, message }),
}

async function startOperator(t: Test, options: OperatorOptions = {}): Promise<Operator> {
  const { cluster = fakeCluster(), grants = new Map([['team-a', grantOf('credential-1')]]), port = 0 } = options
  const results: string[] = []
  const server = new CredentialsServer({
    reviewer: cluster,
    pods: cluster,
    grants: { grantFor: (owner) => grants.get(owner) },
    log,
    now: Date.now,
    onAuthenticated: (result) => results.push(result),
  })
  setCertificate(server, authority)
  const bound = await server.listen('host' in options ? options.host : '127.0.0.1', port)
  t.teardown(() => server.close())
  return { server, address: `localhost:${bound}`, cluster, grants, results }
}

function setCertificate(server: CredentialsServer, { issue }: Authority): void {
  const { certificate, privateKey } = issue()
  server.setCertificate(certificate, new Secret(privateKey))
}

interface ClientOptions {
  readonly token?: () => string
  readonly ca?: string
  readonly pod?: typeof POD
  readonly onGrant?: (grant: Grant) => void
}

function startClient(t: Test, address: string, options: ClientOptions = {}) {
  const grants: Grant[] = []
  const hints: number[] = []
  const client = new CredentialsClient({
    address,
    readCa: () => Promise.resolve(options.ca ?? authority.ca),
    readToken: () => Promise.resolve((options.token ?? token)()),
    pod: options.pod ?? POD,
    onGrant: (grant) => {
      options.onGrant?.(grant)
      grants.push(grant)
    },
    onHint: () => hints.push(grants.length),
    log,
    random: () => 0,
  })
  t.teardown(() => client.close())
  return { client, grants, hints, credentials: () => grants.map((grant) => grant.credentials.get('p')?.reveal()) }
}

t.test('a sidecar gets what its namespace needs, and says that it is in force', async (t) => {
  const { server, address } = await startOperator(t)
  const { client, grants } = startClient(t, address)
  await until(() => grants.length === 1)
  const [grant] = grants
  t.equal(grant?.credentials.get('p')?.reveal(), 'credential-1')
  t.equal(grant?.serviceAccount, 'app')
  t.equal(grant?.redis.url.reveal(), 'redis://tenant:redis-password@127.0.0.1:6379')
  t.equal(grant?.secrets.redactionSecretOf('acme').reveal(), '02'.repeat(32))
  t.equal(grant?.secrets.cacheKeyOf('acme').reveal(), '03'.repeat(32))
  t.throws(() => grant?.secrets.redactionSecretOf('other'), { message: /no secrets are granted/ })
  t.ok(client.connected)
  await until(() => server.connected().some(({ appliedVersion }) => appliedVersion === grant?.version))
})

t.test('on all addresses a sidecar is known by its own, of whichever family', async (t) => {
  const cluster = fakeCluster()
  const { address, results } = await startOperator(t, { cluster, host: undefined })
  for (const [host, podIP] of [['127.0.0.1', '127.0.0.1'], ...(hasIPv6() ? [['[::1]', '::1'] as const] : [])]) {
    cluster.pods.set('team-a/app-1', { ...FACTS, podIPs: [podIP ?? ''] })
    const { client, grants } = startClient(t, address.replace('localhost', host ?? ''))
    await until(() => grants.length === 1)
    client.close()
  }
  t.notMatch(results, ['other-address'])
})

t.test('an operator that is named by its address has that address in its certificate', async (t) => {
  const { server, address } = await startOperator(t)
  const byAddress = address.replace('localhost', '127.0.0.1')
  const { certificate, privateKey } = authority.issue('address.invalid')
  server.setCertificate(certificate, new Secret(privateKey))
  const before = lines.length
  const { grants } = startClient(t, byAddress)
  await until(() => lines.slice(before).some((line) => /not in the cert's list/u.test(JSON.stringify(line))))
  t.same(grants, [])
  setCertificate(server, authority)
  await until(() => grants.length === 1)
})

t.test('a rotated credential reaches a running sidecar, once, and nobody else', async (t) => {
  const { server, address, grants, cluster } = await startOperator(t)
  cluster.pods.set('team-a/app-2', { ...FACTS, uid: 'uid-2' })
  const { credentials } = startClient(t, address)
  await until(() => credentials().length === 1)
  grants.set('team-a', grantOf('credential-2'))
  server.pushGrants('team-b')
  server.pushGrants('team-a')
  server.pushGrants()
  await until(() => credentials().length === 2)
  grants.set('team-a', grantOf('credential-3'))
  server.pushGrants()
  await until(() => credentials().length === 3)
  t.same(credentials(), ['credential-1', 'credential-2', 'credential-3'])
})

t.test('a hint reaches the sidecars that the changed shards concern', async (t) => {
  const { server, address } = await startOperator(t)
  const { grants, hints } = startClient(t, address)
  await until(() => grants.length === 1)
  server.hint(['tg:cfg:ns:team-b'])
  server.hint(['tg:cfg:ns:team-b', 'tg:cfg:ns:team-a'])
  server.hint(['tg:cfg:catalog'])
  await until(() => hints.length === 2)
  server.hint(['tg:cfg:org:acme'])
  await until(() => hints.length > 2)
  t.equal(hints.length, 3)
})

t.test('a sidecar whose namespace is not known yet waits on its stream', async (t) => {
  const { server, address, grants } = await startOperator(t, { grants: new Map() })
  const { credentials } = startClient(t, address)
  await until(() => server.connected().length === 1)
  grants.set('team-a', grantOf('late'))
  server.pushGrants('team-a')
  await until(() => credentials().length === 1)
  t.same(credentials(), ['late'])
})

t.test('whoever is not the sidecar gets nothing, and learns nothing', async (t) => {
  const cases: readonly [string, (cluster: FakeCluster) => void, ClientOptions][] = [
    ['wrong-audience', (cluster) => (cluster.status = { ...REVIEW, audiences: ['other'] }), {}],
    ['expired', () => undefined, { token: () => token(-5_000) }],
    ['not-authenticated', (cluster) => (cluster.status = { ...REVIEW, authenticated: false }), {}],
    ['not-pod-bound', (cluster) => (cluster.status = { ...REVIEW, extra: {} }), {}],
    ['no-such-pod', (cluster) => cluster.pods.clear(), {}],
    ['no-such-pod', (cluster) => cluster.pods.set('team-a/app-1', { ...FACTS, uid: 'new' }), {}],
    ['other-pod', () => undefined, { pod: { ...POD, namespace: 'team-b' } }],
    ['other-pod', () => undefined, { pod: { ...POD, uid: 'uid-2' } }],
    ['no-sidecar', (cluster) => cluster.pods.set('team-a/app-1', { ...FACTS, hasSidecar: false }), {}],
    ['other-address', (cluster) => cluster.pods.set('team-a/app-1', { ...FACTS, podIPs: ['10.0.0.9'] }), {}],
    ['host-network', (cluster) => cluster.pods.set('team-a/app-1', { ...FACTS, hostNetwork: true }), {}],
    ['error', (cluster) => (cluster.status = new Error('no API server')), {}],
  ]
  for (const [reason, prepare, options] of cases) {
    const { address, results, cluster, server } = await startOperator(t)
    prepare(cluster)
    const { client, grants } = startClient(t, address, options)
    await until(() => results.length > 0)
    t.equal(results[0], reason)
    t.same(server.connected(), [])
    await client.close()
    t.same(grants, [], reason)
  }
})

t.test('a sidecar that was refused is let in as soon as it is what it says', async (t) => {
  const { address, cluster, results } = await startOperator(t)
  cluster.pods.clear()
  const { credentials } = startClient(t, address)
  await until(() => results.includes('no-such-pod'))
  cluster.pods.set('team-a/app-1', FACTS)
  await until(() => credentials().length === 1)
  t.same(credentials(), ['credential-1'])
})

t.test('a stream ends with its token, and the sidecar comes again with the renewed one', async (t) => {
  const { address, server } = await startOperator(t)
  const tokens = [token(5_000, 'first'), token(3_600_000, 'second')]
  const { grants } = startClient(t, address, { token: () => tokens.shift() ?? token(3_600_000, 'further') })
  await until(() => grants.length === 1)
  t.ok((server.connected()[0]?.identity.expiresAtMs ?? Infinity) < Date.now() + 5_500)
  await until(() => grants.length === 2)
  t.ok((server.connected()[0]?.identity.expiresAtMs ?? 0) > Date.now() + 60_000)
})

t.test("a deleted pod's stream ends and it does not come back", async (t) => {
  const { server, address, cluster, results } = await startOperator(t)
  const { grants } = startClient(t, address)
  await until(() => grants.length === 1)
  cluster.pods.clear()
  server.podDeleted(POD.uid)
  await until(() => results.includes('no-such-pod'))
  t.same(server.connected(), [])
  t.equal(grants.length, 1)
})

t.test('a sidecar keeps its grant while the operator is away and finds the next one', async (t) => {
  const first = await startOperator(t)
  const { client, credentials } = startClient(t, first.address)
  await until(() => credentials().length === 1)
  const port = Number(first.address.split(':')[1])
  await first.server.close()
  await until(() => !client.connected)
  t.same(credentials(), ['credential-1'])
  await startOperator(t, { port, grants: new Map([['team-a', grantOf('credential-2')]]) })
  await until(() => credentials().length === 2)
  t.same(credentials(), ['credential-1', 'credential-2'])
})

t.test('the certificate is exchanged while the server runs; a sidecar trusts its own authority only', async (t) => {
  const { server, address } = await startOperator(t)
  const renewed = createAuthority()
  const distrusting = startClient(t, address, { ca: renewed.ca })
  const { client, grants } = startClient(t, address)
  await until(() => grants.length === 1)
  setCertificate(server, renewed)
  await until(() => distrusting.grants.length === 1)
  t.ok(client.connected, 'a connection that is open stays')
})

t.test('a connection without a stream is ended, that of a sidecar stays', async (t) => {
  const operator = await startOperator(t)
  const { grants } = startClient(t, operator.address)
  await until(() => grants.length === 1)
  const idle = connect(`https://${operator.address}`, { ca: authority.ca })
  await new Promise((resolve) => idle.on('error', () => undefined).once('close', resolve))
  t.equal(operator.server.connected().length, 1)
  t.strictSame(operator.results, ['accepted'], 'it did not come again')
})

t.test('a peer has eight connections at most, and its places are given back', async (t) => {
  const operator = await startOperator(t)
  const port = Number(operator.address.split(':')[1])
  const sockets = Array.from({ length: 60 }, () => connectTcp({ port, host: '127.0.0.1' }))
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  const closed = new Set<object>()
  for (const socket of sockets) {
    socket.resume()
    socket.on('error', () => undefined).once('close', () => closed.add(socket))
  }
  await until(() => closed.size === 52)
  for (const socket of sockets) socket.destroy()
  const { credentials } = startClient(t, operator.address)
  await until(() => credentials().length === 1)
  t.equal(operator.server.connected().length, 1)
})

t.test('a grant that is not one is refused whole and the next good one taken', async (t) => {
  const bad = grantOf('x', { keyPepper: new Secret('not hexadecimal') })
  const { server, address, grants } = await startOperator(t, { grants: new Map([['team-a', bad]]) })
  const { credentials } = startClient(t, address)
  await until(() => lines.some((line) => JSON.stringify(line).includes('the pepper of keys is not hexadecimal')))
  t.same(credentials(), [])
  grants.set('team-a', grantOf('good'))
  server.pushGrants()
  await until(() => credentials().length === 1)
  t.same(server.connected().length, 1)
})

t.test('a grant beyond the bound of a message is not sent, and the stream stays', async (t) => {
  const { address, server, grants } = await startOperator(t)
  const { client, credentials } = startClient(t, address)
  await until(() => credentials().length === 1)
  grants.set('team-a', grantOf('x'.repeat(5 * 1024 * 1024)))
  server.pushGrants()
  grants.set('team-a', grantOf('small again'))
  server.pushGrants()
  await until(() => credentials().includes('small again'))
  t.same(credentials(), ['credential-1', 'small again'])
  t.ok(client.connected)
})

t.test('nothing secret is in the log', async (t) => {
  const text = JSON.stringify(lines)
  t.ok(lines.length > 10)
  // Long enough that no port or time contains one.
  const keys = ['01', '02', '03'].map((digits) => digits.repeat(8))
  for (const secret of ['credential-', 'redis-password', ...keys, 'e30.']) t.notOk(text.includes(secret), secret)
})
