/** Variables with our prefix that nothing reads are told of; none else. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { APPLY_FLAGS } from '../src/apply.ts'
import { AUDIT_FLAGS } from '../src/audit.ts'
import { CACHE_FLAGS } from '../src/cache.ts'
import { CLEANUP_FLAGS } from '../src/cleanup.ts'
import { OPERATOR_FLAGS } from '../src/operator-flags.ts'
import { SIDECAR_FLAGS } from '../src/sidecar.ts'
import { STANDALONE_FLAGS } from '../src/standalone.ts'
import { FLAGS_IN_ENVIRONMENT, tellStrayVariables } from '../src/stray-variables.ts'
import { VERIFY_FLAGS } from '../src/verify.ts'
import { startGateway, virtualKey } from './helpers/gateway.ts'

const ROOT = join(import.meta.dirname, '..')
const MAIN = join(ROOT, 'src', 'main.ts')

function run(environment: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env['PATH'], ...environment }
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 60_000, env })
}

t.test('the flags of all subcommands are known', (t) => {
  const data = { ...STANDALONE_FLAGS, ...SIDECAR_FLAGS, ...CACHE_FLAGS, ...AUDIT_FLAGS }
  const control = { ...OPERATOR_FLAGS, ...APPLY_FLAGS, ...VERIFY_FLAGS, ...CLEANUP_FLAGS }
  t.strictSame(FLAGS_IN_ENVIRONMENT.toSorted(), Object.keys({ ...data, ...control }).toSorted())
  t.end()
})

t.test('what any part of this repository reads or sets is known', (t) => {
  const folders = ['src', 'charts', 'crds', 'docs', 'examples', 'build', 'test/e2e', 'test/cluster', 'test/bench']
  const inFolders = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const files = [...inFolders, ...['README.md', 'Dockerfile', 'Makefile'].map((name) => join(ROOT, name))]
  // A variable, and no constant of a program.
  const written = /(?<=['"`${=]|name: |export )TOLLGATE_[A-Z0-9_]+/g
  const names = files.flatMap((file) => readFileSync(file, 'utf8').match(written) ?? [])
  t.ok(names.length > 20)
  t.equal(tellStrayVariables(Object.fromEntries(names.map((name) => [name, 'tcp://x']))), undefined)
  t.end()
})

t.test('what the documents tell people to export is no flag of another command', (t) => {
  const docs = readdirSync(join(ROOT, 'docs')).map((name) => join(ROOT, 'docs', name))
  const exported = /^\s*export (?:\w+=\S* )*TOLLGATE_\w+/m
  for (const file of [join(ROOT, 'README.md'), ...docs]) t.notMatch(readFileSync(file, 'utf8'), exported, file)
  t.end()
})

t.test('of what is not known the nearest known one is named, where one is near', (t) => {
  const cases: [Record<string, string>, string | undefined][] = [
    [{ TOLLGATE_LISTN: ':0' }, 'TOLLGATE_LISTN (TOLLGATE_LISTEN?)'],
    [{ TOLLGATE_LOGLEVEL: 'x', TOLLGATE_WHATEVER: 'y' }, 'TOLLGATE_LOGLEVEL (TOLLGATE_LOG_LEVEL?), TOLLGATE_WHATEVER'],
    [{ TOLLGATE_REDSI: 'x' }, 'TOLLGATE_REDSI (TOLLGATE_REDIS?)'],
    [{ TOLLGATE_LISTEN_PORT: '80' }, 'TOLLGATE_LISTEN_PORT'],
    [{ TOLLGATE_LISTN: '', OTHER: 'x', PATH: '/bin' }, undefined],
    [{ TOLLGATE_LISTEN: 'x', TOLLGATE_KUBE_RATE: 'x', TOLLGATE_SUM_BY: 'x', TOLLGATE_BASE_URL: 'x' }, undefined],
  ]
  for (const [environment, stray] of cases) {
    const line = stray === undefined ? undefined : `warning: not known in the environment: ${stray}`
    t.equal(tellStrayVariables(environment), line, JSON.stringify(environment))
  }
  t.end()
})

t.test('what Kubernetes tells pods of Services is nothing to warn of', (t) => {
  const service = (name: string) => ({
    [`${name}_SERVICE_HOST`]: '10.0.0.1',
    [`${name}_SERVICE_PORT`]: '8443',
    [`${name}_SERVICE_PORT_GRPC`]: '8443',
    [`${name}_SERVICE_PORT_HTTPS_WEBHOOK`]: '443',
    [`${name}_PORT`]: 'tcp://10.0.0.1:8443',
    [`${name}_PORT_8443_TCP`]: 'tcp://10.0.0.1:8443',
    [`${name}_PORT_8443_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_8443_TCP_PORT`]: '8443',
    [`${name}_PORT_8443_TCP_ADDR`]: '10.0.0.1',
    [`${name}_PORT_53_UDP`]: 'udp://10.0.0.1:53',
  })
  for (const name of ['TOLLGATE', 'TOLLGATE_OPERATOR', 'TOLLGATE_REDIS', 'TOLLGATE_MY_GATEWAY'])
    t.equal(tellStrayVariables(service(name)), undefined, name)
  t.end()
})

t.test('every subcommand says it once, before what ends it, and helps without a word', (t) => {
  const environment = { TOLLGATE_CONFG: '/x' }
  const warning = 'tollgate: warning: not known in the environment: TOLLGATE_CONFG (TOLLGATE_CONFIG?)\n'
  const required = 'tollgate: --config PATH is required: a file or folder of manifests\n'
  t.strictSame(run(environment, 'standalone').stderr, warning + required)
  t.strictSame(run(environment, 'operator').stderr, `${warning}tollgate: --redis URL is required\n`)
  t.strictSame(
    run(environment, 'audit', '--file', '/dev/null').stderr,
    `${warning}tollgate: /dev/null holds no audit record\n`,
  )
  for (const args of [['--version'], ['help'], ['operator', '--help']]) t.equal(run(environment, ...args).stderr, '')
  t.end()
})

t.test('a variable that a manifest names is nothing to warn of', async (t) => {
  const manifests = { 'key.yaml': virtualKey({ key: '${TOLLGATE_TEAM_SECRET}' }) }
  const env = { TOLLGATE_TEAM_SECRET: 'x'.repeat(40), TOLLGATE_STAT: 'y' }
  const gateway = await startGateway(t, { manifests, env })
  while (!gateway.output().includes('TOLLGATE_STAT')) await sleep(10)
  t.strictSame(
    gateway
      .output()
      .split('\n')
      .filter((line) => line.includes('TOLLGATE_')),
    ['tollgate: warning: not known in the environment: TOLLGATE_STAT (TOLLGATE_STATE?)'],
  )
  const config = gateway.configDir
  t.equal(run({ TOLLGATE_TEAM_SECRET: 'x'.repeat(40) }, 'check', config).stderr, '')
})
