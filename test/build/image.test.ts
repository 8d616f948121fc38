import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const inOrder = (flags: readonly string[]): readonly string[] => [...new Set(flags)].toSorted()
/** Where a start of Node is written: its flags, up to the program. */
const startsIn = (file: string): readonly (readonly string[])[] =>
  Array.from(textOf(file).matchAll(/\bnode"?,? "?(--[\w-]+=\d+(?:"?,? "?--[\w-]+=\d+)*)/g), ([, flags = '']) =>
    inOrder(flags.match(/--[\w-]+=\d+/g) ?? []),
  )

t.test('the image starts Node as npm, make and the bench do', async (t) => {
  const [shipped = []] = startsIn('package.json')
  t.ok(shipped.length > 0)
  t.same(startsIn('Makefile'), [shipped])
  // Of other flags V8 would not take what the image's build has compiled.
  t.same(startsIn('Dockerfile'), [shipped, shipped, shipped])
  const bench = textOf('test/bench/rig/contenders.ts')
  t.same(inOrder(bench.match(/(?<=')--[\w-]+=\d+(?=')/g) ?? []), shipped)
})

t.test('and sets up malloc as they do', async (t) => {
  const settingsIn = (file: string) => inOrder(textOf(file).match(/MALLOC_[A-Z_]+=\d+/g) ?? [])
  const shipped = settingsIn('package.json')
  t.ok(shipped.length > 0)
  for (const file of ['Dockerfile', 'Makefile']) t.same(settingsIn(file), shipped)
})

t.test('what the image holds runs where there is nothing else of the project', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-image-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const app = join(folder, 'app')
  execFileSync(process.execPath, [join(ROOT, 'build/image-root.ts'), app])
  const tollgate = (...args: string[]) =>
    execFileSync(process.execPath, [join(app, 'dist/tollgate.mjs'), ...args], { encoding: 'utf8', cwd: folder })

  t.match(tollgate('--version'), /^\d+\.\d+\.\d+/)
  // Reads the CRDs and compiles them.
  t.match(tollgate('check', join(ROOT, 'examples/standalone')), /./)
  // Reads the gRPC contract and the Lua scripts.
  t.match(tollgate('sidecar', '--help'), /--operator/)
  t.match(tollgate('operator', '--help'), /--listen-grpc/)

  const files = readdirSync(app, { recursive: true, encoding: 'utf8' })
  t.same(
    files.filter((file) => file.endsWith('.ts') || file.includes('node_modules')),
    [],
  )
})
