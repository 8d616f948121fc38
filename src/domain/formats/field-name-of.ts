/** Under which names the values of a document stand. */
import { asString, type Container, type JsonObject } from '../json.ts'

/** Fields of a value whose name stands beside it, or one level up: `{"name": "password", "value": "..."}`. */
export const VALUE_FIELDS: ReadonlySet<string> = new Set(['value', 'Value', 'default'])
const NAMING_FIELDS = ['name', 'Name', 'key', 'Key', 'field', 'label'] as const
/** Where the name of such a value may stand. */
export const NAMING: ReadonlySet<string> = new Set(NAMING_FIELDS)

/**
 * What names the value in `holder[key]`.
 * @param held the name that `holder` itself stands under
 */
export function fieldNameOf(holder: JsonObject, key: string, held: string): string {
  if (!VALUE_FIELDS.has(key)) return key
  const field = NAMING_FIELDS.find((name) => typeof holder[name] === 'string')
  return (field === undefined ? undefined : asString(holder[field])) ?? (held === '' ? key : held)
}

export interface Held {
  readonly container: Container
  /** The name that it stands under; that of a list is the name of what is in it. */
  readonly fieldName: string
}

/** Containers still to be visited. Two lists, since an object for each would be more than the container. */
export class PendingContainers {
  readonly #containers: Container[] = []
  readonly #names: string[] = []

  get size(): number {
    return this.#containers.length
  }

  add(container: Container, fieldName: string): void {
    this.#containers.push(container)
    this.#names.push(fieldName)
  }

  /** Of those from `first` on, the first will be the next. */
  turn(first: number): void {
    turnAround(this.#containers, first)
    turnAround(this.#names, first)
  }

  next(): Held | undefined {
    const container = this.#containers.pop()
    const fieldName = this.#names.pop()
    return container === undefined || fieldName === undefined ? undefined : { container, fieldName }
  }
}

function turnAround<Item>(list: Item[], first: number): void {
  if (list.length - first < 2) return
  for (const item of list.splice(first).toReversed()) list.push(item)
}
