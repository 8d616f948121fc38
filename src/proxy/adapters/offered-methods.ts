/** Which methods a path takes, for its route and for the refusal of another one, and under which adapter it would be one. */
import type { AdapterRoute, ClientAdapter } from './adapter.ts'
import { ADAPTERS } from './registry.ts'

/** The address before the path, where the target of a request is the whole of it. */
const ORIGIN = /^https?:\/\/[^/]*/

/** The methods of the routes whose pattern the path of `target` follows, each once; empty where there is none. */
export function offeredMethods(target: string): readonly string[] {
  const path = pathOf(target)
  const methods = new Set<string>()
  for (const { routes } of ADAPTERS) {
    for (const route of routes) {
      if (follows(path, route.path)) for (const method of methodsOf(route)) methods.add(method)
    }
  }
  return [...methods]
}

/** The adapter that has a route for what came without its prefix, as of an SDK whose base URL is the host alone. */
export function adapterMeant(method: string, target: string): ClientAdapter | undefined {
  return ADAPTERS.find(({ label, routes }) => {
    const path = `/adapters/${label}${pathOf(target)}`
    return routes.some((route) => methodsOf(route).some((own) => own === method) && takes(route, path))
  })
}

function takes({ path: pattern, hints }: AdapterRoute, path: string): boolean {
  if (!follows(path, pattern)) return false
  return hints === undefined || hints({ '*': path.slice(pattern.length - 1) }, new URLSearchParams()) !== undefined
}

/** The path of a request's target, without its query. */
export function pathOf(target: string): string {
  return target.replace(ORIGIN, '').replace(/\?.*/s, '')
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
