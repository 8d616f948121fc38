/**
 * What must outlive the process, in files of mode 0600: the master secret and the generated virtual keys. Without a
 * directory everything is kept in memory and is new at the next start. Nothing is written anywhere else.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '../../domain/secret.ts'

const MASTER_SECRET_BYTES = 32

export class StateDirectory {
  readonly #path: string | undefined
  readonly #values = new Map<string, Secret>()

  /** @throws {Error} where the directory cannot be made. */
  constructor(path: string | undefined) {
    this.#path = path
    if (path !== undefined) mkdirSync(join(path, 'virtual-keys'), { recursive: true, mode: 0o700 })
  }

  /** Whether values outlive the process. */
  get persistent(): boolean {
    return this.#path !== undefined
  }

  /** The secret that all of this installation's secrets are derived from. Hexadecimal. */
  masterSecret(): Secret {
    return this.#value('master-secret', () => randomBytes(MASTER_SECRET_BYTES).toString('hex'))
  }

  /** The text of a generated key; made by `create` the first time. */
  virtualKey(namespace: string, name: string, create: () => string): Secret {
    return this.#value(join('virtual-keys', `${namespace}.${name}`), create)
  }

  /** @throws {Error} where a file cannot be read or written: losing a key silently would lock its users out. */
  #value(name: string, create: () => string): Secret {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const value = new Secret(this.#path === undefined ? create() : readOrCreate(join(this.#path, name), create))
    this.#values.set(name, value)
    return value
  }
}

/** Exclusive creation: of several processes that start at once, one writes and the others read. */
function readOrCreate(file: string, create: () => string): string {
  try {
    writeFileSync(file, `${create()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const text = readFileSync(file, 'utf8').trim()
  if (text === '') throw new Error(`${file} is empty; remove it to have a new one made`)
  return text
}
