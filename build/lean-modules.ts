/**
 * Two modules that load far more than is used, cut down for the bundle:
 *
 * - `node:http` imported as an ES module makes Node read every export, among them `WebSocket`, whose getter loads the copy
 *   of undici inside Node. Asked for by `require`, it does not.
 * - undici's index loads fetch, WebSocket, caches and mocks. The gateway uses pools, agents and their proxies.
 */
import type { Plugin } from 'esbuild'

const NAMESPACE = 'lean'

const CONTENTS: Readonly<Record<string, string>> = {
  'node:http': `module.exports = require('node:http')`,
  undici: `
const Dispatcher = require('undici/lib/dispatcher/dispatcher')
Object.assign(Dispatcher.prototype, require('undici/lib/api'))
module.exports = {
  Agent: require('undici/lib/dispatcher/agent'),
  Pool: require('undici/lib/dispatcher/pool'),
  ProxyAgent: require('undici/lib/dispatcher/proxy-agent'),
}`,
}

export function leanModules(): Plugin {
  return {
    name: 'lean-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:http|undici)$/ }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace: NAMESPACE } : undefined,
      )
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        loader: 'js',
        contents: CONTENTS[path] ?? '',
        resolveDir: import.meta.dirname,
      }))
    },
  }
}
