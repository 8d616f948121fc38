import fc from 'fast-check'
import t from 'tap'
import { endOfString } from '../../src/domain/json-text.ts'

t.test('a string ends where the parser says so, whatever is escaped in it', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', '"', 'a', '\u{1f600}', '\n') }), fc.string(), (value, rest) => {
      const string = JSON.stringify(value)
      return endOfString(`{${string}${rest}`, 1) === string.length
    }),
  )
  t.pass()
})

t.test('a string that does not end reaches to the end of the text', async (t) => {
  for (const text of ['"', '"a', '"a\\"', '"\\\\\\"']) t.equal(endOfString(text, 0), text.length, text)
})
