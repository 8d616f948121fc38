/** Scripts that stand in files of their own. */
import { readFileSync } from 'node:fs'
import { vitalScript, type RedisScript } from '../../crypto/redis-script.ts'

/** Reads a script once, at start. The caller makes the URL from its own `import.meta.url`. @throws where there is none */
export function loadScript(place: URL): RedisScript {
  return vitalScript(readFileSync(place, 'utf8'))
}
