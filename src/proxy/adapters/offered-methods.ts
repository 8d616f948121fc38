/** Which methods a path takes: for the refusal of another one. */
import { ADAPTERS } from './registry.ts'

/** The address before the path, where the target of a request is the whole of it. */
const ORIGIN = /^https?:\/\/[^/]*/

const NO_QUERY = new URLSearchParams()

/** The methods of the routes that `target` leads to, each once; empty where no route has this path. */
export function offeredMethods(target: string): readonly string[] {
  const path = target.replace(ORIGIN, '').replace(/\?.*/s, '')
  const methods = new Set<string>()
  for (const { routes } of ADAPTERS) {
    for (const route of routes) {
      const rest = restOf(path, route.path)
      if (rest === undefined) continue
      if (route.hints === undefined || route.hints({ '*': rest }, NO_QUERY) !== undefined) methods.add(route.method)
    }
  }
  return [...methods]
}

/** What stands where a pattern takes any rest; undefined where the path does not follow the pattern. */
function restOf(path: string, pattern: string): string | undefined {
  if (!pattern.endsWith('/*')) return path === pattern ? '' : undefined
  const prefix = pattern.slice(0, -1)
  return path.length > prefix.length && path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}
