/**
 * New names for the fields of one object. Two fields never become one: where a new name is taken already, it is counted on,
 * `name (2)`. That takes a client who writes a value and what looks like its token side by side.
 */
import { putField, type JsonObject } from '../json.ts'

/** The new names of one object's fields, given out one by one. */
export class FieldNames {
  readonly #taken: Set<string>
  /** How far a name has been counted on, so that many that want the same one stay linear. */
  readonly #counted = new Map<string, number>()

  /** @param taken names that stay */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** `wanted`, or the first name counted on from it that no other field has. */
  take(wanted: string): string {
    let name = wanted
    let count = this.#counted.get(wanted) ?? 1
    while (this.#taken.has(name)) name = `${wanted} (${++count})`
    if (count > 1) this.#counted.set(wanted, count)
    this.#taken.add(name)
    return name
  }
}

/**
 * Renames fields in place; they keep their order, but for names of small integers, which every object has first.
 * @param renamed new names by old ones; the rest stays
 */
export function renameFields(object: JsonObject, renamed: ReadonlyMap<string, string>): void {
  const fields = Object.entries(object)
  const names = new FieldNames(fields.map(([name]) => name).filter((name) => !renamed.has(name)))
  for (const [name] of fields) delete object[name]
  for (const [name, value] of fields) {
    const wanted = renamed.get(name)
    putField(object, wanted === undefined ? name : names.take(wanted), value)
  }
}
