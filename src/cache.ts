/** Process entry of `tollgate cache purge`. */
import { parseFlags, parseKeyId, parseName, parseRedis, UsageError, type FlagSpec } from './command-line.ts'
import type { Purged, PurgeTarget } from './proxy/stores/cache/purge.ts'

export const CACHE_FLAGS = {
  redis: { type: 'text', help: 'address of the Redis that the gateways share' },
  organization: { type: 'text', help: 'whose answers to purge' },
  project: { type: 'text', help: 'only those of this project' },
  key: { type: 'text', help: 'only those made for this virtual key, as namespace/name' },
} as const satisfies Record<string, FlagSpec>

const USAGE = 'usage: tollgate cache purge --redis URL --organization NAME [--project NAME | --key NAMESPACE/NAME]'

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Prints what was done. Returns the exit code: 0 purged, also where no answers were found (nothing is served of them, which
 * is all that a purge promises), 1 the store could not be asked. @throws {UsageError}
 */
export async function runCache(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const [action, ...rest] = args
  if (action !== 'purge') throw new UsageError(`${action === undefined ? '' : `there is no cache ${action}; `}${USAGE}`)
  const flags = parseFlags(rest, CACHE_FLAGS, environment)
  const { redis: url, project, key: virtualKey } = flags
  if (url === undefined) throw new UsageError(`--redis is required; ${USAGE}`)
  if (flags.organization === undefined) throw new UsageError(`--organization is required; ${USAGE}`)
  if (project !== undefined && virtualKey !== undefined) throw new UsageError('--project and --key exclude each other')
  parseRedis('redis', url)
  const organization = parseName('organization', flags.organization)
  parseName('project', project)
  if (virtualKey !== undefined) parseKeyId('key', virtualKey)
  return purge(url, { organization, project, virtualKey })
}

async function purge(url: string, target: PurgeTarget): Promise<number> {
  const [{ connectRedis }, { purgeCache }] = await Promise.all([
    import('./proxy/stores/redis/redis-client.ts'),
    import('./proxy/stores/cache/purge.ts'),
  ])
  const redis = connectRedis(url)
  try {
    await redis.requireReady(CONNECT_TIMEOUT_MS)
    process.stdout.write(`purged; ${outcome(await purgeCache(redis, target), target)} within 2 s\n`)
    return 0
  } catch (error) {
    process.stderr.write(`tollgate: not purged: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    await redis.close()
  }
}

function outcome({ deleted, found }: Purged, { organization, project }: PurgeTarget): string {
  if (found)
    return `${deleted} stored answer${deleted === 1 ? '' : 's'} deleted at once, gateways stop serving the rest`
  const whose = `${project === undefined ? '' : `project ${project} of `}organization ${organization}`
  return `no answers of ${whose} are stored here: they have ended by their time, or there never were any (is the name right?); gateways stop serving what they still hold`
}
