import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from '../../../src/domain/resources/canonical.ts'

/** With its objects' fields the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, item]) => [name, reversed(item)] as const)
  return Object.fromEntries(fields.toReversed())
}

t.test('the text is JSON of the same value, and does not depend on the order of fields', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalText(value)
      return (
        canonicalText(JSON.parse(text)) === text &&
        canonicalText(reversed(value)) === text &&
        isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      )
    }),
  )
})

t.test('what JSON leaves out is left out, in a list it is null', async (t) => {
  t.equal(canonicalText({ b: 1, a: [undefined, 'x'], c: undefined }), '{"a":[null,"x"],"b":1}')
  t.equal(canonicalText(undefined), 'null')
})
