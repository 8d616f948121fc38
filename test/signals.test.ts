/** What a process makes of SIGHUP: where there is something to read again it does so, else it ends in order. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { chatCompletion, chatStream } from './helpers/answers.ts'
import { ok, stream } from './helpers/behaviours.ts'
import { startFakeProvider } from './helpers/fake-provider.ts'
import { collect, KEY, provider, startGateway, virtualKey, yaml } from './helpers/gateway.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const ADDRESSES = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0']
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none, namespace: default } }]
clusters: [{ name: none, cluster: { server: 'http://127.0.0.1:1' } }]
users: [{ name: none, user: { token: none } }]
`

t.test('a gateway without a terminal reads its manifests again, and never ends', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(ok(chatCompletion('x')))
  const gateway = await startGateway(t, {
    manifests: { 'provider.yaml': provider({ name: 'p', url: upstream.url }), 'key.yaml': virtualKey() },
  })
  const lines = (msg: string) => gateway.lines.filter((line) => line['msg'] === msg).length
  for (const round of [1, 2, 3]) {
    gateway.process.kill('SIGHUP')
    await gateway.line(
      () => lines('manifests are read again') === round && lines('configuration in force') === 1 + round,
    )
  }
  t.match(await gateway.line(({ msg }) => msg === 'manifests are read again'), { level: 'info', signal: 'SIGHUP' })
  gateway.write('provider.yaml', 'kind: Nonsense')
  gateway.process.kill('SIGHUP')
  await gateway.line((line) => String(line['msg']).startsWith('configuration kept'))
  t.equal((await gateway.chat()).status, 200)
  t.equal(gateway.process.exitCode, null)
})

t.test('nor does it end where it is told so while it starts', async (t) => {
  const hooks = `import { registerHooks } from 'node:module'
    const load = (url, context, next) => {
      if (url.endsWith('/src/standalone.ts')) process.kill(process.pid, 'SIGHUP')
      return next(url, context)
    }
    registerHooks({ load })`
  const node = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
  const gateway = [MAIN, 'standalone', ...ADDRESSES, '--config', t.testdir({ 'key.yaml': virtualKey() })]
  // Without what tap has processes do at a signal.
  const child = spawn('env', ['-i', ...node, ...gateway], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const begun = collect(child).line(({ msg }) => msg === 'listening')
  t.match(await Promise.race([begun, once(child, 'exit')]), { msg: 'listening' })
})

t.test('a process that has nothing to read again ends in order', async (t) => {
  const kubeconfig = join(t.testdir({ kubeconfig: KUBECONFIG }), 'kubeconfig')
  const pod = { POD_NAME: 'a', POD_NAMESPACE: 'b', POD_UID: 'c' }
  const env = { PATH: process.env['PATH'], ...pod, KUBECONFIG: kubeconfig }
  const cases: [string[], string][] = [
    [['sidecar', '--operator', 'localhost:1', '--ca', 'none', ...ADDRESSES], 'listening'],
    [
      ['operator', '--redis', 'redis://127.0.0.1:1', '--admin', '127.0.0.1:0'],
      'secrets of the installation not available',
    ],
  ]
  for (const [args, begun] of cases) {
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    t.teardown(() => child.kill('SIGKILL'))
    const printed = collect(child)
    await printed.line(({ msg }) => msg === begun)
    const exit = once(child, 'exit')
    child.kill('SIGHUP')
    t.strictSame(await exit, [0, null], begun)
    await printed.line(({ msg }) => msg === 'stopped')
    t.match(printed.lines.at(-1), { msg: 'stopped' })
  }
})

t.test('npm, asked to end, passes it on', async (t) => {
  const gateway = ['standalone', '--config', t.testdir({ 'key.yaml': virtualKey() }), ...ADDRESSES]
  const npm = spawn('npm', ['run', '--silent', 'tollgate', '--', ...gateway], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  t.teardown(() => spawnSync('kill', ['-KILL', '--', `-${npm.pid}`]))
  const printed = collect(npm)
  await printed.line(({ msg }) => msg === 'listening')
  npm.kill('SIGTERM')
  t.match(await printed.line(({ msg }) => msg === 'stopped'), { finished: true })
})

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
/** How a gateway is started in a terminal, whether it hears of its end from a shell, and what the shell is to do until then. */
const TERMINALS: Readonly<
  Record<string, readonly [start: (gateway: string, pidFile: string) => string, hears: boolean]>
> = {
  'of its own': [(gateway, pidFile) => `echo $$ >${pidFile}; exec ${gateway}`, true],
  // Which outlives its terminal and tells nobody.
  'below make': [(gateway, pidFile) => `trap : HUP; ${gateway} & echo $! >${pidFile}; wait; wait`, false],
}

for (const [where, [start, hears]] of Object.entries(TERMINALS)) {
  t.test(
    `a gateway whose terminal is closed finishes what runs, and ends: ${where}`,
    { skip: !hasScript },
    async (t) => {
      const upstream = await startFakeProvider()
      t.teardown(() => upstream.close())
      const manifests = yaml(provider({ name: 'p', url: upstream.url }), virtualKey())
      const folder = t.testdir({ manifests: { 'all.yaml': manifests }, pid: '' })
      const gateway = [process.execPath, MAIN, 'standalone', '--config', join(folder, 'manifests'), ...ADDRESSES].join(
        ' ',
      )
      const terminal = spawn('script', ['--quiet', '--command', start(gateway, `${folder}/pid`), '/dev/null'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      t.teardown(() => terminal.kill('SIGKILL'))
      const { data } = await collect(terminal).line(({ msg }) => msg === 'listening')
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
      upstream.enqueue(stream(chatStream(['one ', 'two ', 'three ', 'four']), { pauseMs: 150 }))
      const response = await fetch(`${String(data)}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}',
      })
      terminal.kill('SIGKILL')
      // As a shell does that passes on to its jobs what its terminal has told it and them.
      if (hears) process.kill(pid, 'SIGHUP')
      t.match(await response.text(), /"four"[\s\S]*data: \[DONE\]/)
      while (isAlive(pid)) await sleep(10)
    },
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
