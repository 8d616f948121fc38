/**
 * Notices changes of files by looking at them: works on every file system, with editors that replace files and with
 * mounted ConfigMaps (symbolic links swapped behind the path), where notifications do not.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Two looks fit into the second within which a change must be in force. */
const INTERVAL_MS = 400

/** Folders deeper than this are not looked into; manifests are read as deep (manifests/files.ts). */
const MAX_DEPTH = 16

export interface FileWatch {
  stop(): void
}

/** Calls `changed` after the content, size or set of files under `paths` has changed. Never throws. */
export function watchFiles(paths: readonly string[], changed: () => void): FileWatch {
  let seen = fingerprint(paths)
  const timer = setInterval(() => {
    const now = fingerprint(paths)
    if (now === seen) return
    seen = now
    changed()
  }, INTERVAL_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

function fingerprint(paths: readonly string[]): string {
  return paths.map((path) => lookAt(path, 0)).join('\n')
}

function lookAt(path: string, depth: number): string {
  try {
    const stat = statSync(path, { bigint: true })
    if (!stat.isDirectory()) return `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    if (depth > MAX_DEPTH) return path
    const names = readdirSync(path).filter((name) => name === '..data' || !name.startsWith('.'))
    return names
      .toSorted()
      .map((name) => lookAt(join(path, name), depth + 1))
      .join('\n')
  } catch {
    return `${path} missing`
  }
}
