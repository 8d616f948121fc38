import type { WatchOptions } from './kube-api.ts'
import { Deadline } from './deadline.ts'
import { KubeError, LOCAL_REASONS } from './kube-error.ts'
import type { KubeHttp } from './kube-http.ts'
import { collectionPath } from './resource.ts'
import type { Resource } from './resource.ts'
import type { Timing } from './timing.ts'
import { decodeWatchEvents } from './watch-events.ts'
import type { WatchEvent } from './watch-events.ts'

/** A watch that opens late is as good as one that does not. */
const WATCH_OPEN_TIMEOUT_MS = 30_000
/** The server ends the watch after so long. */
const WATCH_SECONDS = 300
/** Bookmarks come about every 60 s: one may be lost. */
const INACTIVITY_MS = 130_000

/**
 * One watch until the server ends it.
 * @throws KubeError when it breaks or is silent for too long (its connection may have died without a word), or as the server says.
 */
export async function* watch(
  http: KubeHttp,
  timing: Timing,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { inactivityMs = INACTIVITY_MS, timeoutSeconds = WATCH_SECONDS, resourceVersion } = options
  const silence = new Deadline(timing, inactivityMs, options.signal)
  const body = http.stream({
    method: 'GET',
    path: collectionPath(resource, options.namespace),
    query: {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion,
      timeoutSeconds,
    },
    timeoutMs: WATCH_OPEN_TIMEOUT_MS,
    signal: silence.signal,
  })
  try {
    for await (const event of decodeWatchEvents(body)) {
      silence.restart()
      yield event
    }
  } catch (error) {
    if (!silence.expired) throw error
    const message = `the watch of ${resource.plural} was silent for ${inactivityMs} ms`
    throw new KubeError(message, { status: 0, reason: LOCAL_REASONS.timeout, cause: error })
  } finally {
    silence.end()
  }
}
