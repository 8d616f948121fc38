import fc from 'fast-check'
import t from 'tap'
import { readableKind } from '../../../src/manifests/validation/readable-kinds.ts'
import { formatPath, type FieldPath } from '../../../src/manifests/problem.ts'
import type { Schema } from '../../../src/manifests/validation/schema.ts'
import { validatorOf } from '../../../src/manifests/validation/validate.ts'

const NUMBERS = fc.oneof(fc.nat(4_000), fc.constantFrom(0, 0.0004, 0.5, 3_600, 1_000_000, 1e21, -1))

function durationsOf({ properties = {}, items, format }: Schema, path: FieldPath = []): FieldPath[] {
  if (format === 'duration') return [path]
  const below = items === undefined ? [] : durationsOf(items, [...path, 0])
  return [...below, ...Object.entries(properties).flatMap(([name, field]) => durationsOf(field, [...path, name]))]
}

/** A document that holds nothing but what leads there. */
function holding(values: readonly (readonly [FieldPath, unknown])[]): unknown {
  const document = {}
  for (const [path, value] of values) {
    let at: object = document
    for (const [depth, name] of path.entries()) {
      const empty = typeof path[depth + 1] === 'number' ? [] : {}
      const next: unknown = depth === path.length - 1 ? value : (Reflect.get(at, name) ?? empty)
      Reflect.set(at, name, next)
      if (typeof next === 'object' && next !== null) at = next
    }
  }
  return document
}

for (const kind of ['Organization', 'Provider', 'VirtualKey'] as const) {
  const readable = readableKind(kind)
  const validate = validatorOf(readable)
  const places = durationsOf(readable.schema)

  t.test(`what is suggested for a duration of a ${kind} without a unit is taken next`, async (t) => {
    t.ok(places.length > 0)
    let suggested = 0
    const some = fc.uniqueArray(fc.tuple(fc.constantFrom(...places), NUMBERS), {
      selector: ([path]) => formatPath(path),
      minLength: 1,
      maxLength: 3,
    })
    const cured = (values: readonly (readonly [FieldPath, unknown])[]) => {
      const { problems } = validate(holding(values))
      return values.map(([path, value]) => {
        const told = problems.find((problem) => formatPath(problem.path) === formatPath(path))
        return [path, /such as ([^)]+)\)/.exec(told?.message ?? '')?.[1] ?? value] as const
      })
    }
    fc.assert(
      fc.property(some, (values) => {
        const next = cured(values)
        if (next.some(([, value]) => typeof value !== 'string')) return
        suggested++
        const { problems } = validate(holding(next))
        const isNear = (place: string) =>
          next.some(([path]) => [path, path.slice(0, -1)].map(formatPath).includes(place))
        t.strictSame(
          problems.filter(({ path, message }) => message !== 'is required' && isNear(formatPath(path))),
          [],
        )
      }),
    )
    t.ok(suggested > 0)
  })
}
