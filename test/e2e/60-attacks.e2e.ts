/** What a curious application, and somebody with the rights of a team, can get at: nothing of another's (DESIGN: trust). */
import t from 'tap'
import { apply, kubectl, run } from './support/kubectl.ts'
import { appPod, exec, podSpec, readyPod, start } from './support/pods.ts'
import { platform, SYSTEM } from './support/platform.ts'
import { reach } from './support/reach.ts'

await platform()
const cluster = await reach(t)
const KEY = { 'tollgate.dev/virtual-key': 'whole' }
const PROVIDER_KEY = /key-of-vendor/
await start(
  t,
  appPod({ name: 'attacker', namespace: 'apps', language: 'python', annotations: KEY }),
  appPod({ name: 'attacker-js', namespace: 'apps', annotations: KEY, securityContext: { runAsUser: 0 } }),
)
await readyPod('apps', 'attacker')
await readyPod('apps', 'attacker-js')
await teamAccount()

t.test("the application sees neither the sidecar's token nor a provider's key", async (t) => {
  const look = `
import os, json
found = []
for folder, _, files in os.walk('/var/run'):
    found += [os.path.join(folder, f) for f in files]
print(json.dumps([found, dict(os.environ)]))`
  const seen = await python(look)
  t.notMatch(seen, '/var/run/tollgate')
  t.notMatch(seen, PROVIDER_KEY)
})

t.test('/proc of the application, even as root, has no process of the sidecar', async (t) => {
  const look = `
const fs = require('fs')
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
  console.log(fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\\0', ' '))`
  const seen = await exec('apps', 'attacker-js', 'app', ['node', '-e', look])
  t.match(seen, 'app.mjs')
  t.notMatch(seen, 'tollgate')
})

t.test("the operator gives nothing for the application's own token, nor without one", async (t) => {
  // All it says is true, but for the token's audience. gRPC is HTTP/2 over TLS; what it refuses shows as grpc-status 16 (unauthenticated) or 7.
  const call = `
const http2 = require('http2'), fs = require('fs')
const own = fs.readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8')
const session = http2.connect('https://tollgate-operator.${SYSTEM}.svc:8443', { rejectUnauthorized: false })
session.on('error', (error) => { console.log('error ' + error.message); process.exit() })
const ask = (token) => new Promise((done) => {
  const stream = session.request({ ':method': 'POST', ':path': '/tollgate.credentials.v1.Credentials/Subscribe',
    'content-type': 'application/grpc', te: 'trailers', ...(token && { authorization: 'Bearer ' + token }) })
  let bytes = 0, status
  stream.on('response', (headers) => status ??= headers['grpc-status'])
  stream.on('trailers', (trailers) => status ??= trailers['grpc-status'])
  stream.on('data', (piece) => bytes += piece.length)
  stream.on('close', () => done({ status, bytes }))
  stream.on('error', () => done({ status: 'error', bytes }))
  const name = Buffer.from(process.env.HOSTNAME), namespace = Buffer.from('apps'), uid = Buffer.from(JSON.parse(Buffer.from(own.split('.')[1], 'base64url'))['kubernetes.io'].pod.uid)
  const text = (field, value) => Buffer.concat([Buffer.from([field << 3 | 2, value.length]), value])
  const hello = Buffer.concat([Buffer.from([8, 1]), text(2, namespace), text(3, name), text(4, uid)])
  const message = text(1, hello)
  stream.write(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]))
  setTimeout(() => stream.close(), 4000)
})
;(async () => { console.log(JSON.stringify([await ask(own), await ask(undefined), await ask('x.y.z')])); process.exit() })()`
  const said: unknown = JSON.parse(await exec('apps', 'attacker-js', 'app', ['node', '-e', call]))
  t.ok(Array.isArray(said))
  for (const answer of Array.isArray(said) ? said : []) {
    t.match(answer, { bytes: 0 })
    t.match(String(answer.status), /^(7|16|error)$/)
  }
})

t.test("other pods reach neither the sidecar's data port nor an action on its admin port", async (t) => {
  const { stdout } = await run('kubectl', ['-n', 'apps', 'get', 'pod', 'attacker-js', '-o', 'jsonpath={.status.podIP}'])
  const look = `
import urllib.request
def status(method, url):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=3).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
print(status('GET', 'http://${stdout}:4141/v1/models'), status('POST', 'http://${stdout}:4142/drain'), status('GET', 'http://${stdout}:4142/metrics'))`
  const [data, drain, metrics] = (await python(look)).trim().split(' ')
  t.equal(data, '0')
  t.match(drain, /^40[45]$/)
  t.equal(metrics, '200')
})

t.test("the login of Redis is nowhere in the application's reach, and without it Redis says nothing", async (t) => {
  const look = `
import socket
s = socket.create_connection(('tollgate-redis.${SYSTEM}.svc', 6379), 3)
s.sendall(b'GET tg:cfg:catalog\\r\\nCONFIG GET requirepass\\r\\n')
print(s.recv(1000))`
  const said = await python(look)
  t.match(said, /NOAUTH/)
  t.notMatch(said, /vendor/)
})

t.test("an application's error answers and its gateway's metrics show no provider key", async (t) => {
  await cluster.vendor('a').set({ keys: ['another'], failWith: 0 })
  await cluster.vendor('b').set({ keys: ['another'], failWith: 0 })
  const answer = await cluster.ask('apps', 'pods/attacker:8080', { prompt: 'Hi', headers: { 'x-llm-trace': 'true' } })
  for (const name of ['a', 'b']) await cluster.vendor(name).set({ keys: [], failWith: 0 })
  t.not(answer.status, 200)
  t.notMatch(JSON.stringify(answer), PROVIDER_KEY)
  t.notMatch(await cluster.fetch('apps', 'pods/attacker:4142', '/metrics'), PROVIDER_KEY)
  t.notMatch(await kubectl(['-n', 'apps', 'logs', 'attacker', '-c', 'tollgate']), PROVIDER_KEY)
})

const AS_TEAM = ['--as=system:serviceaccount:apps:team', '-n', 'apps']

t.test('a team that may edit its namespace reads no Secret of the platform and changes no Provider', async (t) => {
  for (const [verb, what, ...where] of [
    ['get', 'secrets', '-n', SYSTEM],
    ['create', 'providers.tollgate.dev'],
    ['patch', 'organizations.tollgate.dev'],
    ['patch', 'validatingadmissionpolicies'],
    ['patch', 'mutatingwebhookconfigurations'],
  ] as const) {
    const { stdout } = await run('kubectl', [
      'auth',
      'can-i',
      verb,
      what,
      '--as=system:serviceaccount:apps:team',
      ...where,
    ])
    t.equal(stdout.trim(), 'no', `${verb} ${what}`)
  }
  const { stdout } = await run('kubectl', ['auth', 'can-i', 'create', 'virtualkeys.tollgate.dev', ...AS_TEAM])
  t.equal(stdout.trim(), 'yes', 'its own keys are its own')
})

t.test("a team cannot borrow the sidecar's identity: by exec, debug container, token or volume", async (t) => {
  const refused = async (what: string, args: readonly string[], input = '') => {
    const { code, stderr } = await run('kubectl', [...AS_TEAM, ...args], input)
    t.not(code, 0, `${what} is refused`)
    t.match(stderr, /tollgate|ValidatingAdmissionPolicy|denied|forbidden/i, what)
    t.comment(`${what}: ${stderr.trim().split('\n').at(-1)?.slice(0, 200)}`)
  }
  await refused('exec', ['exec', 'attacker', '-c', 'tollgate', '--', 'node', '--version'])
  await refused('attach', ['attach', 'attacker', '-c', 'tollgate'])
  await refused('debug container', [
    'debug',
    'attacker',
    '--image=docker.io/local/node-app:1',
    '--target=tollgate',
    '--',
    'node',
  ])
  await refused('token', ['create', 'token', 'default', '--audience=tollgate.dev'])
  const identity = {
    name: 'mine',
    projected: {
      sources: [{ serviceAccountToken: { path: 'token', audience: 'tollgate.dev', expirationSeconds: 3600 } }],
    },
  }
  const thief = (spec: object, labels = {}) =>
    JSON.stringify(
      appPod({ name: 'thief', namespace: 'apps', labels, annotations: KEY, spec: { ...podSpec({}), ...spec } }),
    )
  await refused('volume', ['apply', '-f', '-'], thief({ volumes: [identity] }))
  await refused(
    'volume without a sidecar',
    ['apply', '-f', '-'],
    thief({ volumes: [identity] }, { 'tollgate.dev/inject': 'false' }),
  )
  const [container] = podSpec({}).containers
  const mounts = [{ name: 'tollgate-identity', mountPath: '/stolen' }]
  await refused('mount', ['apply', '-f', '-'], thief({ containers: [{ ...container, volumeMounts: mounts }] }))
  await refused('shared processes', ['apply', '-f', '-'], thief({ shareProcessNamespace: true }))
  const own = {
    name: 'tollgate',
    image: 'docker.io/local/node-app:1',
    restartPolicy: 'Always',
    command: ['node', '/app/loader.mjs'],
  }
  const { code, stdout } = await run(
    'kubectl',
    [...AS_TEAM, 'create', '--dry-run=server', '-o', 'jsonpath={.spec.initContainers[*].image}', '-f', '-'],
    thief({ initContainers: [own] }),
  )
  t.ok(code !== 0 || !stdout.includes('node-app'), `a container of the sidecar's name is not the team's: ${stdout}`)
})

/** Somebody with the built-in role `edit` in the namespace, who may also start debug containers. */
async function teamAccount(): Promise<void> {
  const debugging = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'debug', namespace: 'apps' },
    rules: [{ apiGroups: [''], resources: ['pods/ephemeralcontainers'], verbs: ['get', 'update', 'patch'] }],
  }
  const objects = [
    JSON.stringify(debugging),
    await kubectl(['-n', 'apps', 'create', 'serviceaccount', 'team', '--dry-run=client', '-o', 'yaml']),
    await binding('team', '--clusterrole=edit'),
    await binding('debug', '--role=debug'),
  ]
  await apply(objects.join('\n---\n'))
}

function binding(name: string, role: string): Promise<string> {
  const account = '--serviceaccount=apps:team'
  return kubectl(['-n', 'apps', 'create', 'rolebinding', name, role, account, '--dry-run=client', '-o', 'yaml'])
}

function python(script: string): Promise<string> {
  return exec('apps', 'attacker', 'app', ['python3', '-c', script])
}
