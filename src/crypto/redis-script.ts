/** Lua scripts as Redis is asked to run them: by digest, with the text where the server does not know it. */
import { createHash } from 'node:crypto'

export interface RedisScript {
  readonly source: string
  /** SHA-1 of the source, hexadecimal: what `EVALSHA` names. */
  readonly sha: string
  /** The same without a header, for servers that know none: Redis before version 7. */
  readonly headless?: RedisScript
}

/** The first line of a script that may write where the memory of the server is used up. */
const ALLOW_OOM = '#!lua flags=allow-oom\n'

export function redisScript(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/**
 * A script that also runs on a server whose memory is used up, by cached answers above all: for counters, which take next to
 * nothing, and for configuration, as a key that is taken back must be refused.
 */
export function vitalScript(source: string): RedisScript {
  return { ...redisScript(ALLOW_OOM + source), headless: redisScript(source) }
}
