/** Which files a `--config` path means, and their text. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { withoutLogins } from '../../domain/logins.ts'
import { MAX_FILE_BYTES } from './documents.ts'

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])
/** Bounds of a configuration, far above any that people write by hand. */
const MAX_FILES = 10_000
const MAX_DEPTH = 16

export interface FileProblem {
  readonly file: string
  readonly message: string
  readonly allowed?: string
}

export interface FoundFiles {
  /** In the order of the paths; inside a folder by name. */
  readonly files: readonly string[]
  readonly problems: readonly FileProblem[]
}

/**
 * Files as they are named (any extension), folders with all that lies in them: .yaml, .yml and .json. Names that begin
 * with a dot are left out (editors' leftovers, and the `..data` of a mounted ConfigMap, whose links are followed).
 */
export function findFiles(paths: readonly string[]): FoundFiles {
  const files = new Set<string>()
  const problems: FileProblem[] = []
  for (const path of paths) {
    try {
      const found = statSync(path).isDirectory() ? listFolder(path, []) : [path]
      if (found.length === 0)
        problems.push({ file: path, message: 'holds no manifests', allowed: 'files named .yaml, .yml or .json' })
      for (const file of found) files.add(file)
    } catch (error) {
      problems.push({ file: withoutLogins(pathOf(error) ?? path), message: reasonOf(error) })
    }
  }
  if (files.size <= MAX_FILES) return { files: [...files], problems }
  return {
    files: [],
    problems: [...problems, { file: paths[0] ?? '', message: `${files.size} files`, allowed: `at most ${MAX_FILES}` }],
  }
}

/** Whether a file of this name is read where it lies in a folder. */
export function isManifestName(name: string): boolean {
  return EXTENSIONS.has(extname(name).toLowerCase())
}

/** The text of a file, or what keeps it from being read. */
export function readText(file: string): { readonly text: string } | { readonly problem: FileProblem } {
  try {
    const { size } = statSync(file)
    if (size > MAX_FILE_BYTES)
      return { problem: { file, message: `has ${size} bytes`, allowed: `at most ${MAX_FILE_BYTES}` } }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (error) {
    if (error instanceof TypeError)
      return { problem: { file, message: 'is not UTF-8 text', allowed: 'a file that is saved as UTF-8' } }
    return { problem: { file, message: reasonOf(error) } }
  }
}

/** `above`: the folders that it lies in. A link back to one of them would be read again and again. */
function listFolder(folder: string, above: readonly string[]): string[] {
  const { dev, ino } = statSync(folder, { bigint: true })
  const itself = `${dev} ${ino}`
  if (above.includes(itself)) throw new UnreadableError('ELOOP', folder)
  if (above.length > MAX_DEPTH) return []
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name)
      const stat = statSync(path)
      if (stat.isDirectory()) return listFolder(path, [...above, itself])
      if (!isManifestName(name)) return []
      // A named pipe without a writer, or an endless device: to read it would hold up the process for ever.
      if (!stat.isFile()) throw new UnreadableError('ENOTFILE', path)
      return [path]
    })
}

/** What the operating system would read, and we do not. */
class UnreadableError extends Error {
  readonly code: string
  readonly path: string

  constructor(code: string, path: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  ELOOP: 'links in a circle',
  ENOTFILE: 'is neither a file nor a folder',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? `cannot be read (${code === '' ? 'unknown reason' : code})`
}

/** What inside a folder it was: a link to nothing, a folder that may not be read. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
}
