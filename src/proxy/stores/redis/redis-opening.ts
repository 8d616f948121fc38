/** One attempt to open a connection to Redis, wherever its servers hang; and the pauses between attempts. */
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import type { RedisAddress } from './redis-url.ts'
import { openWire } from './redis-wire.ts'
import type { RedisTls, RedisWire, WireOptions } from './redis-wire.ts'

const CONNECT_TIMEOUT_MS = 1_000
/** Bound of opening as a whole: address look-up, Sentinels, TLS, login. */
const OPEN_TIMEOUT_MS = 5_000
const PAUSE_MIN_MS = 50
/** Low, because ten thousand sidecars with jitter are still only five thousand attempts a second. */
export const PAUSE_MAX_MS = 2_000

/** Where a connection leads. */
export interface Target {
  readonly address: RedisAddress
  readonly tls: RedisTls
}

/** @param attempt decides with which host it begins. @throws where none of them is reached in time, or `closing` ends it */
export function openTarget(
  { address, tls }: Target,
  attempt: number,
  options: Omit<WireOptions, 'tls' | 'connectTimeoutMs'>,
  closing: AbortSignal,
): Promise<RedisWire> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(OPEN_TIMEOUT_MS)])
  const wireOptions = { ...options, tls, connectTimeoutMs: CONNECT_TIMEOUT_MS }
  return abortable(openWire(rotated(address, attempt), wireOptions, signal), signal)
}

/** Exponential with full jitter above the minimum; over at once where `signal` is aborted. */
export function pauseAfter(failures: number, random: () => number, signal: AbortSignal): Promise<void> {
  const ceiling = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** Math.min(failures, 10))
  return pause(PAUSE_MIN_MS + random() * (ceiling - PAUSE_MIN_MS), signal)
}

/** Begins with another host at each attempt, so that a frozen one does not stand in the way for ever. */
function rotated(address: RedisAddress, by: number): RedisAddress {
  const { hosts } = address
  const start = by % hosts.length
  return { ...address, hosts: [...hosts.slice(start), ...hosts.slice(0, start)] }
}

/** Where opening hangs in spite of being told to stop, what it still brings is thrown away. */
function abortable(opening: Promise<RedisWire>, signal: AbortSignal): Promise<RedisWire> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      opening.then((wire) => wire.destroy()).catch(() => undefined)
      reject(new Error('Redis did not answer while connecting'))
    }
    signal.addEventListener('abort', abort, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function pause(ms: Milliseconds, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
