import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { runCleanup } from '../src/cleanup.ts'
import { INDEX_KEY } from '../src/domain/snapshot/shard-store.ts'
import { startRedis } from './helpers/redis.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** A cluster without any object, whose API server fails the first call for the signing key. @returns the environment to find it */
async function startBusyApi(t: Test, status: number): Promise<NodeJS.ProcessEnv> {
  let failures = 1
  const server = createServer((request, response) => {
    const isBusy = request.url?.includes('/secrets/tollgate-signing') === true && failures-- > 0
    response.writeHead(isBusy ? status : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'Status', code: isBusy ? status : 404, message: 'no' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-cleanup-'))
  t.teardown(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })
  const KUBECONFIG = join(directory, 'config')
  writeFileSync(KUBECONFIG, kubeconfig(server.address()))
  return { KUBECONFIG }
}

function kubeconfig(address: AddressInfo | string | null): string {
  const port = typeof address === 'object' ? address?.port : undefined
  const cluster = { server: `http://127.0.0.1:${port}` }
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'tollgate' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
  })
}

t.test('keys are revoked where the API server was busy when the signing key was asked for', async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  for (const status of [500, 429]) {
    await redis.cli('HSET', INDEX_KEY, 'owner:a', '1')
    t.equal(await runCleanup(['--redis', redis.url], await startBusyApi(t, status)), 0)
    t.match(await redis.cli('EXISTS', INDEX_KEY), /^0/, `after ${status}`)
  }
})

t.test('all is done where nobody can read what is said of it', { skip: !existsSync('/dev/full') }, async (t) => {
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  await redis.cli('HSET', INDEX_KEY, 'owner:a', '1')
  const env = await startBusyApi(t, 500)
  const args = [process.execPath, MAIN, 'cleanup', '--redis', redis.url]
  await t.resolves(promisify(execFile)('sh', ['-c', '"$0" "$@" > /dev/full', ...args], { env }))
  t.match(await redis.cli('EXISTS', INDEX_KEY), /^0/)
})
