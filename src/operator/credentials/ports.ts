/** What the credentials service needs of the cluster and of the controllers. */
import type { Secret } from '../../domain/secret.ts'

export interface TokenReviewer {
  /** Asks the API server about a token. @throws where it does not answer: the sidecar is told to come again. */
  review(token: Secret, audiences: readonly string[]): Promise<TokenReviewStatus>
}

/** The status of a TokenReview. @see https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/ */
export interface TokenReviewStatus {
  readonly authenticated: boolean
  readonly username: string
  /** The asked audiences that the token is for. Empty from an API server that does not check them. */
  readonly audiences: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export interface PodLookup {
  /** The pod as it is now, from a cache that is asked again on a miss; undefined: there is none. @throws as above */
  get(namespace: string, name: string): Promise<PodFacts | undefined>
}

export interface PodFacts {
  readonly uid: string
  readonly podIPs: readonly string[]
  readonly serviceAccount: string
  /** Whether our own sidecar is in it as we inject it. */
  readonly hasSidecar: boolean
  /** Its address is the node's, which others share: it proves nothing. */
  readonly hostNetwork: boolean
  /** Ended (Succeeded, Failed). A pod that is ending still finishes its requests. */
  readonly ended: boolean
}

/** What a sidecar of an owner (namespace) gets. */
export interface GrantContent {
  /** SubjectPublicKeyInfo, DER. */
  readonly shardKeys: readonly Uint8Array[]
  readonly redis: {
    /** Without user and password, where these are given. */
    readonly url: string
    readonly username: string
    readonly password: Secret
    /** PEM; absent: the system's certificates are trusted. */
    readonly ca?: string
  }
  /** Keys of providers that the owner's virtual keys may use. */
  readonly credentials: ReadonlyMap<string, Secret>
  readonly keyPepper: Secret
  readonly organizations: ReadonlyMap<string, { readonly redactionSecret: Secret; readonly cacheKey: Secret }>
  /** PEM of the authorities that the sidecar shall know the operator by; absent: those it was started with. */
  readonly trust?: string | undefined
}

export interface GrantSource {
  /** Undefined while it is not known: the sidecar waits on its stream for `pushGrants`. */
  grantFor(owner: string): GrantContent | undefined
}
