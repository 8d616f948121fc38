/**
 * Puts together what the container image holds below `/app`, with or without a container engine:
 *
 *     image-root.ts FOLDER       dist/, crds/, package.json, LICENSE, and the files of src/ that are read at run time
 *
 * No node_modules: the bundle has every library in it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: image-root.ts FOLDER')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const name of ['package.json', 'LICENSE', 'crds'])
  cpSync(join(ROOT, name), join(folder, name), { recursive: true })
copyFilesOfSources(join(folder, 'src'))
execFileSync(process.execPath, [join(ROOT, 'build/bundle.ts'), join(folder, 'dist')], { stdio: 'inherit' })

/** Lua scripts, weights, the gRPC contract: found beside the sources. */
function copyFilesOfSources(target: string): void {
  const sources = join(ROOT, 'src')
  for (const path of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (extname(path) !== '.ts' && statSync(join(sources, path)).isFile())
      cpSync(join(sources, path), join(target, path))
  }
}
