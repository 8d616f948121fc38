/**
 * Small parsers that are put together into the parser of a whole document: each takes what came from outside and its
 * path, and returns the typed value or throws a ShapeError that names the path. What is not asked for is left out.
 */

export type Shape<T> = (value: unknown, path: string) => T

/** A value that does not have the expected shape. */
export class ShapeError extends Error {
  readonly path: string

  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}`)
    this.name = 'ShapeError'
    this.path = path
  }
}

export const text: Shape<string> = (value, path) => {
  if (typeof value !== 'string') throw new ShapeError(path, 'text')
  return value
}

export const flag: Shape<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new ShapeError(path, 'true or false')
  return value
}

/** A finite number within the bounds, both inclusive. */
export function number(minimum = 0, maximum: number = Number.MAX_VALUE): Shape<number> {
  return (value, path) => {
    if (typeof value === 'number' && value >= minimum && value <= maximum) return value
    throw new ShapeError(path, `a number from ${minimum} to ${maximum}`)
  }
}

/** A whole number; money may lie above 2^53, where it is still one. */
export function integer(minimum = 0): Shape<number> {
  return (value, path) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= minimum) return value
    throw new ShapeError(path, `a whole number from ${minimum}`)
  }
}

export function oneOf<const T extends string | number>(...allowed: readonly T[]): Shape<T> {
  return (value, path) => {
    const found = allowed.find((item) => item === value)
    if (found === undefined) throw new ShapeError(path, `one of ${allowed.join(', ')}`)
    return found
  }
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, 'a list')
    return Object.freeze(value.map((entry: unknown, index) => item(entry, `${path}[${index}]`)))
  }
}

/** An object used as a map. The result has no prototype: `__proto__` is a name like any other. */
export function record<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, path) => {
    const result: Record<string, T> = Object.create(null)
    for (const [name, entry] of Object.entries(asRecord(value, path))) result[name] = item(entry, `${path}.${name}`)
    return Object.freeze(result)
  }
}

type Fields<T> = { readonly [K in keyof Required<T>]: Shape<Required<T>[K]> }
type OptionalKeys<T> = {
  [K in keyof T]-?: undefined extends { [P in K]: T[P] }[K] ? K : object extends Pick<T, K> ? K : never
}[keyof T]

/** An object with these fields; those named in `optional` may be absent. */
export function object<T extends object>(
  fields: Fields<T>,
  ...[optional = []]: [OptionalKeys<T>] extends [never] ? [] : [optional: readonly OptionalKeys<T>[]]
): Shape<T> {
  const mayBeAbsent: ReadonlySet<unknown> = new Set(optional)
  return (value, path) => {
    const source = asRecord(value, path)
    const result: Record<string, unknown> = {}
    for (const [name, shape] of Object.entries<Shape<unknown>>(fields)) {
      const field = Object.hasOwn(source, name) ? source[name] : undefined
      if (field === undefined && mayBeAbsent.has(name)) continue
      result[name] = shape(field, path === '' ? name : `${path}.${name}`)
    }
    // Every field of T went through its shape.
    return Object.freeze(result) as T
  }
}

function asRecord(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ShapeError(path === '' ? 'the document' : path, 'an object')
}
