/**
 * Puts together what the container image holds below `/app`, with or without a container engine:
 *
 *     image-root.ts FOLDER       dist/, package.json, LICENSE, and the files of src/ that are read at run time
 *
 * No node_modules: the bundle has every library in it, and THIRD-PARTY-LICENSES the libraries' licenses.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: image-root.ts FOLDER')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const name of ['package.json', 'LICENSE']) cpSync(join(ROOT, name), join(folder, name))
copyFilesOfSources(join(folder, 'src'))
writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licenses())
execFileSync(process.execPath, [join(ROOT, 'build/bundle.ts'), join(folder, 'dist')], { stdio: 'inherit' })

/** Lua scripts, weights, the gRPC contract: found beside the sources. */
function copyFilesOfSources(target: string): void {
  const sources = join(ROOT, 'src')
  for (const path of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (extname(path) !== '.ts' && statSync(join(sources, path)).isFile())
      cpSync(join(sources, path), join(target, path))
  }
}

/** The license of every package that is not for development only, as package-lock.json lists them. */
function licenses(): string {
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const packages = typeof lock === 'object' && lock !== null && 'packages' in lock ? lock.packages : undefined
  const folders = Object.entries(packages ?? {}).flatMap(([path, entry]: [string, unknown]) =>
    path === '' || (typeof entry === 'object' && entry !== null && 'dev' in entry) ? [] : [path],
  )
  return folders
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => `${path.replace(/^.*node_modules\//, '')}\n\n${licenseIn(join(ROOT, path))}\n`)
    .join('\n----\n\n')
}

function licenseIn(library: string): string {
  const file = readdirSync(library).find((name) => /^licen[cs]e/i.test(name))
  if (file !== undefined) return readFileSync(join(library, file), 'utf8')
  const manifest: unknown = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'license' in manifest
    ? String(manifest.license)
    : 'unknown'
}
