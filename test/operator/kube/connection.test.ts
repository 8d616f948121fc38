import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import t from 'tap'
import { findConnection } from '../../../src/operator/kube/find-connection.ts'
import { execToken, fileToken, fixedToken } from '../../../src/operator/kube/tokens.ts'
import { ManualTiming } from './manual-timing.ts'

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n'

async function put(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

function config(user: string, cluster = 'server: "https://127.0.0.1:6443/"'): string {
  return `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
`
}

t.test('in a pod, the service account is used, and its token read again when it is a minute old', async (t) => {
  const folder = t.testdir({ 'ca.crt': PEM, namespace: 'tollgate-system\n', token: 'first\n' })
  const timing = new ManualTiming()
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }
  const connection = await findConnection({ env, home: '/nowhere', timing, serviceAccountFolder: folder })
  t.match(connection, { server: 'https://[fd00::1]:6443', tls: { ca: PEM }, namespace: 'tollgate-system' })
  await put(folder, 'token', 'second')
  t.equal((await connection.token?.get())?.reveal(), 'first')
  await timing.advance(60_000)
  t.equal((await connection.token?.get())?.reveal(), 'second')
  await put(folder, 'token', '')
  connection.token?.expire()
  t.equal((await connection.token?.get())?.reveal(), 'second', 'an empty file for a moment keeps the last token')
})

t.test('a pod without a token is told so', async (t) => {
  const folder = t.testdir({ 'ca.crt': PEM })
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' }
  await t.rejects(findConnection({ env, home: '/', timing: new ManualTiming(), serviceAccountFolder: folder }), /token/)
})

t.test(
  'of several kubeconfigs the first that names something wins, and paths are relative to their file',
  async (t) => {
    const folder = t.testdir({})
    const data = Buffer.from('key').toString('base64')
    await put(folder, 'certs/ca.crt', PEM)
    const first = await put(
      folder,
      'one',
      config(
        `client-certificate-data: ${Buffer.from(PEM).toString('base64')}, client-key-data: ${data}`,
        'server: "https://one:1/", certificate-authority: certs/ca.crt, tls-server-name: api',
      ),
    )
    const second = await put(folder, 'two', config('token: t', 'server: "https://two:2"'))
    const sources = { env: { KUBECONFIG: `${first}:${second}` }, home: '/', timing: new ManualTiming() }
    const connection = await findConnection(sources)
    t.match(connection, {
      server: 'https://one:1',
      tls: { ca: PEM, certificate: PEM, serverName: 'api', insecure: false },
      token: undefined,
      namespace: 'team',
    })
    t.equal(connection.tls.key?.reveal(), 'key')
    t.notMatch(inspect(connection, { depth: 9 }), /\bkey'/)
  },
)

t.test('without a list of files or a pod, the one in the home folder is used', async (t) => {
  const home = t.testdir({ '.kube': { config: config('tokenFile: token') } })
  await put(home, '.kube/token', 'from-file')
  const connection = await findConnection({ env: {}, home, timing: new ManualTiming() })
  t.equal((await connection.token?.get())?.reveal(), 'from-file')
})

t.test('files of the list that are not there are passed over, as kubectl does', async (t) => {
  const folder = t.testdir({})
  const path = await put(folder, 'config', config('token: t'))
  const find = (list: string) =>
    findConnection({ env: { KUBECONFIG: list }, home: '/', timing: new ManualTiming() }).then(({ server }) => server)
  t.equal(await find(`${join(folder, 'absent')}:${path}`), await find(path))
  await t.rejects(find(join(folder, 'absent')), /^there is no kubeconfig at \/.*absent; KUBECONFIG names where it is$/)
})

const BROKEN: readonly (readonly [string, RegExp])[] = [
  ['[]', /is not a kubeconfig/],
  ['kind: Config', /no current-context/],
  ['current-context: x', /no context named x/],
  ['current-context: x\ncontexts: [{name: x, context: {cluster: c}}]', /no cluster named c/],
  [config('token: t', 'proxy-url: x'), /has no server/],
  [config('auth-provider: {name: gcp}'), /auth-provider, which is not supported/],
  [config('', 'server: "https://one/", proxy-url: "http://p:3128"'), /proxy-url, which is not supported/],
  [config('', 'server: "https://one/", proxy-url: 8080'), /proxy-url, which is not supported/],
]

t.test('a kubeconfig that lacks something is refused by name', async (t) => {
  const folder = t.testdir({})
  for (const [text, message] of BROKEN) {
    const path = await put(folder, 'config', text)
    await t.rejects(findConnection({ env: { KUBECONFIG: path }, home: '/', timing: new ManualTiming() }), message)
  }
})

t.test('a credential plugin is run once until its token is about to end', async (t) => {
  const folder = t.testdir({})
  const timing = new ManualTiming()
  const plugin = await put(
    folder,
    'bin/plugin',
    `#!/bin/sh
echo run >>"$RUNS"
echo "{\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$1-$(wc -l <"$RUNS" | tr -d ' ')\\",\\"expirationTimestamp\\":\\"2026-01-15T13:00:00Z\\"}}"
`,
  )
  await chmod(plugin, 0o755)
  const runs = join(folder, 'runs')
  const path = await put(
    folder,
    'config',
    config(`exec: {command: bin/plugin, args: [hello], env: [{name: RUNS, value: "${runs}"}]}`),
  )
  const connection = await findConnection({ env: { KUBECONFIG: path, PATH: process.env['PATH'] }, home: '/', timing })
  const token = async () => (await connection.token?.get())?.reveal()
  t.strictSame(await Promise.all([token(), token()]), ['hello-1', 'hello-1'])
  await timing.advance(58 * 60_000)
  t.equal(await token(), 'hello-1')
  await timing.advance(60_000)
  t.equal(await token(), 'hello-2')
})

t.test('a credential plugin that fails is named, and what it printed is not shown', async (t) => {
  const timing = new ManualTiming()
  const plugin = (script: string) =>
    execToken({ command: '/bin/sh', args: ['-c', script], env: {}, apiVersion: 'x' }, timing)
  const failed = await plugin('echo hunter2; exit 3')
    .get()
    .catch((error: unknown) => error)
  t.match(failed, { message: 'the credential plugin /bin/sh failed (3)' })
  t.notMatch(inspect(failed, { depth: 9 }), 'hunter2')
  await t.rejects(plugin('echo no json').get(), /gave no token/)
})

t.test('a fixed token stays, a missing file is an error', async (t) => {
  const token = fixedToken('t')
  token.expire()
  t.equal((await token.get()).reveal(), 't')
  await t.rejects(fileToken('/nowhere/token', new ManualTiming()).get(), /ENOENT/)
})
