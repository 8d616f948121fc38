/** Helm on the charts of this repository: from PATH, or what test/cluster/build has made. */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { asArray, asObject, asString, isJsonObject } from '../../src/domain/json.ts'
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const CHART = join(ROOT, 'charts', 'tollgate')
export const CRDS_CHART = join(CHART, 'charts', 'tollgate-crds')
export const RELEASE_NAMESPACE = 'tollgate-system'
const CACHE = process.env['CLUSTER_CACHE'] ?? join(homedir(), '.cache', 'tollgate-cluster')
const PATH = [process.env['PATH'], join(CACHE, 'bin')].join(delimiter)
const MAX_OUTPUT = 64 << 20

/** Without a cluster helm takes one that it was built with, which may be any. */
export const KUBE_VERSION = ['--kube-version', '1.36.0']

export interface HelmResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** @throws Error where there is no helm. */
export function helm(args: readonly string[], kubeconfig?: string): Promise<HelmResult> {
  const env = { ...process.env, PATH, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) }
  return new Promise((resolve, reject) => {
    execFile('helm', args, { env, maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(new Error('no helm: run test/install-cluster, or put it in PATH'))
      else resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}

/** `helm template` with values as JSON; `args` are more of its arguments. */
export async function tryTemplate(values: JsonObject = {}, args: readonly string[] = []): Promise<HelmResult> {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`])
  const release = ['template', 'tollgate', CHART, '--namespace', RELEASE_NAMESPACE, ...KUBE_VERSION]
  return helm([...release, ...set, ...args])
}

/** The objects of a rendering. @throws Error with helm's message where it fails. */
export async function template(values: JsonObject = {}, args: readonly string[] = []): Promise<readonly JsonObject[]> {
  const { code, stdout, stderr } = await tryTemplate(values, args)
  if (code !== 0) throw new Error(stderr)
  return objectsIn(stdout)
}

/** YAML documents that are objects. @throws Error for what is not quite YAML, such as a name that stands twice. */
export function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((one): unknown => {
      if (one.errors[0] !== undefined) throw one.errors[0]
      return one.toJS({ maxAliasCount: 1_000 })
    })
    .filter(isJsonObject)
}

export function ofKind(objects: readonly JsonObject[], kind: string): readonly JsonObject[] {
  return objects.filter((object) => object['kind'] === kind)
}

export function nameIn(object: JsonObject): string {
  return asString(asObject(object['metadata'])?.['name']) ?? ''
}

/** The object of this kind and name. @throws Error where there is none. */
export function find(objects: readonly JsonObject[], kind: string, name: string): JsonObject {
  const found = ofKind(objects, kind).find((object) => nameIn(object) === name)
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${objects.map(nameIn).join(' ')}`)
  return found
}

/** What is at `path`: names, and positions in lists. */
export function at(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (found, step) => (typeof step === 'number' ? asArray(found)[step] : asObject(found)?.[step]),
    value,
  )
}
