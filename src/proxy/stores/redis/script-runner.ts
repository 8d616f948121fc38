/**
 * Lua scripts, called by their digest. The first call of a process sends the text, so that calls keep their order on
 * the connection: a charge that had to be sent twice would be overtaken by the next admission. Where the server has
 * forgotten the script, the first caller sends the text again, and those who call meanwhile wait for it: after a
 * restart a burst of requests would otherwise send the same twenty kilobytes each.
 */
import type { RedisScript } from '../../../crypto/redis-script.ts'
import type { Recover } from './redis-call.ts'
import { isUnknownHeader, isUnknownScript } from './redis-errors.ts'

/** Sends one command; rejects within a bound. At an error reply `recover` is asked first. */
export type Send = (command: readonly string[], recover?: Recover) => Promise<unknown>

/** One call of a script: how many keys, the keys, the arguments. */
type Arguments = readonly string[]

export class ScriptRunner {
  /** By digest: the text has been sent once. */
  readonly #sent = new Set<string>()
  /** By digest; settles, never rejects, when the server has been given the text. */
  readonly #loading = new Map<string, Promise<unknown>>()
  /** The server has refused a header. */
  #headless = false

  /** Four calls at most. @throws as `send` */
  run(script: RedisScript, keys: readonly string[], args: readonly string[], send: Send): Promise<unknown> {
    return this.#run(script, [String(keys.length), ...keys, ...args], send)
  }

  #run(script: RedisScript, args: Arguments, send: Send): Promise<unknown> {
    const known = (this.#headless && script.headless) || script
    if (!this.#sent.has(known.sha)) {
      this.#sent.add(known.sha)
      return this.#load(known, args, send)
    }
    return send(['EVALSHA', known.sha, ...args], (error) =>
      isUnknownScript(error) ? this.#runUnknown(known, args, send) : undefined,
    )
  }

  async #runUnknown(script: RedisScript, args: Arguments, send: Send): Promise<unknown> {
    const loading = this.#loading.get(script.sha)
    if (loading === undefined) return this.#load(script, args, send)
    await loading
    if (this.#headless && script.headless !== undefined) return this.#run(script, args, send)
    try {
      return await send(['EVALSHA', script.sha, ...args])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
    }
    // Another node of the cluster, or forgotten again.
    return this.#sendText(script, args, send)
  }

  #load(script: RedisScript, args: Arguments, send: Send): Promise<unknown> {
    const reply = this.#sendText(script, args, send)
    const loaded = reply.catch(() => undefined).finally(() => this.#loading.delete(script.sha))
    this.#loading.set(script.sha, loaded)
    return reply
  }

  #sendText(script: RedisScript, args: Arguments, send: Send): Promise<unknown> {
    return send(['EVAL', script.source, ...args], (error) => {
      if (script.headless === undefined || !isUnknownHeader(error)) return undefined
      this.#headless = true
      return this.#run(script, args, send)
    })
  }
}
