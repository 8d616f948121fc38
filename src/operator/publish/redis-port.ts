/** What publishing needs of a Redis connection; the data plane's client fits. Every call is bounded by its implementation. */
import type { RedisScript } from '../../crypto/redis-script.ts'

/** A hash comes as a list of names and values, or as a map or an object, by the protocol's version. @throws {Error} */
export function hashReply(reply: unknown): Map<string, string> {
  if (reply instanceof Map) return new Map([...reply].map(([name, value]) => [String(name), String(value)]))
  if (Array.isArray(reply))
    return new Map(
      reply.flatMap((name: unknown, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])] as const] : [])),
    )
  if (typeof reply === 'object' && reply !== null)
    return new Map(Object.entries(reply).map(([name, value]) => [name, String(value)]))
  throw new Error('unexpected answer of Redis for a hash')
}

/** For reads of what others may write: a value of another type is none. Rethrows whatever else went wrong. */
export function noneOfAnotherType(error: unknown): undefined {
  if (!isOfAnotherType(error)) throw error
  return undefined
}

/** Whether a command was refused because its key holds a value of another type. */
export function isOfAnotherType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE')
}

/** Redis itself; services that run it for others (Redis Enterprise, Upstash) have words of their own. */
const REFUSALS = /^NOPERM|^ERR unknown (sub)?command|^ERR command is not a(llowed|vailable)/i

/** Whether the login may not use a command, or the server has none of that name. The reply itself, or what the connection made of it. */
export function isRefusedCommand(error: unknown): boolean {
  return error instanceof Error && (REFUSALS.test(error.message) || isRefusedCommand(error.cause))
}

export interface PublishRedis {
  /** Whether its nodes share the keys: then a script has those of one node only. */
  readonly isCluster: boolean
  /** One command. `key` decides the node of a cluster. @throws where Redis does not answer in time. */
  send(key: string, args: readonly string[], options?: { readonly timeoutMs?: number }): Promise<unknown>
  /** A script by its digest, its text only where the server does not know it. */
  run(
    script: RedisScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options?: { readonly timeoutMs?: number },
  ): Promise<unknown>
  /** One command to every master of a cluster, elsewhere to the one server: for what is no key. */
  sendToAll(args: readonly string[], options?: { readonly timeoutMs?: number }): Promise<readonly unknown[]>
}
