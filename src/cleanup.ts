/** Process entry of `tollgate cleanup`, which the chart runs before an uninstall. */
import { parseFlags, parseName, parseRedis, type FlagSpec } from './command-line.ts'
import { runKubeTool } from './kube-tool.ts'
import { cleanUp } from './operator/installation/clean-up.ts'
import { OWN_SECRETS } from './operator/installation/own-secrets.ts'
import { revokePublished } from './operator/installation/revoke.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import { SECRETS } from './operator/kube/resource.ts'
import { completeUrl } from './operator/redis-login.ts'
import { connectRedis } from './proxy/stores/redis/redis-client.ts'

export const CLEANUP_FLAGS = {
  namespace: { type: 'text', help: "the operator's namespace (default: that of the connection)" },
  operator: { type: 'text', default: 'tollgate-operator', help: "name of the operator's Deployment and Lease" },
  'webhook-configuration': {
    type: 'text',
    default: 'tollgate-sidecar-injector',
    help: 'MutatingWebhookConfiguration to delete',
  },
  'verify-pod': { type: 'text', help: 'pod of `helm test` to delete' },
  redis: { type: 'text', help: 'Redis to revoke all keys in; without it they stay valid for sidecars that still run' },
  'redis-secret': { type: 'text', help: 'Secret of its login, as of the operator' },
  'delete-secrets': { type: 'switch', help: 'also delete the Secrets that the operator made for itself' },
} as const satisfies Record<string, FlagSpec>

const REDIS_TIMEOUT_MS = 10_000

/** Returns the exit code: 1 where something is left that would hang. @throws {UsageError} */
export async function runCleanup(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const flags = parseFlags(args, CLEANUP_FLAGS, environment)
  const { redis } = flags
  if (redis !== undefined) parseRedis('redis', redis)
  const redisSecret = parseName('redis-secret', flags['redis-secret'])
  const operator = parseName('operator', flags.operator)
  const webhookConfiguration = parseName('webhook-configuration', flags['webhook-configuration'])
  const verifyPod = parseName('verify-pod', flags['verify-pod'])
  const ownNamespace = parseName('namespace', flags.namespace)
  return runKubeTool(environment, 'tollgate-cleanup', (tool) => {
    const namespace = ownNamespace ?? tool.namespace
    return cleanUp({
      ...tool,
      namespace,
      operator,
      webhookConfiguration,
      verifyPod,
      secrets: flags['delete-secrets'] ? [...OWN_SECRETS, ...(redisSecret === undefined ? [] : [redisSecret])] : [],
      revoke: redis === undefined ? undefined : () => revoke(tool.client, redis, namespace, redisSecret),
    })
  })
}

async function revoke(client: KubeClient, url: string, namespace: string, secret?: string): Promise<string> {
  const redis = connectRedis(await withLogin(client, url, namespace, secret))
  try {
    await redis.requireReady(REDIS_TIMEOUT_MS)
    return `revoked in ${await revokePublished(redis)} namespaces`
  } finally {
    await redis.close()
  }
}

async function withLogin(client: KubeClient, url: string, namespace: string, secret?: string): Promise<string> {
  if (secret === undefined) return url
  const complete = completeUrl(url, await client.get(SECRETS, { namespace, name: secret }))
  if (complete === undefined) throw new Error(`Secret ${secret} has no entry password`)
  return complete.reveal()
}
