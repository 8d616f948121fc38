/** Names of what writer and readers of shards share in the store beside the shards themselves. */

/** The highest epoch that has written. */
export const EPOCH_KEY = 'tg:cfg:epoch'

/** Hash: name of a shard to its revision, of all that are published. */
export const INDEX_KEY = 'tg:cfg:index'

/** Channel on which the names of changed shards are published, separated by spaces. A hint only. */
export const HINT_CHANNEL = 'tg:cfg:changed'

/** Set: the instances of an owner that have acknowledged something of late. */
export function acknowledgersKey(owner: string): string {
  return `tg:ack:${owner}`
}

/** What one instance runs: an `Acknowledgement` as JSON, expiring. */
export function acknowledgementKey(owner: string, instance: string): string {
  return `tg:ack:${owner}:${instance}`
}

/**
 * Hash: instance of an owner to the providers whose circuit breakers are open there, separated by spaces. No instance
 * has a name with a colon.
 */
export function circuitsKey(owner: string): string {
  return acknowledgementKey(owner, ':circuits')
}

/** The revision that an instance runs, as a whole and by shard. */
export interface Acknowledgement {
  readonly revision: string
  readonly shards: Readonly<Record<string, string>>
}
