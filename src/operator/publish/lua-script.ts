/** A Lua script as Redis is asked to run it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface LuaScript {
  readonly source: string
  /** SHA-1 of the source, hexadecimal: what `EVALSHA` names. */
  readonly sha: string
}

/** Reads a script once, at start. The caller makes the URL from its own `import.meta.url`. @throws where there is none */
export function loadScript(place: URL): LuaScript {
  const source = readFileSync(place, 'utf8')
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}
