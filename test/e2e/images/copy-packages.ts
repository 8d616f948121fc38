/**
 * Copies npm packages and all they depend on from an installation, without sources, maps and types:
 *
 *     copy-packages.ts FROM TO PACKAGE...
 */
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [from = '', to = '', ...names] = process.argv.slice(2)
const copied = new Set<string>()
for (const name of names) copy(name)

function copy(name: string): void {
  if (copied.has(name)) return
  copied.add(name)
  const folder = join(from, name)
  cpSync(folder, join(to, name), { recursive: true, filter: (path) => !/\.(map|[cm]?ts)$|\/(src|bin)$/.test(path) })
  for (const dependency of dependenciesOf(join(folder, 'package.json'))) {
    if (!existsSync(join(folder, 'node_modules', dependency))) copy(dependency)
  }
}

function dependenciesOf(manifest: string): readonly string[] {
  const document: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
  if (typeof document !== 'object' || document === null || !('dependencies' in document)) return []
  return Object.keys(document.dependencies ?? {})
}
