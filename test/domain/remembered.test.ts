import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from '../../src/domain/resources/canonical.ts'
import { isSameContent } from '../../src/domain/remembered.ts'

t.test('content is the same where its canonical text is', async () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, 1, 'a', '', null, true),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'length'), tie('value'), { maxKeys: 2 }),
    ),
  })).value
  fc.assert(
    fc.property(
      value,
      value,
      (left, right) =>
        isSameContent(left, right) === (canonicalText(left) === canonicalText(right)) &&
        isSameContent(left, structuredClone(left)),
    ),
    { numRuns: 2_000 },
  )
})

t.test('a field that is there is not one that is absent, and an array is no object', async (t) => {
  t.notOk(isSameContent({ a: undefined }, { b: undefined }))
  t.notOk(isSameContent({ a: 1 }, Object.create({ a: 1 })))
  t.notOk(isSameContent([], {}))
  t.notOk(isSameContent({}, []))
  t.ok(isSameContent({ n: NaN, big: 5n }, { big: 5n, n: NaN }))
})
