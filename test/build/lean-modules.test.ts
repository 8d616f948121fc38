import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

/** Says at the end whether Node has loaded its own copy of undici. */
const TELL_MODULES = `process.on('exit', () => console.error('own fetch:', process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'))))`

t.test("the bundle answers through a provider and never loads Node's own fetch", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lean-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const app = join(folder, 'app')
  execFileSync(process.execPath, [join(ROOT, 'build/image-root.ts'), app])
  cpSync(join(ROOT, 'examples/standalone'), join(folder, 'config'), { recursive: true })

  const entry = join(app, 'dist/tollgate.mjs')
  const flags = ['--demo', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--config', join(folder, 'config')]
  const preload = `data:text/javascript,${encodeURIComponent(TELL_MODULES)}`
  const child = spawn(process.execPath, ['--import', preload, entry, 'standalone', ...flags], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const told = text(child.stderr)
  const { url, key } = await greeting(child.stdout)

  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  t.equal(response.status, 200, await response.text())
  child.stdout.resume()
  child.kill('SIGTERM')
  await once(child, 'exit')
  t.match(await told, 'own fetch: false')
})

/** Reads up to the call that is shown to be pasted. */
async function greeting(output: NodeJS.ReadableStream): Promise<{ readonly url: string; readonly key: string }> {
  let seen = ''
  for (;;) {
    const [chunk]: unknown[] = await once(output, 'data')
    seen += String(chunk)
    const found = /curl -i (http:\S+)\/v1\/[\s\S]*Bearer ([^']+)'/.exec(seen)
    if (found?.[1] !== undefined && found[2] !== undefined) return { url: found[1], key: found[2] }
  }
}
