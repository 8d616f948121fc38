import t from 'tap'
import { GatewayError } from '../../src/domain/errors.ts'
import { printable } from '../../src/domain/printable.ts'

t.test('what ends lines, acts on terminals or turns directions is written as its number', async (t) => {
  t.equal(printable('a\u2028b\u2029c\u0085d'), 'a\\u2028b\\u2029c\\u0085d')
  t.equal(printable('\u007f\u009b'), '\\u007f\\u009b')
  t.equal(printable('\u202e\u2066x\u200f\u061c'), '\\u202e\\u2066x\\u200f\\u061c')
  for (const text of ['', 'plain', 'de l’été', 'a\n\tb', 'می\u200cخواهم', '👩\u200d💻']) t.equal(printable(text), text)
})

t.test('of a JSON text it makes another text of the same value', async (t) => {
  const value = { 'na\u2028me': ['\u202e', '\\u2028', '\u007f'] }
  const text = printable(JSON.stringify(value))
  t.match(text, /^[ -~]+$/)
  t.strictSame(JSON.parse(text), value)
})

t.test('an error quotes nothing else', async (t) => {
  t.equal(new GatewayError('model_not_found', 'no "\u2028"').message, 'no "\\u2028"')
})
