import { keyOf } from './kube-object.ts'
import type { KubeObject } from './kube-object.ts'

/** The words under which an object is found, such as the names of the Secrets that it refers to. */
export type IndexFunction = (object: KubeObject) => readonly string[]

/** What is known of a resource. Objects are frozen; a missing one is `undefined`. Keys are those of `keyOf`. */
export interface ObjectLookup {
  readonly size: number
  get(key: string): KubeObject | undefined
  list(): readonly KubeObject[]
  /** Keys of the objects that `index` finds under `word`. @throws TypeError for an index that was not declared. */
  keysBy(index: string, word: string): readonly string[]
  /** As `keysBy`, the objects themselves. */
  findBy(index: string, word: string): readonly KubeObject[]
  /** All words under which `index` finds anything. @throws as `keysBy` */
  words(index: string): readonly string[]
}

/** One object's step; `current` is absent where it is gone, `previous` where it is new. */
export interface ObjectChange {
  readonly key: string
  readonly current: KubeObject | undefined
  readonly previous: KubeObject | undefined
}

/** Objects by key and by declared indexes. */
export class ObjectStore implements ObjectLookup {
  readonly #objects = new Map<string, KubeObject>()
  readonly #functions: ReadonlyMap<string, IndexFunction>
  /** Index, then word, then keys. */
  readonly #indexes: ReadonlyMap<string, Map<string, Set<string>>>

  constructor(indexes: Readonly<Record<string, IndexFunction>> = {}) {
    this.#functions = new Map(Object.entries(indexes))
    this.#indexes = new Map(Object.keys(indexes).map((name) => [name, new Map<string, Set<string>>()]))
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key)
  }

  list(): readonly KubeObject[] {
    return [...this.#objects.values()]
  }

  keysBy(index: string, word: string): readonly string[] {
    return [...(this.#indexNamed(index).get(word) ?? [])]
  }

  findBy(index: string, word: string): readonly KubeObject[] {
    return this.keysBy(index, word).flatMap((key) => this.#objects.get(key) ?? [])
  }

  words(index: string): readonly string[] {
    return [...this.#indexNamed(index).keys()]
  }

  /** Sets or, without `current`, removes the object. Undefined where this changes nothing. */
  put(key: string, current: KubeObject | undefined): ObjectChange | undefined {
    const previous = this.#objects.get(key)
    if (previous === undefined && current === undefined) return undefined
    if (isSameVersion(previous, current)) return undefined
    if (previous !== undefined) this.#unindex(key, previous)
    if (current === undefined) {
      this.#objects.delete(key)
    } else {
      this.#objects.set(key, current)
      this.#index(key, current)
    }
    return { key, current, previous }
  }

  /** Makes the store hold exactly these; returns what that changed, removals included. */
  replace(objects: readonly KubeObject[]): ObjectChange[] {
    const present = new Set(objects.map(keyOf))
    const gone = [...this.#objects.keys()].filter((key) => !present.has(key))
    const changes = [
      ...gone.map((key) => this.put(key, undefined)),
      ...objects.map((object) => this.put(keyOf(object), object)),
    ]
    return changes.filter((change) => change !== undefined)
  }

  #indexNamed(name: string): ReadonlyMap<string, ReadonlySet<string>> {
    const words = this.#indexes.get(name)
    if (words === undefined) throw new TypeError(`no index named ${name}`)
    return words
  }

  #index(key: string, object: KubeObject): void {
    for (const [name, words] of this.#indexes) {
      for (const word of this.#wordsOf(name, object)) {
        const keys = words.get(word)
        if (keys === undefined) words.set(word, new Set([key]))
        else keys.add(key)
      }
    }
  }

  #unindex(key: string, object: KubeObject): void {
    for (const [name, words] of this.#indexes) {
      for (const word of this.#wordsOf(name, object)) {
        const keys = words.get(word)
        keys?.delete(key)
        if (keys?.size === 0) words.delete(word)
      }
    }
  }

  #wordsOf(index: string, object: KubeObject): readonly string[] {
    return this.#functions.get(index)?.(object) ?? []
  }
}

function isSameVersion(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  const version = a?.metadata.resourceVersion
  return version !== undefined && version === b?.metadata.resourceVersion && a?.metadata.uid === b?.metadata.uid
}
