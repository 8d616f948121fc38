/**
 * Where the API server is and who we are: from the pod's service account, or from a kubeconfig (certificates, tokens,
 * exec plugins). Read here and not by the official client, because that one costs 90 MB of resident memory, 83 MB of
 * image and 2.6 s of start (version 2.0.1, measured) for the little that an operator needs of it.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConnectionSources, KubeConnection } from './connection.ts'
import { readKubeconfig } from './kubeconfig.ts'
import { fileToken } from './tokens.ts'

/** Where the kubelet puts a pod's identity. @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * As kubectl does: `KUBECONFIG` (a list of files), else the pod's service account, else `~/.kube/config`.
 * @throws Error that names the file and what is wrong with it.
 */
export async function findConnection(sources: ConnectionSources): Promise<KubeConnection> {
  const { env, home } = sources
  const named = (env['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '')
  if (named.length > 0) return readKubeconfig(named, sources)
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return inClusterConnection(sources)
  return readKubeconfig([join(home, '.kube', 'config')], sources)
}

/** The connection of a pod with a mounted service account. @throws Error when there is none. */
async function inClusterConnection(sources: ConnectionSources): Promise<KubeConnection> {
  const { env, timing, serviceAccountFolder: folder = SERVICE_ACCOUNT_FOLDER } = sources
  const host = env['KUBERNETES_SERVICE_HOST']
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443'
  if (host === undefined || host === '') throw new Error('not in a cluster: KUBERNETES_SERVICE_HOST is not set')
  const [ca, namespace] = await Promise.all([
    readFile(join(folder, 'ca.crt'), 'utf8'),
    readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default'),
  ])
  const token = fileToken(join(folder, 'token'), timing)
  await token.get()
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca },
    token,
    namespace: namespace.trim(),
  }
}
