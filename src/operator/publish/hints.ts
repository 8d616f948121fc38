/**
 * Hears of publications, whichever replica has made them, to pass them on to the sidecars of this one: two connections
 * of operators in place of ten thousand of sidecars. Only a hint: what is lost is found by the look each second.
 */
import { createClient } from '@redis/client'
import { HINT_CHANNEL } from '../../domain/snapshot/shard-store.ts'

const RECONNECT_MIN_MS = 500
const RECONNECT_MAX_MS = 10_000
/** Names of shards in one hint; more than a publication's batch is nobody's hint. */
const MAX_NAMES = 1_024

export interface HintOptions {
  /** `redis://` or `rediss://` with user and password. */
  readonly url: string
  /** PEM; absent: the system's certificates are trusted. */
  readonly ca?: string
  /** Told the names of the shards that have changed. Must not throw. */
  readonly onHint: (shards: readonly string[]) => void
  /** 0..1, for the jitter. */
  readonly random: () => number
}

/** Listens until closed, over lost connections; never throws. */
export function listenForHints(options: HintOptions): { close(): void } {
  const { url, ca, onHint, random } = options
  const client = createClient({
    url,
    socket: {
      ...(ca === undefined ? {} : { tls: true, ca }),
      reconnectStrategy: (retries) =>
        RECONNECT_MIN_MS + random() * Math.min(RECONNECT_MAX_MS, RECONNECT_MIN_MS * 2 ** Math.min(retries, 6)),
    },
  })
  // The publisher's connection tells the log of a Redis that is away.
  client.on('error', () => undefined)
  const listening = client
    .connect()
    .then(() =>
      client.subscribe(HINT_CHANNEL, (message) => {
        const names = message.split(' ')
        if (names.length <= MAX_NAMES) onHint(names)
      }),
    )
    .catch(() => undefined)
  return {
    close() {
      client.destroy()
      void listening
    },
  }
}
