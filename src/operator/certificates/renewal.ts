/**
 * When certificates are renewed. Pure: the state that there is and the time in, the state that there should be out.
 *
 *     0 %                          80 %                      90 %                  100 % of the authority's life
 *     |---- signs, trusted --------|---- signs, trusted -----|---- trusted --------|
 *                     its successor|---- trusted ------------|---- signs, trusted ------ ...
 *
 * Between 80 and 90 % every client learns the successor: API servers from the webhook configuration, new sidecars from
 * their pods' specification, running ones from their grants. Only then does it sign.
 */
import { X509Certificate } from 'node:crypto'
import type { Milliseconds } from '../kube/timing.ts'
import type { Issued } from './issue.ts'
import { parseCertificate, splitPem, validityOf } from './serving-certificate.ts'
import type { ServingCertificate } from './serving-certificate.ts'

const AUTHORITY_RENEWED_AT = 0.8
const SERVER_RENEWED_AT = 2 / 3
/** For a lifetime that has been shortened: what lasts longer than a new one by this much is exchanged. */
const LASTS_TOO_LONG = 1.2

export interface AuthorityState {
  /** Signs servers' certificates. */
  readonly signer: Issued
  /** Will sign; trusted already. */
  readonly next?: Issued
  /** Do not sign any more and are trusted until they end; PEM. */
  readonly previous: readonly string[]
}

/**
 * The authority as it should be. Returns `state` itself where nothing is to be done.
 * @param formerTrust PEM of authorities that an earlier, lost authority had; they stay trusted until they end
 */
export async function renewAuthority(
  state: AuthorityState | undefined,
  now: Milliseconds,
  issue: () => Promise<Issued>,
  formerTrust = '',
): Promise<AuthorityState> {
  if (state === undefined) return { signer: await issue(), previous: splitPem(formerTrust).filter(isValidAt(now)) }
  const { signer, next } = state
  const previous = state.previous.filter(isValidAt(now))
  // Made while the clock was ahead: nobody else would take what it signs.
  if (validity(signer.certificate).notBeforeMs > now) {
    return { ...state, signer: await issue(), previous: [...previous, signer.certificate] }
  }
  if (next !== undefined && now >= promotionOf(signer, next)) {
    return { signer: next, previous: [...previous, signer.certificate].filter(isValidAt(now)) }
  }
  if (next === undefined && now >= pointOf(signer.certificate, AUTHORITY_RENEWED_AT)) {
    return renewAuthority({ signer, next: await issue(), previous }, now, issue)
  }
  return previous.length === state.previous.length ? state : { ...state, previous }
}

/** All that clients shall trust, PEM. The order is that of coming, so that it changes only when its content does. */
export function trustOf({ signer, next, previous }: AuthorityState): string {
  return [...previous, signer.certificate, ...(next === undefined ? [] : [next.certificate])].join('')
}

/** Why a new server certificate must be issued; undefined: the one that there is will do. */
export function serverRenewalReason(
  current: ServingCertificate | undefined,
  wanted: { readonly names: readonly string[]; readonly lifetimeMs: Milliseconds; readonly state: AuthorityState },
  now: Milliseconds,
): 'missing' | 'due' | 'not valid yet' | 'other names' | 'longer than wanted' | 'unknown authority' | undefined {
  if (current === undefined) return 'missing'
  const leaf = new X509Certificate(current.certificate)
  if (now >= pointOf(current.certificate, SERVER_RENEWED_AT)) return 'due'
  if (current.notBeforeMs > now) return 'not valid yet'
  if (wanted.names.some((name) => leaf.checkHost(name) === undefined)) return 'other names'
  if (current.notAfterMs - current.notBeforeMs > wanted.lifetimeMs * LASTS_TOO_LONG) return 'longer than wanted'
  const isKnown = splitPem(trustOf(wanted.state)).some((one) => leaf.verify(new X509Certificate(one).publicKey))
  return isKnown ? undefined : 'unknown authority'
}

/** When to look next: the earliest moment at which something may be due. */
export function nextRenewal(state: AuthorityState, server: ServingCertificate): Milliseconds {
  const authority =
    state.next === undefined
      ? pointOf(state.signer.certificate, AUTHORITY_RENEWED_AT)
      : promotionOf(state.signer, state.next)
  return Math.min(authority, pointOf(server.certificate, SERVER_RENEWED_AT))
}

/** Half of what is left when the successor was made, so that an operator that was away for long still leaves an overlap. */
function promotionOf(signer: Issued, next: Issued): Milliseconds {
  return (validity(signer.certificate).notAfterMs + validity(next.certificate).notBeforeMs) / 2
}

function pointOf(pem: string, share: number): Milliseconds {
  const { notBeforeMs, notAfterMs } = validity(pem)
  return notBeforeMs + share * (notAfterMs - notBeforeMs)
}

function isValidAt(now: Milliseconds): (pem: string) => boolean {
  return (pem) => validity(pem).notAfterMs > now
}

function validity(pem: string) {
  return validityOf(parseCertificate(pem, 'a certificate of the authority'))
}
