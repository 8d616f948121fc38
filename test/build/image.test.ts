import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

const flagsIn = (file: string): readonly string[] =>
  [...new Set(readFileSync(join(ROOT, file), 'utf8').match(/--max-[a-z-]+=\d+|MALLOC_[A-Z_]+=\d+/g))].toSorted()

t.test('the image starts Node as npm and make do', async (t) => {
  const shipped = flagsIn('package.json')
  t.ok(shipped.length > 0)
  t.same(flagsIn('Dockerfile'), shipped)
  t.same(flagsIn('Makefile'), shipped)
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
