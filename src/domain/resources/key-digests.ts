/**
 * The digests that a virtual key is valid with.
 *
 *   generated    of its text, and of the former one, which its Secret keeps for the overlap
 *   brought      of its text, and of those that it was in force with before, each until its overlap is over: nobody keeps
 *                the former text, its digest is enough
 *   unreadable   those that it is in force with: that nothing is known revokes nothing
 */
import type { KeyDigest, Milliseconds, VirtualKeyEntry } from '../snapshot/snapshot.ts'
import type { Refusal } from './conditions.ts'
import { parseDuration } from './durations.ts'
import { DEFAULT_OVERLAP_MS } from './key-rotation.ts'
import type { VirtualKeyResource } from './kinds.ts'
import { namespacedName } from './namespaced-name.ts'
import type { KeyContext } from './virtual-keys.ts'

/** A text that changes all the time must not make the entry grow. */
const MAX_FORMER = 4

/** What is known of a key's text. */
export type KeyText =
  | { readonly type: 'text'; readonly text: string }
  /** `isUnreadable`: it may well be there. */
  | { readonly type: 'refused'; readonly refusal: Refusal; readonly isUnreadable?: true }

/** The digest of the present text first; none: the key is not in force. */
export function digestsOfKey(resource: VirtualKeyResource, text: KeyText, context: KeyContext): readonly KeyDigest[] {
  const { namespace, name } = resource.metadata
  const known = context.digestsInForce(namespacedName(resource.metadata)).filter(isValidAt(context.nowMs))
  if (text.type === 'refused') return text.isUnreadable === true ? known : []
  const digest = context.digestOf(text.text, namespace)
  if (resource.spec.key.source === 'Generated') return [{ digest }, ...context.retiringDigests(namespace, name)]
  return [{ digest }, ...formerDigests(resource, known, digest, context.nowMs)]
}

function formerDigests(
  { spec }: VirtualKeyResource,
  known: readonly KeyDigest[],
  current: string,
  nowMs: Milliseconds | undefined,
): readonly KeyDigest[] {
  const { overlap } = spec.key.secretRef ?? {}
  const overlapMs = overlap === undefined ? DEFAULT_OVERLAP_MS : parseDuration(overlap)
  if (nowMs === undefined || overlapMs === 0) return []
  return (
    known
      .filter(({ digest }) => digest !== current)
      // One that ends later was replaced while the clock was ahead.
      .map(({ digest, notAfterMs = Infinity }) => ({ digest, notAfterMs: Math.min(notAfterMs, nowMs + overlapMs) }))
      .slice(0, MAX_FORMER)
  )
}

/** Entries without the former digests that are another key's present one: a text that moves has one owner. */
export function withoutMovedDigests(entries: readonly VirtualKeyEntry[]): readonly VirtualKeyEntry[] {
  const owners = new Map(entries.map(({ id, digests }) => [digests[0]?.digest, id]))
  const isMoved = ({ digest }: KeyDigest, id: string): boolean => owners.has(digest) && owners.get(digest) !== id
  return entries.map((entry) => {
    const digests = entry.digests.filter((one, index) => index === 0 || !isMoved(one, entry.id))
    return digests.length === entry.digests.length ? entry : { ...entry, digests }
  })
}

function isValidAt(nowMs: Milliseconds | undefined): (known: KeyDigest) => boolean {
  return ({ notAfterMs }) => notAfterMs === undefined || nowMs === undefined || notAfterMs > nowMs
}
