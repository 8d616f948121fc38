/** The command `tollgate demo-provider`, as a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')

function demoProvider(...args: string[]) {
  // What Kubernetes puts into pods beside a Service named tollgate.
  const env = { PATH: process.env['PATH'], TOLLGATE_PORT: 'tcp://10.0.0.1:443' }
  return spawn(process.execPath, [MAIN, 'demo-provider', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

t.test('it writes the address it took and its models, answers there, and ends by signal', async (t) => {
  const command = demoProvider('--port', '0', '--name', 'demo-b')
  t.teardown(() => command.kill('SIGKILL'))
  const [line] = await once(createInterface(command.stdout), 'line')
  const { name, url, models } = JSON.parse(String(line)) as { name: string; url: string; models: string[] }
  t.equal(name, 'demo-b')
  const listed = await fetch(`${url}/v1/models`)
  t.match([listed.status, await listed.json()], [200, { data: models.map((id) => ({ id })) }])
  command.kill('SIGTERM')
  t.strictSame(await once(command, 'exit'), [0, null])
})

t.test('bad arguments and a port in use are one line, and end it', async (t) => {
  const first = demoProvider('--port', '0')
  t.teardown(() => first.kill('SIGKILL'))
  const [line] = await once(createInterface(first.stdout), 'line')
  const { port } = new URL((JSON.parse(String(line)) as { url: string }).url)
  const cases: [string[], number, RegExp][] = [
    [['--port', 'x'], 2, /^tollgate: --port must be a whole number from 0 to 65535, not x\n$/],
    [['--fail-every', '0'], 2, /^tollgate: --fail-every must be/],
    [['--nonsense'], 2, /nonsense/],
    [
      ['--port', port],
      2,
      /^tollgate: --host 127\.0\.0\.1 --port \d+ cannot be listened at: it is in use already; .*\n$/,
    ],
  ]
  for (const [args, status, text] of cases) {
    const command = demoProvider(...args)
    const said = command.stderr.toArray()
    t.strictSame(await once(command, 'exit'), [status, null], args.join(' '))
    t.match(Buffer.concat(await said).toString(), text)
  }
})
