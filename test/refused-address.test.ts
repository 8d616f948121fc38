/** An address that cannot be listened at: what the user reads. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { UsageError } from '../src/command-line.ts'
import type { Address } from '../src/proxy/server/start.ts'
import { atAddressOf, refusedAddress } from '../src/refused-address.ts'
import { virtualKey } from './helpers/gateway.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none, namespace: default } }]
clusters: [{ name: none, cluster: { server: 'http://127.0.0.1:1' } }]
users: [{ name: none, user: { token: none } }]
`

t.test(
  'each server names the flag of an address in use, in one line, and ends as for a wrong command line',
  async (t) => {
    const folder = t.testdir({ 'key.yaml': virtualKey(), kubeconfig: KUBECONFIG })
    const taken = createServer().listen(0, '127.0.0.1')
    t.teardown(() => taken.close())
    await once(taken, 'listening')
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`
    const pod = { POD_NAME: 'a', POD_NAMESPACE: 'b', POD_UID: 'c' }
    const environment = { PATH: process.env['PATH'], ...pod, KUBECONFIG: join(folder, 'kubeconfig') }
    const standalone = ['standalone', '--config', join(folder, 'key.yaml')]
    const sidecar = ['sidecar', '--operator', 'localhost:1', '--ca', 'none']
    const operator = ['operator', '--redis', 'redis://127.0.0.1:1']
    const cases: [string[], 'listen' | 'admin'][] = [
      [standalone, 'listen'],
      [standalone, 'admin'],
      [sidecar, 'listen'],
      [sidecar, 'admin'],
      [operator, 'admin'],
    ]
    for (const [args, flag] of cases) {
      // What is not given here is free, and none of the operator's.
      const env = { ...environment, TOLLGATE_LISTEN: '127.0.0.1:0', TOLLGATE_ADMIN: '127.0.0.1:0' }
      const given = ['--log-level', 'silent', `--${flag}`, address]
      const ended = spawnSync(process.execPath, [MAIN, ...args, ...given], { encoding: 'utf8', timeout: 60_000, env })
      const said = `tollgate: --${flag} ${address} (TOLLGATE_${flag.toUpperCase()}) cannot be listened at: it is in use already; take another port, or 0 for any free one\n`
      t.strictSame([ended.status, ended.stdout, ended.stderr], [2, '', said], `${args[0]} ${flag}`)
    }
  },
)

t.test('what is wrong is said in words that help, of what is not foreseen in those of the system', (t) => {
  const cases: [string, string | undefined, string, RegExp][] = [
    ['EACCES', '127.0.0.1', '127.0.0.1:80', /this user may not listen there; take a port from 1024 on, or 0 for/],
    ['EADDRNOTAVAIL', '203.0.113.1', '203.0.113.1:80', /no such address; take one that it has, or leave out the/],
    ['EAFNOSUPPORT', '::1', '[::1]:80', /no such address/],
    ['ENOTFOUND', 'nowhere.invalid', 'nowhere.invalid:80', /the host is not known here; take an address, such as/],
    ['EINVAL', undefined, ':80', /cannot be listened at: listen EINVAL: invalid argument$/],
  ]
  for (const [code, host, address, reason] of cases) {
    const error = Object.assign(new Error(`listen ${code}: invalid argument`), { code, syscall: 'listen' })
    const refused = refusedAddress('listen-grpc', { host, port: 80 }, error)
    t.ok(refused instanceof UsageError, code)
    t.match(refused, { message: reason }, code)
    t.match(refused, { message: `--listen-grpc ${address} (TOLLGATE_LISTEN_GRPC) cannot be listened at: ` }, code)
  }
  t.end()
})

t.test(
  'an address that this machine has not is refused, and what is no matter of addresses stays as it is',
  async (t) => {
    const listen = async ({ host, port }: Address) => once(createServer().listen({ host, port }), 'listening')
    await t.rejects(atAddressOf('admin', { host: '203.0.113.1', port: 0 }, listen), { message: /no such address/ })
    const bug = new TypeError('a bug')
    const broken = () => Promise.reject(bug)
    t.equal(await atAddressOf('admin', { host: undefined, port: 0 }, broken).catch((error: unknown) => error), bug)
  },
)
