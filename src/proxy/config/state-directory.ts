/**
 * What must outlive the process, in files of mode 0600: the master secret and the generated virtual keys. Without a
 * directory everything is kept in memory and is new at the next start. Nothing is written anywhere else.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Secret } from '../../domain/secret.ts'

const VIRTUAL_KEYS = 'virtual-keys'
const MASTER_SECRET = 'master-secret'
const MASTER_SECRET_BYTES = 32
/** Of a secret that somebody has put there: that many random bytes are 32 characters at least, however they are written. */
const MIN_MASTER_SECRET_CHARACTERS = 32

/** What is wrong with a file of the folder, with its name. */
export class StateError extends Error {}

/** What a file holds: how it is made, and what is to be said behind the file's name of a text that will not do. */
export interface TextKind {
  readonly create: () => string
  readonly faultIn: (text: string) => string | undefined
}

const MASTER_SECRET_TEXT: TextKind = {
  create: () => randomBytes(MASTER_SECRET_BYTES).toString('hex'),
  faultIn: ({ length }) =>
    length < MIN_MASTER_SECRET_CHARACTERS
      ? `is too short for a secret: ${MIN_MASTER_SECRET_CHARACTERS} characters at least`
      : undefined,
}

export class StateDirectory {
  readonly #path: string | undefined
  readonly #values = new Map<string, Secret>()
  /** Of a folder that was lost, those whose files are still to be made again: a full disk may take them at a later attempt. */
  readonly #lost = new Map<string, Secret>()

  /** @throws {Error} where the directory cannot be made. */
  constructor(path: string | undefined) {
    this.#path = path
    if (path !== undefined) makeFolders(join(path, VIRTUAL_KEYS))
  }

  /** Whether values outlive the process. */
  get persistent(): boolean {
    return this.#path !== undefined
  }

  /** The secret that all of this installation's secrets are derived from. @throws {StateError} as of `#value` */
  masterSecret(): Secret {
    return this.#value(MASTER_SECRET, MASTER_SECRET_TEXT)
  }

  /** The text of a generated key; made the first time. @throws {StateError} as of `#value` */
  virtualKey(namespace: string, name: string, kind: TextKind): Secret {
    return this.#value(fileOf(namespace, name), kind)
  }

  /**
   * Forgets the texts of all virtual keys but these. One that comes back has what its file holds by then: who has deleted
   * the file of a key that leaked gets another. Without a folder nothing is forgotten, as nothing else holds the texts.
   */
  keepOnly(virtualKeys: readonly { readonly namespace: string; readonly name: string }[]): void {
    if (this.#path === undefined) return
    const kept = new Set([MASTER_SECRET, ...virtualKeys.map(({ namespace, name }) => fileOf(namespace, name))])
    for (const known of [this.#values, this.#lost])
      for (const name of known.keys()) if (!kept.has(name)) known.delete(name)
  }

  /**
   * @throws {StateError} where a file cannot be read or written, or holds what will not do: losing a key silently would lock its
   *   users out. It is read again the next time.
   */
  #value(name: string, kind: TextKind): Secret {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const value = new Secret(this.#path === undefined ? kind.create() : this.#kept(this.#path, name, kind))
    this.#values.set(name, value)
    return value
  }

  #kept(path: string, name: string, kind: TextKind): string {
    const file = join(path, name)
    try {
      this.#restore(path)
      return readOrCreate(file, kind)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      throw new StateError(faultOf(file, error), { cause: error })
    }
  }

  /**
   * Makes a folder again that was lost while this runs, with what was in it, which is in force: a new key alone would have
   * all others locked out at the next start. A file that was removed alone is not put back: so a key is rotated.
   */
  #restore(path: string): void {
    const folder = join(path, VIRTUAL_KEYS)
    if (!existsSync(folder)) {
      makeFolders(folder)
      // Only now: what could not be made may be there unseen, and comes back with its files and without those removed.
      for (const [name, value] of this.#values) this.#lost.set(name, value)
    }
    for (const [name, value] of this.#lost) {
      createUnlessThere(join(path, name), `${value.reveal()}\n`)
      this.#lost.delete(name)
    }
  }
}

function fileOf(namespace: string, name: string): string {
  return join(VIRTUAL_KEYS, `${namespace}.${name}`)
}

function faultOf(file: string, { code, message }: Error & { readonly code: unknown }): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `${file} cannot be read or written by this user`
    case 'EISDIR':
      return `${file} is a folder, not a file; remove it to have a new one made`
    case 'ENOTDIR':
      return `${dirname(file)} is not a folder`
    default:
      return `${file}: ${message.replace(/, \w+( '.*')?$/s, '')}`
  }
}

/**
 * With the folders above it. Not mkdir's own `recursive`: Node's never ends where a folder that is there says that a new
 * one in it cannot be found (/proc, and a link to nothing on some file systems).
 */
function makeFolders(path: string): void {
  try {
    return makeFolder(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error
  }
  makeFolders(dirname(path))
  makeFolder(path)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !statSync(path).isDirectory()) throw error
  }
}

function readOrCreate(file: string, { create, faultIn }: TextKind): string {
  createUnlessThere(file, `${create()}\n`)
  const text = readFileSync(file, 'utf8').trim()
  const fault = text === '' ? 'is empty' : faultIn(text)
  if (fault !== undefined) throw new StateError(`${file} ${fault}; remove it to have a new one made`)
  return text
}

function createUnlessThere(file: string, text: string): void {
  // Asked first, as a folder may be read-only by now.
  if (existsSync(file)) return
  try {
    createFile(file, text)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** Of several processes that start at once one makes it, and the others find it whole. */
function createFile(file: string, text: string): void {
  const draft = join(dirname(file), `.draft-${randomBytes(8).toString('hex')}`)
  try {
    writeNew(draft, text)
    linkOrWrite(draft, file, text)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Not every file system has links. */
function linkOrWrite(draft: string, file: string, text: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw error
    writeNew(file, text)
  }
}

/** Exclusive. A full disk leaves no empty file. */
function writeNew(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
