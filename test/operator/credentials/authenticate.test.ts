import t from 'tap'
import { AdmissionLimits } from '../../../src/operator/credentials/admission-limits.ts'
import { Authenticator } from '../../../src/operator/credentials/authenticate.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { FACTS, fakeCluster, POD, REVIEW, token, type FakeCluster } from '../../helpers/fake-cluster.ts'

const CLAIM = { namespace: POD.namespace, pod: POD.name, uid: POD.uid }

interface Attempt {
  readonly cluster?: FakeCluster
  readonly token?: string
  readonly address?: string
  readonly claim?: Partial<typeof CLAIM>
}

function attempt({ cluster = fakeCluster(), token: text = token(), address = '127.0.0.1', claim = {} }: Attempt) {
  const authenticator = new Authenticator({ reviewer: cluster, pods: cluster, now: Date.now })
  return authenticator.authenticate(new Secret(text), address, { ...CLAIM, ...claim })
}

function reviewed(change: Partial<typeof REVIEW>): FakeCluster {
  return Object.assign(fakeCluster(), { status: { ...REVIEW, ...change } })
}

function withPod(change: Partial<typeof FACTS> | undefined): FakeCluster {
  const cluster = fakeCluster()
  if (change === undefined) cluster.pods.clear()
  else cluster.pods.set('team-a/app-1', { ...FACTS, ...change })
  return cluster
}

t.test('the sidecar of a pod is accepted, on any of its addresses', async (t) => {
  const { type, ...rest } = await attempt({})
  t.equal(type, 'accepted')
  t.match(rest, { identity: { ...CLAIM, serviceAccount: 'app' } })
  for (const address of ['::ffff:127.0.0.1', '10.0.0.1', 'FD00::1'])
    t.match(
      await attempt({ address, cluster: withPod({ podIPs: ['127.0.0.1', '10.0.0.1', 'fd00::1'] }) }),
      { type: 'accepted' },
      address,
    )
})

t.test('everybody else is refused, each for the reason that gives them away', async (t) => {
  const unbound = { 'authentication.kubernetes.io/node-name': ['n'] }
  const cases: readonly [string, Attempt][] = [
    ['not-authenticated', { cluster: reviewed({ authenticated: false }) }],
    ['wrong-audience', { cluster: reviewed({ audiences: ['https://kubernetes.default.svc'] }) }],
    ['wrong-audience', { cluster: reviewed({ audiences: [] }) }],
    ['not-a-service-account', { cluster: reviewed({ username: 'alice' }) }],
    ['not-pod-bound', { cluster: reviewed({ extra: unbound }) }],
    ['not-pod-bound', { token: 'opaque' }],
    ['expired', { token: token(-1_000) }],
    ['no-token', { token: 'x'.repeat(20_000) }],
    ['other-pod', { claim: { namespace: 'team-b' } }],
    ['other-pod', { claim: { pod: 'app-2' } }],
    ['other-pod', { claim: { uid: 'uid-2' } }],
    ['no-such-pod', { cluster: withPod(undefined) }],
    ['no-such-pod', { cluster: withPod({ uid: 'uid-of-its-successor' }) }],
    ['pod-ended', { cluster: withPod({ ended: true }) }],
    ['other-service-account', { cluster: withPod({ serviceAccount: 'default' }) }],
    ['no-sidecar', { cluster: withPod({ hasSidecar: false }) }],
    ['host-network', { cluster: withPod({ hostNetwork: true }) }],
    ['other-address', { address: '127.0.0.2' }],
    ['other-address', { cluster: withPod({ podIPs: [] }) }],
  ]
  for (const [reason, one] of cases) t.same(await attempt(one), { type: 'refused', reason }, reason)
  const authenticator = new Authenticator({ reviewer: fakeCluster(), pods: fakeCluster(), now: Date.now })
  t.same(await authenticator.authenticate(undefined, '127.0.0.1', CLAIM), { type: 'refused', reason: 'no-token' })
})

t.test(
  'a review is believed for a minute and never beyond the end of the token; the pod is asked each time',
  async (t) => {
    const cluster = fakeCluster()
    let now = Date.now()
    const authenticator = new Authenticator({ reviewer: cluster, pods: cluster, now: () => now })
    const authenticate = (text: string) => authenticator.authenticate(new Secret(text), '127.0.0.1', CLAIM)
    const long = token()
    for (let time = 0; time < 5; time++) t.match(await authenticate(long), { type: 'accepted' })
    t.equal(cluster.reviews, 1)
    now += 61_000
    t.match(await authenticate(long), { type: 'accepted' })
    t.equal(cluster.reviews, 2)
    const short = token(now - Date.now() + 10_000)
    await authenticate(short)
    now += 11_000
    t.same(await authenticate(short), { type: 'refused', reason: 'expired' })
    t.equal(cluster.reviews, 4)
    cluster.pods.clear()
    t.same(await authenticate(long), { type: 'refused', reason: 'no-such-pod' })
    t.equal(cluster.reviews, 4)
  },
)

t.test('a refusal is not remembered, and a deleted pod is forgotten', async (t) => {
  const cluster = reviewed({ authenticated: false })
  const authenticator = new Authenticator({ reviewer: cluster, pods: cluster, now: Date.now })
  const secret = new Secret(token())
  const authenticate = () => authenticator.authenticate(secret, '127.0.0.1', CLAIM)
  t.match(await authenticate(), { type: 'refused' })
  cluster.status = REVIEW
  t.match(await authenticate(), { type: 'accepted' })
  authenticator.forgetPod(POD.uid)
  await authenticate()
  t.equal(cluster.reviews, 3)
})

t.test('an API server that does not answer is an error, not a refusal', async (t) => {
  const cluster = Object.assign(fakeCluster(), { status: new Error('connection refused') })
  await t.rejects(attempt({ cluster }), { message: 'connection refused' })
})

t.test('one peer has few streams and few attempts a minute; others are not affected', async (t) => {
  let now = 0
  const limits = new AdmissionLimits(() => now)
  const leaves = [1, 2, 3, 4].map(() => limits.enter('10.0.0.1'))
  t.ok(leaves.every((leave) => leave !== undefined))
  t.equal(limits.enter('10.0.0.1'), undefined, 'a fifth stream')
  t.ok(limits.enter('10.0.0.2'))
  for (const leave of leaves) leave?.()
  for (let attempts = 5; attempts < 30; attempts++) limits.enter('10.0.0.1')?.()
  t.equal(limits.enter('10.0.0.1'), undefined, 'a thirty-first attempt within the minute')
  now += 60_000
  t.ok(limits.enter('10.0.0.1'))
})
