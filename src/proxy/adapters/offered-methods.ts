/** Which methods a path takes: for its route, and for the refusal of another one. */
import type { AdapterRoute } from './adapter.ts'
import { ADAPTERS } from './registry.ts'

/** The address before the path, where the target of a request is the whole of it. */
const ORIGIN = /^https?:\/\/[^/]*/

/** The methods of the routes whose pattern the path of `target` follows, each once; empty where there is none. */
export function offeredMethods(target: string): readonly string[] {
  const path = target.replace(ORIGIN, '').replace(/\?.*/s, '')
  const methods = new Set<string>()
  for (const { routes } of ADAPTERS) {
    for (const route of routes) {
      if (follows(path, route.path)) for (const method of methodsOf(route)) methods.add(method)
    }
  }
  return [...methods]
}

/** What can be got can be asked for without its content. @see https://www.rfc-editor.org/rfc/rfc9110#section-9.3.2 */
export function methodsOf({ method }: AdapterRoute): readonly Method[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

type Method = AdapterRoute['method'] | 'HEAD'

/** Patterns end in `*` where they take any rest. */
function follows(path: string, pattern: string): boolean {
  if (!pattern.endsWith('/*')) return path === pattern
  const prefix = pattern.slice(0, -1)
  return path.length > prefix.length && path.startsWith(prefix)
}
