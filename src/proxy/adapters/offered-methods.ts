/** Which methods a path takes: for the refusal of another one. */
import { ADAPTERS } from './registry.ts'

/** The address before the path, where the target of a request is the whole of it. */
const ORIGIN = /^https?:\/\/[^/]*/

/** The methods of the routes whose pattern the path of `target` follows, each once; empty where there is none. */
export function offeredMethods(target: string): readonly string[] {
  const path = target.replace(ORIGIN, '').replace(/\?.*/s, '')
  const methods = new Set<string>()
  for (const { routes } of ADAPTERS) {
    for (const route of routes) {
      if (follows(path, route.path)) methods.add(route.method)
    }
  }
  return [...methods]
}

/** Patterns end in `*` where they take any rest. */
function follows(path: string, pattern: string): boolean {
  if (!pattern.endsWith('/*')) return path === pattern
  const prefix = pattern.slice(0, -1)
  return path.length > prefix.length && path.startsWith(prefix)
}
