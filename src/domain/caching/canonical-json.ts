/** One text for all spellings of a JSON document: the key of what is equal, whatever the order of its fields. */
import { putField, type JsonObject, type JsonValue } from '../json.ts'

/**
 * The document with its fields in the order of their names, without spaces. Numbers that a double would change must be kept
 * as their texts (`parseJson`): two documents that a provider tells apart could look equal else.
 * @param ignored fields of the document itself, not of what is in it, that are left out
 * @param placeOf what a name is put in order by, where that is not the name itself
 */
export function canonicalJson(
  value: JsonValue,
  ignored?: ReadonlySet<string>,
  placeOf?: (name: string) => string,
): string {
  return JSON.stringify(inOrder(value, placeOf, ignored))
}

/**
 * The value itself where everything in it is in order: writing it is then the runtime's work alone. So is a number that is
 * kept as its text: an object of one field.
 */
function inOrder(value: JsonValue, placeOf: PlaceOf, ignored?: ReadonlySet<string>): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? itemsInOrder(value, placeOf) : fieldsInOrder(value, placeOf, ignored)
}

type PlaceOf = ((name: string) => string) | undefined

function itemsInOrder(items: JsonValue[], placeOf: PlaceOf): JsonValue {
  let copy: JsonValue[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index] ?? null
    const ordered = inOrder(item, placeOf)
    if (ordered !== item) copy ??= items.slice()
    if (copy !== undefined) copy[index] = ordered
  }
  return copy ?? items
}

function fieldsInOrder(object: JsonObject, placeOf: PlaceOf, ignored?: ReadonlySet<string>): JsonObject {
  const names = Object.keys(object)
  const inPlace = holdOtherPlaces(names, placeOf) ? sortByPlace(names, placeOf) : sortNames(names)
  let copy: JsonObject | undefined = inPlace && ignored === undefined ? undefined : {}
  for (const name of names) {
    const field = object[name]
    if (field === undefined || ignored?.has(name) === true) continue
    const ordered = inOrder(field, placeOf)
    if (ordered !== field) copy ??= { ...object }
    if (copy !== undefined) putField(copy, name, ordered)
  }
  return copy ?? object
}

/** Up to here sorting by insertion is cheaper than the runtime's sort, which allocates. Most objects have a few fields. */
const FEW = 16

/** Sorts in place. @returns whether they were in order already */
function sortNames(names: string[]): boolean {
  let unchanged = true
  for (let index = 1; index < names.length; index++) {
    const name = names[index] ?? ''
    if ((names[index - 1] ?? '') <= name) continue
    unchanged = false
    if (names.length > FEW) break
    insert(name, index, names)
  }
  if (!unchanged && names.length > FEW) names.sort()
  return unchanged
}

/** Whether one of the names has a place that is not its own. Hardly ever: then sorting by places is not worth its price. */
function holdOtherPlaces(names: readonly string[], placeOf: PlaceOf): placeOf is (name: string) => string {
  if (placeOf === undefined) return false
  for (const name of names) if (placeOf(name) !== name) return true
  return false
}

/** The same, by what stands for the names. */
function sortByPlace(names: string[], placeOf: (name: string) => string): boolean {
  const places = new Map(names.map((name) => [name, placeOf(name)]))
  const before = [...names]
  names.sort((one, other) => {
    const [place, otherPlace] = [places.get(one) ?? one, places.get(other) ?? other]
    return place < otherPlace ? -1 : place > otherPlace ? 1 : 0
  })
  return names.every((name, index) => name === before[index])
}

/** Moves a name to its place among those before it. */
function insert(name: string, index: number, names: string[]): void {
  let place = index
  for (; place > 0; place--) {
    const before = names[place - 1] ?? ''
    if (before <= name) break
    names[place] = before
  }
  names[place] = name
}
