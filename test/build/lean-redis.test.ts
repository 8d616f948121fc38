import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { leanModules } from '../../build/lean-modules.ts'
import { startAclRedis, startCluster, startSentinels, startTlsRedis, until } from '../helpers/redis.ts'

const ROOT = join(import.meta.dirname, '../..')

/** As the bundle holds them: with the few commands that the client library itself needs. */
const { connectRedis, listenForHints, HINT_CHANNEL } = await bundled()

t.test('a user, a database and a name', async (t) => {
  const server = await startAclRedis('lean', 'pass-word', '+@all ~* &*')
  t.teardown(() => server.stop())
  await readsWhatItWrote(t, `${server.url}/2`, {})
  t.match(await server.cli('INFO', 'keyspace'), /db2:keys=1/)
})

t.test('TLS', async (t) => {
  const server = await startTlsRedis()
  t.teardown(() => server.stop())
  await readsWhatItWrote(t, server.url, { tls: { ca: server.ca } })
})

t.test('Sentinels', async (t) => {
  const sentinels = await startSentinels()
  t.teardown(() => sentinels.stop())
  await readsWhatItWrote(t, sentinels.url, {})
})

t.test('a cluster, whose nodes are asked for and all reached', async (t) => {
  const cluster = await startCluster()
  t.teardown(() => cluster.stop())
  await readsWhatItWrote(t, cluster.url, {})
})

t.test('hints', async (t) => {
  const server = await startAclRedis('lean', 'pass-word', '+@all ~* &*')
  t.teardown(() => server.stop())
  const heard: string[] = []
  const hints = listenForHints({ url: server.url, random: () => 0, onHint: (names) => heard.push(...names) })
  t.teardown(() => hints.close())
  await until(async () => {
    await server.cli('PUBLISH', HINT_CHANNEL, 'one two')
    return heard.includes('two')
  })
  t.strictSame(heard.slice(0, 2), ['one', 'two'])
})

async function readsWhatItWrote(t: Test, url: string, options: Parameters<typeof connectRedis>[1]): Promise<void> {
  const redis = connectRedis(url, options)
  t.teardown(() => redis.close())
  t.ok(await redis.waitUntilReady(20_000), 'ready')
  const bounds = { timeoutMs: 10_000 }
  t.equal(await redis.send('key', ['SET', 'key', 'välue'], bounds), 'OK')
  t.strictSame(await redis.send('key', ['GET', 'key'], { ...bounds, returnBuffers: true }), Buffer.from('välue'))
  const answers = await redis.sendToAll(['PING'], bounds)
  t.strictSame(new Set(answers), new Set(['PONG']))
}

async function bundled() {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.lean-redis-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'redis.mjs')
  const contents = `
export { connectRedis } from './src/proxy/stores/redis/redis-client.ts'
export { listenForHints } from './src/operator/publish/hints.ts'
export { HINT_CHANNEL } from './src/domain/snapshot/shard-store.ts'`
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`
  const { metafile } = await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    banner: { js: banner },
    plugins: [leanModules()],
    metafile: true,
  })
  const commands = Object.keys(metafile.inputs).filter((path) => path.includes('@redis/client/dist/lib/commands/'))
  t.ok(commands.length < 100, `${commands.length} modules of commands`)
  return (await import(outfile)) as typeof import('../../src/proxy/stores/redis/redis-client.ts') &
    typeof import('../../src/operator/publish/hints.ts') &
    typeof import('../../src/domain/snapshot/shard-store.ts')
}
