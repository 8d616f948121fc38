/** Start, reload, drain and end of the standalone gateway. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { freePort, hasIPv6 } from '../helpers/addresses.ts'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { freeze, ok, stallAfter, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { startProxy } from '../helpers/forward-proxy.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { until } from '../helpers/redis.ts'
import { openRaw, readWhenWritten, requestBytes } from '../helpers/raw-http.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'standalone')

const run = (...args: string[]) => runIn({}, ...args)

function runIn(environment: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'], ...environment },
  })
  return { status, stdout, stderr }
}

t.test('a changed manifest is in force; a bad one changes nothing and is named', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'provider.yaml': provider({ name: 'p', url: upstream.url }), 'key.yaml': virtualKey() },
  })
  t.equal((await gateway.chat({ model: 'new' })).status, 404)

  gateway.write('provider.yaml', provider({ name: 'p', url: upstream.url, models: ['{ name: new }', '{ name: m }'] }))
  const changed = await gateway.line(
    (line) =>
      line['msg'] === 'configuration in force' &&
      line !== gateway.lines.find((first) => first['msg'] === 'configuration in force'),
  )
  t.equal((await gateway.chat({ model: 'new' })).status, 200)

  gateway.write('provider.yaml', provider({ name: 'p', url: upstream.url, models: ['{ name: auto }'] }))
  const refused = await gateway.line((line) => line['msg'] === 'manifest refused')
  t.match(refused['problem'], /provider\.yaml:\d+: .*Provider p.*models\[0\].*'auto' is reserved/)
  await gateway.line(
    (line) => String(line['msg']).startsWith('configuration kept') && line['revision'] === changed['revision'],
  )
  t.equal((await gateway.chat({ model: 'new' })).status, 200)
})

t.test('a gateway that can answer nobody says so', async (t) => {
  const withoutKey = await startGateway(t, {
    manifests: { 'all.yaml': provider({ name: 'p', url: 'http://127.0.0.1:1' }) },
  })
  await withoutKey.line((line) => line['msg'] === 'no virtual key is in force: every call is a 401')
  t.notOk(withoutKey.lines.some((line) => String(line['msg']).startsWith('no provider')))
  const withoutProvider = await startGateway(t, { manifests: { 'all.yaml': virtualKey() } })
  await withoutProvider.line((line) => line['msg'] === 'no provider is in use: nobody can answer a call')
  t.notOk(withoutProvider.lines.some((line) => String(line['msg']).startsWith('no virtual key')))
})

t.test("the environment's forward proxy leads to providers; what is none ends the start, unshown", async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const { proxyUrl, targets } = await startProxy(t, { onConnect: (socket) => socket.end('HTTP/1.1 403 No\r\n\r\n') })
  const manifests = yaml(
    provider({ name: 'far', url: 'https://models.test/v1', priority: 1 }),
    provider({ name: 'near', url: upstream.url, priority: 2 }),
    virtualKey(),
  )
  const env = { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, NO_PROXY: 'other.test' }
  const gateway = await startGateway(t, { manifests: { 'all.yaml': manifests }, env })
  t.equal((await gateway.chat()).status, 200, 'the near one answers')
  t.same(targets, ['models.test:443'])
  const refused = runIn({ HTTPS_PROXY: 'socks5://user:hunter2@proxy' }, 'standalone', '--config', gateway.configDir)
  t.equal(refused.status, 2)
  t.match(refused.stderr, /HTTPS_PROXY must be the http or https URL of a forward proxy/)
  t.notMatch(refused.stderr + refused.stdout, /hunter2/)
})

t.test('an address without a host is all of them, of both families', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
    args: ['--listen', ':0', '--admin', ':0'],
  })
  const ports = [gateway.url, gateway.admin].map((url) => new URL(url).port)
  for (const host of ['127.0.0.1', ...(hasIPv6() ? ['[::1]'] : [])]) {
    const [models, ready] = await Promise.all([
      fetch(`http://${host}:${ports[0]}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } }),
      fetch(`http://${host}:${ports[1]}/readyz`),
    ])
    t.same([models.status, ready.status], [200, 200], host)
  }
})

t.test(
  'names of several dead name servers leave threads for the others',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const upstream = await startFakeProvider()
    t.teardown(() => upstream.close())
    upstream.otherwise(ok(chatCompletion('x')))
    const url = upstream.url.replace('127.0.0.1', 'localhost')
    const gateway = await startGateway(t, {
      manifests: { 'all.yaml': yaml(provider({ name: 'p', url }), virtualKey()) },
    })
    t.equal((await gateway.chat()).status, 200)
    const tasks = `/proc/${gateway.process.pid}/task`
    const names = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'comm'), 'utf8').trim())
    t.equal(names.filter((name) => name === 'libuv-worker').length, 16, names.join(' '))
  },
)

t.test('an emptied manifest file locks nobody out', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  gateway.write('all.yaml', '')
  const refused = await gateway.line((line) => line['msg'] === 'configuration refused')
  t.match(refused, { problem: /declare no VirtualKey any more/ })
  t.notOk('err' in refused, 'a stack says nothing to whoever wrote it')
  t.equal((await gateway.chat()).status, 200)
  gateway.write('all.yaml', virtualKey())
  await gateway.line(
    (line) => line['msg'] === 'configuration refused' && /no Provider any more/.test(String(line['problem'])),
  )
  t.equal((await gateway.chat()).status, 200)
  gateway.write('all.yaml', yaml(provider({ name: 'p', url: upstream.url, spec: '  enabled: false' }), virtualKey()))
  await gateway.line((line) => line['msg'] === 'no provider is in use: nobody can answer a call')
  for (const model of ['auto', 'm']) {
    const unanswered = await gateway.chat({ model })
    t.equal(unanswered.status, 503, 'no fault of the key')
    t.equal(unanswered.headers.get('x-should-retry'), 'false', 'nor does asking again help')
    t.match(await unanswered.json(), { error: { code: 'no_healthy_provider', message: /no provider is in use/ } })
  }
})

t.test('a request in flight keeps the configuration that it began with', async (t) => {
  const first = await startFakeProvider()
  const second = await startFakeProvider()
  t.teardown(() => Promise.all([first.close(), second.close()]))
  second.otherwise(ok(chatCompletion('from the second')))
  const manifests = (one: string, two: string) =>
    yaml(
      provider({ name: 'one', url: one, priority: 1, spec: '  timeouts: { firstByte: 2s }' }),
      provider({ name: 'two', url: two, priority: 2 }),
      virtualKey(),
    )
  const gateway = await startGateway(t, { manifests: { 'all.yaml': manifests(first.url, second.url) } })
  first.enqueue(freeze())
  const call = gateway.chat()
  await first.received(1)
  gateway.write('all.yaml', manifests(first.url, 'http://127.0.0.1:9'))
  await gateway.line(
    (line) =>
      line['msg'] === 'configuration in force' &&
      gateway.lines.filter((other) => other['msg'] === 'configuration in force').length > 1,
  )
  const answer = (await (await call).json()) as { choices: { message: { content: string } }[] }
  t.equal(answer.choices[0]?.message.content, 'from the second')
})

t.test('SIGTERM: no new connections, what runs is finished, exit 0', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  upstream.enqueue(stream(chatStream(['one ', 'two ', 'three ', 'four']), { pauseMs: 150 }))
  const response = await gateway.chat({ stream: true })
  const exit = once(gateway.process, 'exit')
  gateway.process.kill('SIGTERM')
  const text = await response.text()
  t.match(text, /"four"[\s\S]*data: \[DONE\]/)
  t.strictSame(await exit, [0, null])
  await t.rejects(fetch(gateway.url))
  // Its output may come after its end.
  await gateway.line(({ msg }) => msg === 'stopped')
  t.match(gateway.lines.at(-1), { msg: 'stopped', finished: true })
})

t.test('who is refused while the gateway drains reads it when its body is written', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  upstream.enqueue(stream(chatStream(['one ', 'two ', 'three ', 'four']), { pauseMs: 400 }))
  const running = await gateway.chat({ stream: true })
  const exit = once(gateway.process, 'exit')
  const client = openRaw(gateway.url)
  t.teardown(() => client.close())
  const headers: [string, string][] = [
    ['connection', 'keep-alive'],
    ['content-type', 'application/json'],
  ]
  const request = requestBytes('POST', '/v1/chat/completions', headers, ' '.repeat(1_500_000))
  // Within its head the connection is not idle, and the request not there yet.
  client.write(request.subarray(0, 40))
  await sleep(100)
  gateway.process.kill('SIGTERM')
  await t.rejects(async () => {
    while (true) await fetch(`${gateway.url}/v1/models`)
  })
  t.match(await readWhenWritten(client, request.subarray(40)), { status: 401, complete: true })
  await running.text()
  t.strictSame(await exit, [0, null])
})

t.test('a refused client that stops in its body does not hold the drain to its end', async (t) => {
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: 'http://127.0.0.1:9' }), virtualKey()) },
  })
  const client = openRaw(gateway.url)
  t.teardown(() => client.close())
  const head = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n'
  client.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}{`)
  t.match(await client.read(), { status: 401, complete: true })
  const exit = once(gateway.process, 'exit')
  gateway.process.kill('SIGTERM')
  t.strictSame(await exit, [0, null])
  await gateway.line(({ msg, finished }) => msg === 'stopped' && finished === true)
})

t.test('whose answer is not there at the end of the drain is told so', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  const [start = '', content = ''] = chatStream(['begun'])
  upstream.enqueue(stallAfter([start, content]), freeze(), freeze(), freeze())
  const begun = await gateway.chat({ stream: true })
  const asking = [
    gateway.chat({ messages: question('whole') }),
    gateway.chat({ stream: true, messages: question('s') }),
  ]
  await upstream.received(3)
  // Waits for the same answer as the first.
  asking.push(gateway.chat({ messages: question('whole') }))
  // Of these, less than the whole body has come.
  const sending = ['content-length: 1000', 'transfer-encoding: chunked', 'content-length: 9\r\nexpect: 100-continue']
  const clients = sending.map((length) => {
    const client = openRaw(gateway.url)
    t.teardown(() => client.close())
    const head = `host: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
    client.write(`POST /adapters/anthropic/v1/messages HTTP/1.1\r\n${head}`)
    return client
  })
  const exit = once(gateway.process, 'exit')
  await sleep(200)
  gateway.process.kill('SIGTERM')
  const refused = Promise.all(clients.map((client) => client.read({ timeoutMs: 60_000 })))
  for (const answer of await Promise.all(asking)) {
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
    t.match(await answer.json(), { error: { code: 'not_ready', message: /shutting down/ } })
  }
  t.match(await begun.text(), /begun[^]*not_ready/)
  for (const { status, body } of await refused) t.match(`${status} ${body}`, /^503 .*overloaded_error.*shutting down/)
  t.strictSame(await exit, [0, null])
  await gateway.line(({ msg }) => msg === 'stopped')
  const ends = gateway.lines.filter(({ outcome }) => outcome !== undefined)
  t.strictSame(ends.map(({ outcome }) => outcome).toSorted(), ['cut', ...Array(6).fill('failed')])
  t.match(await gateway.line(({ msg }) => String(msg).startsWith('stream')), {
    level: 'info',
    msg: 'stream cut at the end of the drain',
  })
  t.notMatch(gateway.output(), '"stack"')
})

const question = (content: string) => [{ role: 'user', content }]

t.test('a second signal ends at once, but not one that comes with the first', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  const [start = '', content = ''] = chatStream(['endless'])
  upstream.enqueue(stallAfter([start, content]))
  const response = await gateway.chat({ stream: true })
  const exit = once(gateway.process, 'exit')
  // As from `timeout`, which passes on what its whole process group was sent.
  gateway.process.kill('SIGTERM')
  gateway.process.kill('SIGINT')
  t.match(await gateway.line(({ msg }) => String(msg).startsWith('draining')), { level: 'info', inFlight: 1 })
  await sleep(500)
  t.equal(gateway.process.exitCode, null)
  gateway.process.kill('SIGTERM')
  t.strictSame(await exit, [1, null])
  await t.rejects(response.text())
})

t.test('health and metrics', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  await gateway.chat()
  await gateway.chat({ model: 'unknown-model-of-a-client' })
  for (const path of ['/livez', '/readyz', '/readyz?verbose']) t.equal((await fetch(gateway.admin + path)).status, 200)
  for (const [method, status] of [
    ['GET', 404],
    ['POST', 405],
  ] as const) {
    const mistaken = await fetch(`${gateway.admin}/v1/models`, { method })
    t.match([mistaken.status, await mistaken.text()], [status, /models are called on the data port/])
  }
  const page = await (await fetch(`${gateway.admin}/metrics`)).text()
  t.match(page, 'tollgate_requests_total{adapter="native",provider="p",model="m",outcome="answered"} 1')
  t.match(page, 'tollgate_requests_total{adapter="native",provider="none",model="none",outcome="refused"} 1')
  t.match(page, /gen_ai_client_token_usage_bucket/)
  for (const own of ['cpu_seconds_total', 'resident_memory_bytes', 'start_time_seconds', 'open_fds', 'max_fds'])
    t.match(page, new RegExp(`^process_${own} [1-9\\d.]+`, 'm'))
  t.notMatch(page, 'unknown-model-of-a-client')
  t.notMatch(page, KEY)
  t.equal((await fetch(`${gateway.admin}/drain`, { method: 'POST' })).status, 405)
})

t.test('generated keys and secrets outlive the process in the state folder, for its owner only', async (t) => {
  const state = mkdtempSync(join(tmpdir(), 'tollgate-state-'))
  t.teardown(() => rmSync(state, { recursive: true }))
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const key = 'apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: made }\nspec: {}\n'
  const options = {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), key) },
    args: ['--state', state],
  }
  const texts = []
  for (const _ of [1, 2]) {
    const gateway = await startGateway(t, options)
    const file = join(state, 'virtual-keys', 'default.made')
    const text = readFileSync(file, 'utf8').trim()
    texts.push(text)
    t.match(text, /^tollgate_[a-z2-7]{12}_[\w-]{43}_\w{6}$/)
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.equal((await gateway.chat({}, { authorization: `Bearer ${text}` })).status, 200)
    t.notMatch(gateway.output(), text)
    gateway.process.kill('SIGTERM')
    await once(gateway.process, 'exit')
  }
  t.equal(texts[0], texts[1])
  t.strictSame(readdirSync(state).toSorted(), ['master-secret', 'virtual-keys'])
})

const generatedKey = (name: string, spec: string) =>
  `apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: ${name} }\nspec: ${spec}\n`

t.test('what is there for its answers gives them though nobody can read what it says', async (t) => {
  const [data, admin, port] = [await freePort(), await freePort(), await freePort()]
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const addresses = ['--listen', `127.0.0.1:${data}`, '--admin', `127.0.0.1:${admin}`]
  const cases: [string[], string][] = [
    [['standalone', '--config', EXAMPLE, '--demo', ...addresses], `http://127.0.0.1:${admin}/readyz`],
    [['demo-provider', '--port', `${port}`], `http://127.0.0.1:${port}/v1/models`],
  ]
  for (const [args, url] of cases) {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', full, 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    let complaint = ''
    child.stderr?.on('data', (data) => (complaint += String(data)))
    await until(async () => child.exitCode !== null || (await isOk(url)))
    t.equal(child.exitCode, null, `${args[0]}: ${complaint}`)
    // What it says when it listens has been tried to be said.
    t.ok(await isOk(url))
    child.kill('SIGTERM')
    t.strictSame(await once(child, 'exit'), [0, null], complaint)
  }
})

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

t.test('--demo shows each key that was made and can be used, or says why there is none', async (t) => {
  const refused = generatedKey('a', '{ organizationRef: { name: nobody } }')
  const suspended = generatedKey('a', '{ suspended: true }')
  const expired = generatedKey('a', '{ expiresAt: "2020-01-01T00:00:00Z" }')
  const [b, c] = [generatedKey('b', '{}'), generatedKey('c', '{}')]
  const cases: [string, RegExp][] = [
    [yaml(refused, b), /listens on \S+\nVirtual key \(default\/b\): [^]*curl -i http:\/\/127\.0\.0\.1:\d+\/v1\//],
    [yaml(suspended, b, c), /listens on \S+\nVirtual key \(default\/b\): \S+\nVirtual key \(default\/c\): [^]*curl/],
    [refused, /listens on \S+\nNo virtual key is in force: every call is a 401\. The lines/],
    [suspended, /listens on \S+\nNo virtual key is in force: every call is a 401\. The lines/],
    [expired, /listens on \S+\nNo virtual key is in force: every call is a 401\. The lines/],
    [yaml(suspended, virtualKey()), /listens on \S+\nIts virtual keys are the texts of your own Secrets\./],
    [
      yaml(
        generatedKey('b', '{ access: { allowAuto: false } }'),
        generatedKey('c', '{ access: { adapters: [OpenAI] } }'),
      ),
      /\(default\/c\): [^]*None of these keys may call \/v1 with the model auto: see spec\.access in its manifest\./,
    ],
  ]
  for (const [manifests, shown] of cases) {
    const args = ['--demo', '--listen', ':0', '--admin', ':0']
    const gateway = await startGateway(t, { manifests: { 'all.yaml': manifests }, args })
    await gateway.line(() => shown.test(gateway.output()))
    t.match(gateway.output(), shown)
    gateway.process.kill('SIGKILL')
  }
})

t.test(
  'the call that --demo shows is answered as it stands, whatever the organization and the key demand',
  async (t) => {
    const organization = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  compliance: { requiredTags: [team, cost-center, stage] }
  defaults: { tags: { stage: test } }
  grants: [{ name: all, namespaceSelector: {}, privileges: [overrideRouting] }]
`
    const named = generatedKey('a', '{ access: { allowAuto: false } }')
    const manifests = { 'all.yaml': yaml(organization, named, generatedKey('b', '{}')) }
    const state = t.testdir({ 'virtual-keys': { 'default.b': `${KEY}'$own"` } })
    const gateway = await startGateway(t, { manifests, args: ['--demo', '--state', state] })
    const shown = /^ {2}curl -i [^]*?"\}\]\}'$/m
    await gateway.line(() => shown.test(gateway.output()))
    const [, url = '', ...rest] = argumentsOf(shown.exec(gateway.output())?.[0] ?? '')
    const headers = rest.flatMap((argument, index) => (rest[index - 1] === '-H' ? [argument] : []))
    t.strictSame(headers, [
      `Authorization: Bearer ${KEY}'$own"`,
      'Content-Type: application/json',
      'X-LLM-Tags: team=try, cost-center=try',
      'Cache-Control: no-store',
    ])
    const answer = await fetch(url, {
      method: 'POST',
      headers: headers.map((header) => header.split(/: (.*)/, 2) as [string, string]),
      body: rest.at(-1) ?? '',
    })
    t.equal(answer.status, 200, await answer.text())
  },
)

/** Those that a shell would call `curl` with. */
function argumentsOf(call: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${call}`], { encoding: 'utf8' })
  return stdout.trimEnd().split('\n')
}

t.test('a generated key that is kept and shown nowhere is warned of', async (t) => {
  const out = [
    generatedKey('lost', '{ organizationRef: { name: nobody } }'),
    generatedKey('held', '{ suspended: true }'),
  ]
  const gateway = await startGateway(t, { manifests: { 'all.yaml': yaml(generatedKey('made', '{}'), ...out) } })
  const warned = await gateway.line((line) => String(line['msg']).includes('give --state'))
  t.strictSame(warned['virtualKeys'], ['default/made'])
})

t.test('the command line says what is wrong', async (t) => {
  t.match(run(), { status: 2, stdout: /usage: tollgate/ })
  t.match(run('--version'), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ })
  t.match(run('fly'), { status: 2, stderr: /no subcommand fly/ })
  for (const flag of ['--help', '-h']) {
    t.match(run(flag), { status: 0, stdout: /standalone/ })
    t.match(run('standalone', flag), { status: 0, stdout: /--listen/ })
    t.match(run('demo-provider', flag), { status: 0, stdout: /--fail-every/ })
  }
  t.match(run('help', 'audit'), { status: 0, stdout: /--sum-by/ })
  t.match(run('help', 'fly'), { status: 2, stderr: /no subcommand fly/ })
  t.match(run('audit', '--file', '-', '--sum-by', 'typo'), {
    status: 2,
    stderr: /--sum-by must be one of organization, .* or tag:NAME, not typo/,
  })
  t.match(run('standalone'), { status: 2, stderr: /--config PATH is required/ })
  t.match(run('standalone', '--config', 'x', '--listen', 'nonsense'), {
    status: 2,
    stderr: /--listen must be host:port/,
  })
  t.match(run('standalone', '--config', 'x', '--frobnicate'), { status: 2, stderr: /frobnicate.*--help lists/ })
  t.match(run('standalone', '--config', '/nowhere/at/all'), { status: 2 })
  t.match(run('cache', 'purge', '--organization', 'default', '--redis', 'redis://user:secr/et@host'), {
    status: 2,
    stderr: /^tollgate: --redis: not a Redis address: expected (?!.*secr).*\n$/,
  })
  t.match(run('check', join(import.meta.dirname, '..', '..', 'examples', 'standalone')), { status: 0, stdout: /ok: / })
})

t.test('records are read from where the command line says, whatever the environment says', (t) => {
  const [redis, file] = ['redis://127.0.0.1:1', '/nowhere']
  t.match(runIn({ TOLLGATE_FILE: file }, 'audit', '--redis', redis), { status: 1, stderr: /Redis cannot be reached/ })
  t.match(runIn({ TOLLGATE_REDIS: redis }, 'audit', '--file', file), {
    status: 1,
    stderr: /^tollgate: --file \/nowhere: no such file/,
  })
  t.match(runIn({ TOLLGATE_REDIS: 'nonsense' }, 'audit', '--file', file), {
    status: 1,
    stderr: /^tollgate: --file \/nowhere: no such file/,
  })
  t.end()
})

t.test('what the machine refuses is one line, and ends the process', async (t) => {
  const folder = t.testdir({
    'key.yaml': virtualKey(),
    file: 'no folder',
    state: { 'master-secret': '' },
    weak: { 'master-secret': 'hello' },
    spoilt: { 'virtual-keys': '' },
  })
  const standalone = ['standalone', '--config', join(folder, 'key.yaml'), '--demo', '--listen', '127.0.0.1:0']
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const admin = ['--admin', `127.0.0.1:${port}`]
  t.match(run(...standalone, ...admin), {
    status: 2,
    stderr: new RegExp(`^tollgate: --admin .*:${port} .*in use.*\\n$`),
  })
  t.match(run(...standalone, '--state', join(folder, 'file')), {
    status: 2,
    stderr: `tollgate: --state ${join(folder, 'file')} is a file, or lies below one; name a folder\n`,
  })
  t.match(run(...standalone, '--state', join(folder, 'state')), {
    status: 2,
    stderr: /^tollgate: --state: .*is empty.*\n$/,
  })
  t.match(run(...standalone, '--state', join(folder, 'weak')), {
    status: 2,
    stderr: /^tollgate: --state: .*weak\/master-secret is too short for a secret.*\n$/,
  })
  for (const address of ['redis://user:hunter2@host', 'redis:hunter2@host', 'user:hunter2@host:6379'])
    t.match(run(...standalone, '--state', address), {
      status: 2,
      stderr: 'tollgate: --state must be a folder, not an address; the Redis that gateways share is --redis\n',
    })
  // Node's own way of making a folder with those above it never ends here.
  t.match(run(...standalone, '--state', '/proc/tollgate'), {
    status: 2,
    stderr: /^tollgate: --state \/proc\/tollgate: there is no such folder, and none can be made there.*\n$/,
  })
  // A folder where neither root nor anybody else can make one.
  t.match(run(...standalone, '--state', '/sys/tollgate'), {
    status: 2,
    stderr:
      /^tollgate: --state \/sys\/tollgate (cannot be written by this user|lies on a read-only file system); name another folder\n$/,
  })
  t.match(run(...standalone, '--state', join(folder, 'spoilt')), {
    status: 2,
    stderr: /^tollgate: --state .*spoilt: virtual-keys in it is not a folder; remove it, or name another folder\n$/,
  })
  symlinkSync(join(folder, 'nothing', 'here'), join(folder, 'dangling'))
  t.match(run(...standalone, '--state', join(folder, 'dangling')), {
    status: 2,
    stderr: /^tollgate: --state .*dangling: there is no such folder, and none can be made there.*\n$/,
  })
  const deep = join(folder, 'one', 'two')
  t.match(run(...standalone, ...admin, '--state', deep), { status: 2, stderr: /in use already/ })
  t.equal(statSync(join(deep, 'master-secret')).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'one')).mode & 0o777, 0o700)
  t.match(run(...standalone, '--redis', 'nonsense'), {
    status: 2,
    stderr: /^tollgate: --redis: not a Redis address.*\n$/,
  })
})

t.test('a state folder without room for a file is one line, and nothing half is left in it', async (t) => {
  const folder = t.testdir({ 'key.yaml': virtualKey(), state: {} })
  const state = join(folder, 'state')
  const args = [MAIN, 'standalone', '--config', join(folder, 'key.yaml'), '--state', state]
  // As on a full disk: the file can be made, and nothing be written to it.
  // NODE_OPTIONS: the test runner's own, by which it writes files in every process.
  const command = ['-c', 'unset NODE_OPTIONS; ulimit -f 0; exec "$0" "$@"', process.execPath, ...args]
  const full = spawnSync('bash', command, { encoding: 'utf8' })
  t.match(full, { status: 2, stderr: /^tollgate: --state: .*master-secret: EFBIG: file too large\n$/ })
  t.strictSame(readdirSync(state), ['virtual-keys'])
})

t.test('a flag in the environment may be empty; a switch there is true or false', async (t) => {
  const environment = { TOLLGATE_CONFIG: '/nowhere', TOLLGATE_LISTEN: '' }
  t.match(runIn({ ...environment, TOLLGATE_DEMO: 'false' }, 'standalone'), {
    status: 2,
    stdout: /"\/nowhere: no such file or folder"/,
  })
  t.match(runIn({ ...environment, TOLLGATE_DEMO: '1' }, 'standalone'), {
    status: 2,
    stderr: /TOLLGATE_DEMO must be true or false, not 1/,
  })
})

t.test('what is wrong with a manifest is said before the process ends because of it', (t) => {
  const folder = t.testdir({ manifests: { 'a.yaml': 'apiVersion: x' }, printed: '' })
  const printed = openSync(join(folder, 'printed'), 'w')
  const { status } = spawnSync(process.execPath, [MAIN, 'standalone', '--config', join(folder, 'manifests')], {
    stdio: ['ignore', printed, printed],
    timeout: 60_000,
    env: { PATH: process.env['PATH'] },
  })
  t.equal(status, 2)
  t.match(readFileSync(join(folder, 'printed'), 'utf8'), /manifest refused[^]*not valid; see above/)
  t.end()
})
