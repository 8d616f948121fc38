/**
 * What follows from an object that never changes, made once. Most of a cluster is the same from build to build, so what
 * is made of it is made few times; with `sameAsBefore`, what is made of that in turn as well.
 */

/** What `make` has made of `object` for this memory. */
export function remembered<Source extends object, Value>(
  memory: WeakMap<Source, Value>,
  object: Source,
  make: (object: Source) => Value,
): Value {
  const known = memory.get(object)
  if (known !== undefined) return known
  const value = make(object)
  memory.set(object, value)
  return value
}

/** What was made of `source` before, where `value` says the same; else `value`, from now on. */
export function sameAsBefore<Source extends object, Value extends object>(
  memory: WeakMap<Source, Value>,
  source: Source,
  value: Value,
): Value {
  const before = memory.get(source)
  if (before !== undefined && isSameContent(before, value)) return before
  memory.set(source, value)
  return value
}

/** Of plain data. */
export function isSameContent(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right)
  if (!isRecord(left) || !isRecord(right)) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameContent(left[name], right[name]))
  )
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => isSameContent(item, right[index]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
