/** `tollgate cache purge` on a cluster of three masters, where the keys of each organization are on one of them. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { CACHE_VERSION } from '../../../../src/domain/caching/stored-answer.ts'
import { Secret } from '../../../../src/domain/secret.ts'
import type { CacheScope } from '../../../../src/proxy/pipeline/cache-port.ts'
import { StoredQuestions } from '../../../../src/proxy/stores/cache/stored-questions.ts'
import { TwoLevelCache } from '../../../../src/proxy/stores/cache/two-level-cache.ts'
import { createTestClock } from '../../../helpers/clock.ts'
import { connectedRedis } from '../../../helpers/connected-redis.ts'
import { startCluster, until } from '../../../helpers/redis.ts'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'main.ts')
const secret = new Secret('ab'.repeat(32))
/** Enough names that each master has some. */
const ORGANIZATIONS = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark']
const PER_PROJECT = 30

const cluster = await startCluster()
const redis = await connectedRedis(t, cluster)
const { now, advance } = createTestClock()
const cache = new TwoLevelCache({ redis, now, maxBytes: 1_024 })
const questions = new StoredQuestions({ redis, now })

const scopeOf = (organization: string, project: string): CacheScope => ({ organization, project, secret })
const purge = (...args: string[]) => run(process.execPath, [MAIN, 'cache', 'purge', '--redis', cluster.url, ...args])

/** How many keys of the cache the masters hold, by organization and project. */
async function held(organization: string, project: string): Promise<number> {
  const found = await Promise.all(
    cluster.nodes.map((node) =>
      node.cli('--scan', '--pattern', `tg:c:v${CACHE_VERSION}:{${organization}}:?:${project}*`),
    ),
  )
  return found.join('').split('\n').filter(Boolean).length
}

async function fill(organization: string, project: string): Promise<void> {
  const scope = scopeOf(organization, project)
  const marks = await cache.purgeMarks(scope)
  const document = Buffer.from('{}')
  const purges = marks.countsFor(project, 'a/b')
  const answer = { format: 'messages', document, deployment: 'p/m', virtualKey: 'a/b', storedAtMs: 0, purges } as const
  for (let each = 0; each < PER_PROJECT; each++) cache.writeFar({ scope, digest: `d${each}` }, answer, 60_000)
  const vector = { components: Int8Array.of(1, 2), step: 1 }
  questions.add({ scope, digest: 'g' }, { wording: 'w', vector, answer: 'd1', askedAtMs: 0 }, 60_000, marks)
  // The answers, the group and the list of changes.
  await until(async () => (await held(organization, project)) === PER_PROJECT + 2)
}

async function isServed(organization: string, project: string): Promise<boolean> {
  const scope = scopeOf(organization, project)
  return (await cache.readFar({ scope, digest: 'd7' }, await cache.purgeMarks(scope))) !== undefined
}

t.test('a purge ends what it names on whichever master it is, and nothing else', async (t) => {
  for (const organization of ORGANIZATIONS) {
    for (const project of ['shop', 'desk']) await fill(organization, project)
  }
  const filled = await Promise.all(cluster.nodes.map(async (node) => Number(await node.cli('DBSIZE'))))
  t.ok(filled.filter((size) => size > 0).length > 1, `more than one master holds something: ${filled.join(', ')}`)
  const [first = '', second = '', ...others] = ORGANIZATIONS
  t.match((await purge('--organization', first)).stdout, /^purged; 60 stored answers/)
  t.match((await purge('--organization', second, '--project', 'shop')).stdout, /^purged; 30 stored answers/)
  t.match((await purge('--organization', second, '--key', 'a/other')).stdout, /^purged; 0 stored answers/)
  advance(2_000)
  const expected: Record<string, number> = { [`${first} shop`]: 0, [`${first} desk`]: 0, [`${second} shop`]: 0 }
  for (const organization of ORGANIZATIONS) {
    for (const project of ['shop', 'desk']) {
      const left = expected[`${organization} ${project}`] ?? PER_PROJECT + 2
      t.equal(await held(organization, project), left, `${organization} ${project}`)
      t.equal(await isServed(organization, project), left > 0)
    }
  }
  for (const organization of others) {
    await purge('--organization', organization, '--key', 'a/b')
    advance(2_000)
    t.equal(await isServed(organization, 'shop'), false, 'made for the key that was purged')
  }
})
