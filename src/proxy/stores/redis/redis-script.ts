/**
 * Lua scripts, called by their digest. The first call of a process sends the text, so that calls keep their order on
 * the connection: a charge that had to be sent twice would be overtaken by the next admission. Where the server has
 * forgotten the script, the first caller sends the text again, and those who call meanwhile wait for it: after a
 * restart a burst of requests would otherwise send the same twenty kilobytes each.
 */
import { createHash } from 'node:crypto'
import { isUnknownScript } from './redis-errors.ts'

/** A Lua script, sent by its digest; its text only where the server does not know it. */
export interface RedisScript {
  readonly source: string
  readonly sha: string
}

export function redisScript(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** Sends one command; rejects within a bound. */
export type Send = (args: readonly string[]) => Promise<unknown>

export class ScriptRunner {
  /** By digest: the text has been sent once. */
  readonly #sent = new Set<string>()
  /** By digest; settles, never rejects, when the server has been given the text. */
  readonly #loading = new Map<string, Promise<unknown>>()

  /** Three calls at most. @throws as `send` */
  async run({ sha, source }: RedisScript, rest: readonly string[], send: Send): Promise<unknown> {
    if (!this.#sent.has(sha)) {
      this.#sent.add(sha)
      return this.#load(sha, send(['EVAL', source, ...rest]))
    }
    try {
      return await send(['EVALSHA', sha, ...rest])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
    }
    const loading = this.#loading.get(sha)
    if (loading === undefined) return this.#load(sha, send(['EVAL', source, ...rest]))
    await loading
    try {
      return await send(['EVALSHA', sha, ...rest])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
    }
    // Another node of the cluster, or forgotten again.
    return send(['EVAL', source, ...rest])
  }

  #load(sha: string, reply: Promise<unknown>): Promise<unknown> {
    const loaded = reply.catch(() => undefined).finally(() => this.#loading.delete(sha))
    this.#loading.set(sha, loaded)
    return reply
  }
}
