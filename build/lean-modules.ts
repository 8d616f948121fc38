/**
 * Modules that load far more than is used, cut down for the bundle:
 *
 * - `node:http` imported as an ES module makes Node read every export, among them `WebSocket`, whose getter loads the copy
 *   of undici inside Node. Asked for by `require`, it does not.
 * - undici's index loads fetch, WebSocket, caches and mocks. The gateway uses pools, agents and their proxies.
 * - `@redis/client` makes methods of all of Redis' four hundred commands, each a module. The gateway sends commands by their
 *   words (`sendCommand`); what the library itself asks for is here.
 */
import type { Plugin } from 'esbuild'

const NAMESPACE = 'lean'
/** As the library's modules name it. */
const REDIS_COMMANDS = '../commands'

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
  '@redis/client': `
module.exports = {
  createClient: require('@redis/client/dist/lib/client').default.create,
  createCluster: require('@redis/client/dist/lib/cluster').default.create,
  RESP_TYPES: require('@redis/client/dist/lib/RESP/decoder').RESP_TYPES,
}`,
  [REDIS_COMMANDS]: `
const own = {
  AUTH: require('@redis/client/dist/lib/commands/AUTH').default,
  CLIENT_SETNAME: require('@redis/client/dist/lib/commands/CLIENT_SETNAME').default,
  CLUSTER_SLOTS: require('@redis/client/dist/lib/commands/CLUSTER_SLOTS').default,
  READONLY: require('@redis/client/dist/lib/commands/READONLY').default,
}
const commands = { ...own, clusterSlots: own.CLUSTER_SLOTS }
module.exports = { __esModule: true, default: commands, NON_STICKY_COMMANDS: commands }`,
}

export function leanModules(): Plugin {
  return {
    name: 'lean-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:http|undici|@redis\/client)$/ }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace: NAMESPACE } : undefined,
      )
      onResolve({ filter: /^\.\.\/commands$/ }, ({ path, importer }) =>
        /[/\\]@redis[/\\]client[/\\]/.test(importer) ? { path, namespace: NAMESPACE } : undefined,
      )
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        loader: 'js',
        contents: CONTENTS[path] ?? '',
        resolveDir: import.meta.dirname,
      }))
    },
  }
}
