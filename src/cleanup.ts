/** Process entry of `tollgate cleanup`, which the chart runs before an uninstall. */
import { parseFlags, parseName, parseRedis, type FlagSpec } from './command-line.ts'
import { runKubeTool, type KubeTool } from './kube-tool.ts'
import { installationKey, SIGNING_SECRET } from './operator/controllers/installation-secrets.ts'
import { cleanUp } from './operator/installation/clean-up.ts'
import { isAppliedAsManifest } from './operator/installation/hook-job.ts'
import { OWN_SECRETS } from './operator/installation/own-secrets.ts'
import { revokePublished, type Revocation } from './operator/installation/revoke.ts'
import type { ObjectName } from './operator/kube/kube-object.ts'
import { readLease } from './operator/kube/lease.ts'
import { isAnswer, persistentReader, type Reader } from './operator/kube/persistent-reader.ts'
import { LEASES, SECRETS } from './operator/kube/resource.ts'
import { createSigner, type ShardSigner } from './operator/publish/sign.ts'
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
  job: { type: 'text', help: "the chart's Job that this is: where it was applied as a manifest, nothing is done" },
  'verify-pod': { type: 'text', help: 'pod of `helm test` to delete, with its account and its rights' },
  'verify-namespace': { type: 'text', help: 'namespace that `helm test` has tried, where it may have left rights too' },
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
  const job = parseName('job', flags.job)
  const verifyPod = parseName('verify-pod', flags['verify-pod'])
  const verifyNamespace = parseName('verify-namespace', flags['verify-namespace'])
  const ownNamespace = parseName('namespace', flags.namespace)
  return runKubeTool(environment, 'tollgate-cleanup', async (tool) => {
    const namespace = ownNamespace ?? tool.namespace
    if (job !== undefined && (await isAppliedAsManifest(persistentReader(tool), { namespace, name: job })))
      throw new Error(
        `nothing was done: Job ${job} was not begun by an uninstall, but applied as a manifest; ` +
          'render the chart without its hooks (helm template --no-hooks), and delete the Job',
      )
    return cleanUp({
      ...tool,
      namespace,
      operator,
      webhookConfiguration,
      verify: verifyPod === undefined ? undefined : { name: verifyPod, namespace: verifyNamespace },
      secrets: flags['delete-secrets'] ? [...OWN_SECRETS, ...(redisSecret === undefined ? [] : [redisSecret])] : [],
      revoke:
        redis === undefined ? undefined : () => revoke(tool, { url: redis, namespace, secret: redisSecret, operator }),
    })
  })
}

interface RevocationOptions {
  readonly url: string
  readonly namespace: string
  /** Of the login. */
  readonly secret: string | undefined
  /** Name of its Lease. */
  readonly operator: string
}

async function revoke(tool: KubeTool, options: RevocationOptions): Promise<string> {
  const { timing } = tool
  const { namespace, operator } = options
  // Nobody comes back to revoke, and an uninstall goes on without.
  const client = persistentReader(tool)
  const signer = await signerOf(client, namespace)
  const epoch = await lastEpoch(client, { namespace, name: operator })
  const redis = connectRedis(await withLogin(client, options))
  try {
    await redis.requireReady(REDIS_TIMEOUT_MS)
    const revocation = await revokePublished({ redis, signer, epoch, timing })
    return toldOf(revocation, signer !== undefined)
  } finally {
    await redis.close()
  }
}

function toldOf({ owners, unaware }: Revocation, isSigned: boolean): string {
  const done = `revoked in ${owners.length} namespaces`
  if (!isSigned)
    return `${done}; sidecars that run keep them, for Secret ${SIGNING_SECRET} cannot be read: restart their pods`
  const left = [...unaware].map(([owner, count]) => `${count} in ${owner}`)
  return left.length === 0 ? done : `${done}; not confirmed by sidecars: ${left.join(', ')}; restart what still runs`
}

/**
 * Undefined where the key is gone or may not be read: what needs none is revoked all the same.
 * @throws {KubeError} where that is not known: sidecars that are not told first could never be told
 */
async function signerOf(client: Reader, namespace: string): Promise<ShardSigner | undefined> {
  try {
    return createSigner(installationKey(await client.get(SECRETS, { namespace, name: SIGNING_SECRET })))
  } catch (error) {
    if (!isAnswer(error)) throw error
    return undefined
  }
}

/** 0 where it is not to be learned: Redis has it too. */
async function lastEpoch(client: Reader, lease: ObjectName): Promise<number> {
  try {
    return readLease(await client.get(LEASES, lease)).transitions
  } catch {
    return 0
  }
}

async function withLogin(client: Reader, { url, namespace, secret }: RevocationOptions): Promise<string> {
  if (secret === undefined) return url
  const complete = completeUrl(url, await client.get(SECRETS, { namespace, name: secret }))
  if (complete === undefined) throw new Error(`Secret ${secret} has no entry password`)
  return complete.reveal()
}
