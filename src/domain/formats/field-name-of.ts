/** Under which names the values of a document stand. */
import { asString, type Container, type JsonObject } from '../json.ts'

/** Fields of a value whose name stands beside it, or one level up: `{"name": "password", "value": "..."}`. */
export const VALUE_FIELDS: ReadonlySet<string> = new Set([
  'value',
  'Value',
  'val',
  'default',
  'defaultValue',
  'default_value',
  'stringValue',
  'string_value',
  'ParameterValue',
  'parameter_value',
])
/**
 * What holds that value one level up only: `{"password": {"plaintext": "..."}}`, as DynamoDB writes texts (`S`), and as
 * XML is written in JSON.
 */
const HELD_FIELDS: ReadonlySet<string> = new Set(
  'plain plaintext plain_text plainText raw S $ $t #text _text __text _cdata'.split(' '),
)
/** What holds cookies by their names. */
const COOKIES = /cookies?$/i
const NAMING_FIELDS = ['name', 'Name', 'key', 'Key', 'field', 'label'] as const
/** They name a value as often as something else. */
const PERHAPS_NAMING_FIELDS = [
  'id',
  'path',
  'type',
  'kind',
  'variable',
  'property',
  'parameter',
  'setting',
  'attribute',
  'system',
  'ParameterKey',
  'OptionName',
] as const
/** Where the name of such a value may stand. */
export const NAMING: ReadonlySet<string> = new Set([...NAMING_FIELDS, ...PERHAPS_NAMING_FIELDS])

/** Of names that one value is given: containers within each other would give it any number. */
const MOST_NAMES = 4
/** A longer text names nothing. */
const LONGEST_NAME = 96

/**
 * What names the value in `holder[key]`. Where several things may, each has a line, the likeliest the first.
 * @param held the same of `holder` itself
 */
export function fieldNameOf(holder: JsonObject, key: string, held: string): string {
  if (!VALUE_FIELDS.has(key))
    return mayBeJoined(held) && (HELD_FIELDS.has(key) || COOKIES.test(held)) ? lines([key, held]) : key
  const beside = namesIn(holder, NAMING_FIELDS)
  const perhaps = namesIn(holder, PERHAPS_NAMING_FIELDS)
  if (beside.length + perhaps.length === 0) return held === '' ? key : held
  const above = mayBeJoined(held) ? [held] : []
  return lines([...(beside.length === 0 && held === '' ? [key] : beside), ...above, ...perhaps])
}

/** A longer one is no name, and each of the values below it would bear a copy. */
function mayBeJoined(held: string): boolean {
  return held !== '' && held.length <= LONGEST_NAME
}

function namesIn(holder: JsonObject, fields: readonly string[]): string[] {
  const names: string[] = []
  for (const field of fields) {
    const name = asString(holder[field])
    if (name !== undefined && name.length <= LONGEST_NAME) names.push(name)
  }
  return names
}

function lines(names: readonly string[]): string {
  const given = names.flatMap((name) => name.split('\n')).filter((name) => name !== '')
  return given.slice(0, MOST_NAMES).join('\n')
}

export interface Held {
  readonly container: Container
  /** @see fieldNameOf; that of a list names what is in it. */
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
