import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { asArray, asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject, JsonValue } from '../../domain/json.ts'
import { Secret } from '../../domain/secret.ts'
import type { ConnectionSources, KubeConnection, KubeTls } from './connection.ts'
import { execToken, fileToken, fixedToken } from './tokens.ts'
import type { TokenSource } from './tokens.ts'

/** One file of the list, with the folder that its relative paths start from. */
interface ConfigFile {
  readonly path: string
  readonly folder: string
  readonly content: JsonObject
}

/** A named entry of `clusters`, `users` or `contexts`. */
interface Entry {
  readonly folder: string
  readonly value: JsonObject
}

/**
 * The connection of the current context. As in kubectl the first of several files that names something wins, and those
 * that are not there are passed over.
 * @throws Error that names the file and what is missing.
 */
export async function readKubeconfig(paths: readonly string[], sources: ConnectionSources): Promise<KubeConnection> {
  const where = paths.join(':')
  const files = (await Promise.all(paths.map(readConfigFile))).filter((file) => file !== undefined)
  if (files.length === 0) throw new Error(`there is no kubeconfig at ${where}; KUBECONFIG names where it is`)
  const current = files
    .map(({ content }) => asString(content['current-context']))
    .find((name) => name !== undefined && name !== '')
  if (current === undefined) throw new Error(`${where} has no current-context`)
  const context = find(files, 'contexts', 'context', current, where)
  const cluster = find(files, 'clusters', 'cluster', asString(context.value['cluster']), where)
  const user = find(files, 'users', 'user', asString(context.value['user']), where)
  const server = asString(cluster.value['server'])
  if (server === undefined) throw new Error(`${where}: the cluster of context ${current} has no server`)
  for (const field of ['auth-provider', 'username', 'as']) {
    if (user.value[field] !== undefined)
      throw new Error(`${where}: the user of context ${current} has ${field}, which is not supported`)
  }
  if ((cluster.value['proxy-url'] ?? '') !== '')
    throw new Error(`${where}: the cluster of context ${current} has proxy-url, which is not supported`)
  return {
    server: server.replace(/\/+$/, ''),
    tls: await readTls(cluster, user),
    token: tokenOf(user, sources),
    namespace: asString(context.value['namespace']) ?? 'default',
  }
}

async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const content: unknown = parse(text)
  if (!isJsonObject(content)) throw new Error(`${path} is not a kubeconfig`)
  return { path, folder: dirname(resolve(path)), content }
}

function find(
  files: readonly ConfigFile[],
  list: string,
  field: string,
  name: string | undefined,
  where: string,
): Entry {
  for (const { folder, content } of files) {
    const named = asArray(content[list]).find((item) => asObject(item)?.['name'] === name)
    const value = asObject(asObject(named)?.[field])
    if (value !== undefined) return { folder, value }
  }
  throw new Error(`${where} has no ${field} named ${name ?? '(none)'}`)
}

async function readTls(cluster: Entry, user: Entry): Promise<KubeTls> {
  const [ca, certificate, key] = await Promise.all([
    readPem(cluster, 'certificate-authority'),
    readPem(user, 'client-certificate'),
    readPem(user, 'client-key'),
  ])
  return {
    ca,
    certificate,
    key: key === undefined ? undefined : new Secret(key),
    serverName: asString(cluster.value['tls-server-name']),
    insecure: cluster.value['insecure-skip-tls-verify'] === true,
  }
}

/** `FIELD-data` in base64, else the file that `FIELD` names. */
async function readPem({ folder, value }: Entry, field: string): Promise<string | undefined> {
  const data = asString(value[`${field}-data`])
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8')
  const path = asString(value[field])
  return path === undefined ? undefined : readFile(resolve(folder, path), 'utf8')
}

function tokenOf({ folder, value }: Entry, { env, timing }: ConnectionSources): TokenSource | undefined {
  const token = asString(value['token'])
  if (token !== undefined && token !== '') return fixedToken(token)
  const path = asString(value['tokenFile'])
  if (path !== undefined) return fileToken(resolve(folder, path), timing)
  const exec = asObject(value['exec'])
  const command = asString(exec?.['command'])
  if (exec === undefined || command === undefined) return undefined
  const plugin = {
    command: command.includes('/') ? resolve(folder, command) : command,
    args: texts(asArray(exec['args'])),
    env: { ...env, ...namedValues(asArray(exec['env'])) },
    apiVersion: asString(exec['apiVersion']) ?? 'client.authentication.k8s.io/v1',
  }
  return execToken(plugin, timing)
}

function texts(values: readonly JsonValue[]): string[] {
  return values.filter((value) => typeof value === 'string')
}

function namedValues(entries: readonly JsonValue[]): Record<string, string> {
  const pairs = entries.map((entry) => [asString(asObject(entry)?.['name']), asString(asObject(entry)?.['value'])])
  return Object.fromEntries(pairs.filter((pair) => pair.every((part) => part !== undefined)))
}
