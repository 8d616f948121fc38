/**
 * Whether a caller is the sidecar that it says it is. Each step closes one way of pretending:
 *
 *     token valid for our audience   a token stolen from another service, or the pod's ordinary one
 *     bound to the claimed pod       a token made by `create serviceaccounts/token` without a pod
 *     pod exists, same uid           a token kept from a pod that is gone
 *     pod has our sidecar            a pod that mounts a token of our audience by itself
 *     address is the pod's           a token carried out of its pod
 *
 * What was wrong is told to the log, never to the caller.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
 */
import { createHash } from 'node:crypto'
import { isJsonObject } from '../../domain/json.ts'
import type { Secret } from '../../domain/secret.ts'
import type { PodLookup, TokenReviewer, TokenReviewStatus } from './ports.ts'

/** Audience of the tokens that are projected into sidecars. */
export const AUDIENCE = 'tollgate.dev'

/** A review is believed so long: a revoked token is of use for no longer than this. */
const REVIEW_CACHE_MS = 60_000
const MAX_CACHED_REVIEWS = 20_000
const MAX_TOKEN_LENGTH = 16 * 1024

const POD_NAME = 'authentication.kubernetes.io/pod-name'
const POD_UID = 'authentication.kubernetes.io/pod-uid'
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

export interface Claim {
  readonly namespace: string
  readonly pod: string
  readonly uid: string
}

export interface SidecarIdentity extends Claim {
  readonly serviceAccount: string
  /** When its token ends, milliseconds since the epoch. */
  readonly expiresAtMs: number
}

export type Authentication =
  | { readonly type: 'accepted'; readonly identity: SidecarIdentity }
  | { readonly type: 'refused'; readonly reason: RefusalReason }

export type RefusalReason =
  | 'no-token'
  | 'not-authenticated'
  | 'wrong-audience'
  | 'not-a-service-account'
  | 'not-pod-bound'
  | 'expired'
  | 'other-pod'
  | 'no-such-pod'
  | 'pod-ended'
  | 'other-service-account'
  | 'no-sidecar'
  | 'host-network'
  | 'other-address'

export interface AuthenticatorOptions {
  readonly reviewer: TokenReviewer
  readonly pods: PodLookup
  readonly now: () => number
}

interface Reviewed {
  readonly identity: SidecarIdentity
  readonly believedUntilMs: number
}

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #reviewed = new Map<string, Reviewed>()

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  /** @param peerAddress without port. @throws where the API server does not answer. */
  async authenticate(token: Secret | undefined, peerAddress: string, claim: Claim): Promise<Authentication> {
    const reviewed = await this.#review(token)
    if (reviewed.type === 'refused') return reviewed
    const { identity } = reviewed
    if (identity.namespace !== claim.namespace || identity.pod !== claim.pod || identity.uid !== claim.uid)
      return refused('other-pod')
    const problem = await this.#checkPod(identity, peerAddress)
    return problem === undefined ? reviewed : refused(problem)
  }

  /** Forgets what is known of a pod's tokens: it has been deleted. */
  forgetPod(uid: string): void {
    for (const [hash, { identity }] of this.#reviewed) if (identity.uid === uid) this.#reviewed.delete(hash)
  }

  async #review(token: Secret | undefined): Promise<Authentication> {
    if (token === undefined || token.reveal().length > MAX_TOKEN_LENGTH) return refused('no-token')
    const hash = createHash('sha256').update(token.reveal()).digest('base64')
    const known = this.#reviewed.get(hash)
    if (known !== undefined && this.#options.now() < known.believedUntilMs)
      return { type: 'accepted', identity: known.identity }
    this.#reviewed.delete(hash)
    const judged = judge(await this.#options.reviewer.review(token, [AUDIENCE]), expiryOf(token), this.#options.now())
    if (judged.type === 'accepted') this.#remember(hash, judged.identity)
    return judged
  }

  #remember(hash: string, identity: SidecarIdentity): void {
    const [oldest] = this.#reviewed.keys()
    if (this.#reviewed.size >= MAX_CACHED_REVIEWS && oldest !== undefined) this.#reviewed.delete(oldest)
    const believedUntilMs = Math.min(identity.expiresAtMs, this.#options.now() + REVIEW_CACHE_MS)
    this.#reviewed.set(hash, { identity, believedUntilMs })
  }

  async #checkPod(identity: SidecarIdentity, peerAddress: string): Promise<RefusalReason | undefined> {
    const pod = await this.#options.pods.get(identity.namespace, identity.pod)
    if (pod === undefined || pod.uid !== identity.uid) return 'no-such-pod'
    if (pod.ended) return 'pod-ended'
    if (pod.serviceAccount !== identity.serviceAccount) return 'other-service-account'
    if (!pod.hasSidecar) return 'no-sidecar'
    if (pod.hostNetwork) return 'host-network'
    return pod.podIPs.map(plainAddress).includes(plainAddress(peerAddress)) ? undefined : 'other-address'
  }
}

/** An IPv4 address in IPv6's clothes is the IPv4 address. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
}

function judge(status: TokenReviewStatus, expiresAtMs: number | undefined, nowMs: number): Authentication {
  if (!status.authenticated) return refused('not-authenticated')
  if (!status.audiences.includes(AUDIENCE)) return refused('wrong-audience')
  const account = SERVICE_ACCOUNT.exec(status.username)
  if (account === null) return refused('not-a-service-account')
  const pod = only(status.extra[POD_NAME])
  const uid = only(status.extra[POD_UID])
  if (pod === undefined || uid === undefined || expiresAtMs === undefined) return refused('not-pod-bound')
  if (expiresAtMs <= nowMs) return refused('expired')
  const [, namespace = '', serviceAccount = ''] = account
  return { type: 'accepted', identity: { namespace, pod, uid, serviceAccount, expiresAtMs } }
}

function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 && values[0] !== '' ? values[0] : undefined
}

/** The `exp` of a token whose signature the API server has checked; a TokenReview does not tell it. */
function expiryOf(token: Secret): number | undefined {
  try {
    const [, payload = ''] = token.reveal().split('.')
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const expiry = isJsonObject(claims) ? claims['exp'] : undefined
    return typeof expiry === 'number' && Number.isFinite(expiry) ? expiry * 1_000 : undefined
  } catch {
    return undefined
  }
}

function refused(reason: RefusalReason): Authentication {
  return { type: 'refused', reason }
}
