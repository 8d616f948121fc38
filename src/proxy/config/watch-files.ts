/**
 * Notices changes of files by looking at them: works on every file system, with editors that replace files and with
 * mounted ConfigMaps (symbolic links swapped behind the path), where notifications do not.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Two looks fit into the second within which a change must be in force. */
const INTERVAL_MS = 400

/**
 * Between two looks at what has just changed: a file that is still being written is not read, for its first half may be
 * valid, with half of the keys. At most so many looks, as what never stands still must be read as well.
 */
const SETTLING_MS = 50
const MAX_SETTLING_LOOKS = 8

/** Folders deeper than this are not looked into; manifests are read as deep (manifests/syntax/files.ts). */
const MAX_DEPTH = 16

export interface FileWatch {
  stop(): void
}

/** Whether a file of this name is read where it lies in a folder. */
type IsRead = (name: string) => boolean

/**
 * Calls `changed` after the content, size or set of files under `paths` has changed and stands still. Never throws.
 * @param isRead what else lies in a folder may change unseen: were it the log of this process, each reading would lead to the
 *   next. Files that `paths` names are watched whatever their name
 */
export function watchFiles(paths: readonly string[], isRead: IsRead, changed: () => void): FileWatch {
  const fingerprint = (): string => paths.map((path) => lookAt(path, isRead, [])).join('\n')
  let told = fingerprint()
  let seen = told
  let settling = 0
  let timer = setTimeout(look, INTERVAL_MS).unref()
  function look(): void {
    const now = fingerprint()
    const moves = now !== seen && settling < MAX_SETTLING_LOOKS
    settling = moves ? settling + 1 : 0
    seen = now
    timer = setTimeout(look, moves ? SETTLING_MS : INTERVAL_MS).unref()
    if (moves || now === told) return
    told = now
    changed()
  }
  return { stop: () => clearTimeout(timer) }
}

/** `above`: the folders that it lies in; a link back to one of them is not followed. Empty for what is not read. */
function lookAt(path: string, isRead: IsRead, above: readonly string[]): string {
  try {
    const stat = statSync(path, { bigint: true })
    if (!stat.isDirectory()) {
      if (above.length > 0 && !isRead(basename(path))) return ''
      return `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    }
    const itself = `${stat.dev} ${stat.ino}`
    if (above.length > MAX_DEPTH || above.includes(itself)) return path
    const names = readdirSync(path).filter((name) => name === '..data' || !name.startsWith('.'))
    return names
      .toSorted()
      .map((name) => lookAt(join(path, name), isRead, [...above, itself]))
      .filter((text) => text !== '')
      .join('\n')
  } catch {
    return `${path} missing`
  }
}
