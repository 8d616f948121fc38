/**
 * Lua scripts, called by their digest. The first call of a process sends the text, so that calls keep their order on
 * the connection: a charge that had to be sent twice would be overtaken by the next admission. Where the server has
 * forgotten the script, the first caller sends the text again, and those who call meanwhile wait for it: after a
 * restart a burst of requests would otherwise send the same twenty kilobytes each.
 */
import { createHash } from 'node:crypto'
import type { Recover } from './redis-call.ts'
import { isUnknownScript } from './redis-errors.ts'

/** A Lua script, sent by its digest; its text only where the server does not know it. */
export interface RedisScript {
  readonly source: string
  readonly sha: string
}

export function redisScript(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/** Sends one command; rejects within a bound. At an error reply `recover` is asked first. */
export type Send = (command: readonly string[], recover?: Recover) => Promise<unknown>

export class ScriptRunner {
  /** By digest: the text has been sent once. */
  readonly #sent = new Set<string>()
  /** By digest; settles, never rejects, when the server has been given the text. */
  readonly #loading = new Map<string, Promise<unknown>>()

  /** Three calls at most. @throws as `send` */
  run(script: RedisScript, keys: readonly string[], args: readonly string[], send: Send): Promise<unknown> {
    const command = ['EVALSHA', script.sha, String(keys.length), ...keys, ...args]
    if (!this.#sent.has(script.sha)) {
      this.#sent.add(script.sha)
      return this.#load(script, command, send)
    }
    return send(command, (error) => (isUnknownScript(error) ? this.#runUnknown(script, command, send) : undefined))
  }

  async #runUnknown(script: RedisScript, command: readonly string[], send: Send): Promise<unknown> {
    const loading = this.#loading.get(script.sha)
    if (loading === undefined) return this.#load(script, command, send)
    await loading
    try {
      return await send(command)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
    }
    // Another node of the cluster, or forgotten again.
    return send(withText(script, command))
  }

  #load(script: RedisScript, command: readonly string[], send: Send): Promise<unknown> {
    const reply = send(withText(script, command))
    const loaded = reply.catch(() => undefined).finally(() => this.#loading.delete(script.sha))
    this.#loading.set(script.sha, loaded)
    return reply
  }
}

function withText({ source }: RedisScript, command: readonly string[]): readonly string[] {
  return ['EVAL', source, ...command.slice(2)]
}
