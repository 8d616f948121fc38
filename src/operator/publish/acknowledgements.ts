/** Which revisions the data planes of an owner run, as they have written it. */
import { isJsonObject } from '../../domain/json.ts'
import { acknowledgementKey, acknowledgersKey, type Acknowledgement } from '../../domain/snapshot/shard-store.ts'
import { loadScript } from './lua-script.ts'
import { noneOfAnotherType } from './redis-port.ts'
import type { PublishRedis } from './redis-port.ts'

/** More instances of one owner than these are not looked at. */
const MAX_INSTANCES = 10_000
/** Of an instance's name, in bytes: it is a pod's. */
const MAX_NAME = 253
/** Of one acknowledgement, in bytes: it names the shards that the instance reads, some hundred bytes each. */
const MAX_DOCUMENT = 16 * 1024
/** Of all acknowledgements of one owner, in characters: those of ten thousand pods are less. What comes then is not looked at. */
const MAX_TOTAL = 8 * 1024 * 1024
const READ_AT_ONCE = 128
const TIMEOUT_MS = 2_000

const READ_NAMES = loadScript(new URL('read-acknowledgers.lua', import.meta.url))

/**
 * By instance (pod), those that are alive: an entry expires when its instance no longer renews it.
 * Forgets instances whose entry has expired. @throws where Redis does not answer.
 */
export async function acknowledgedRevisions(
  redis: PublishRedis,
  owner: string,
): Promise<ReadonlyMap<string, Acknowledgement>> {
  const setKey = acknowledgersKey(owner)
  const instances = texts(
    await redis.run(READ_NAMES, [setKey], [MAX_INSTANCES, MAX_NAME].map(String), { timeoutMs: TIMEOUT_MS }),
  )
  const found = new Map<string, Acknowledgement>()
  const gone: string[] = []
  let total = 0
  for (let at = 0; at < instances.length && total < MAX_TOTAL; at += READ_AT_ONCE) {
    await Promise.all(
      instances.slice(at, at + READ_AT_ONCE).map(async (instance) => {
        const key = acknowledgementKey(owner, instance)
        const command = ['GETRANGE', key, '0', String(MAX_DOCUMENT - 1)]
        const stored = await redis.send(key, command, { timeoutMs: TIMEOUT_MS }).catch(noneOfAnotherType)
        if (typeof stored !== 'string' || stored === '') return void gone.push(instance)
        total += stored.length
        const acknowledgement = parse(stored)
        if (acknowledgement !== undefined) found.set(instance, acknowledgement)
      }),
    )
  }
  if (gone.length > 0) await redis.send(setKey, ['SREM', setKey, ...gone], { timeoutMs: TIMEOUT_MS })
  return found
}

/** Undefined for what no data plane of ours wrote: the login that writes here is in every pod of the owner. */
function parse(stored: string): Acknowledgement | undefined {
  try {
    const value: unknown = JSON.parse(stored)
    if (!isJsonObject(value) || typeof value['revision'] !== 'string' || !isJsonObject(value['shards']))
      return undefined
    const shards = Object.entries(value['shards']).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return { revision: value['revision'], shards: Object.fromEntries(shards) }
  } catch {
    return undefined
  }
}

function texts(reply: unknown): string[] {
  const list = reply instanceof Set ? [...reply] : reply
  return Array.isArray(list) ? list.map(String) : []
}
