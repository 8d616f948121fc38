/** What the credentials service asks of a cluster, told by the test: tokens, pods, grants. */
import { generateKeyPairSync } from 'node:crypto'
import type {
  GrantContent,
  PodFacts,
  PodLookup,
  TokenReviewer,
  TokenReviewStatus,
} from '../../src/operator/credentials/ports.ts'
import { Secret } from '../../src/domain/secret.ts'

export const POD = { namespace: 'team-a', name: 'app-1', uid: 'uid-1' }

/** What the API server says of a token of `POD`'s sidecar. */
export const REVIEW: TokenReviewStatus = {
  authenticated: true,
  username: 'system:serviceaccount:team-a:app',
  audiences: ['tollgate.dev'],
  extra: {
    'authentication.kubernetes.io/pod-name': [POD.name],
    'authentication.kubernetes.io/pod-uid': [POD.uid],
  },
}

export const FACTS: PodFacts = {
  uid: POD.uid,
  podIPs: ['127.0.0.1'],
  serviceAccount: 'app',
  hasSidecar: true,
  hostNetwork: false,
  ended: false,
}

/** A token in the shape of a JWT; only its expiry is ever read here. */
export function token(expiresInMs = 3_600_000, salt = ''): string {
  const payload = JSON.stringify({ exp: Math.floor((Date.now() + expiresInMs) / 1_000), salt })
  return `e30.${Buffer.from(payload).toString('base64url')}.c2ln`
}

export interface FakeCluster extends TokenReviewer, PodLookup {
  /** What a review says; a test may exchange it. */
  status: TokenReviewStatus | Error
  readonly pods: Map<string, PodFacts>
  reviews: number
}

export function fakeCluster(): FakeCluster {
  return {
    status: REVIEW,
    pods: new Map([[`${POD.namespace}/${POD.name}`, FACTS]]),
    reviews: 0,
    review() {
      this.reviews++
      return this.status instanceof Error ? Promise.reject(this.status) : Promise.resolve(this.status)
    },
    get(namespace, name) {
      return Promise.resolve(this.pods.get(`${namespace}/${name}`))
    },
  }
}

const SHARD_KEY = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })

/** A grant whose provider `p` has this key. */
export function grantOf(credential: string, parts: Partial<GrantContent> = {}): GrantContent {
  return {
    shardKeys: [SHARD_KEY],
    redis: { url: 'redis://127.0.0.1:6379', username: 'tenant', password: new Secret('redis-password') },
    credentials: new Map([['p', new Secret(credential)]]),
    keyPepper: new Secret('01'.repeat(32)),
    organizations: new Map([
      ['acme', { redactionSecret: new Secret('02'.repeat(32)), cacheKey: new Secret('03'.repeat(32)) }],
    ]),
    ...parts,
  }
}
