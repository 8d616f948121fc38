import fc from 'fast-check'
import t from 'tap'
import { followsGrammar } from '../../src/domain/json-grammar.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('takes what the parser takes', async (t) => {
  const texts = [
    '',
    ' ',
    'null',
    ' true\r\n',
    'false',
    'nul',
    'nulls',
    'null null',
    '"',
    '"a"',
    '"a" ',
    '\u00a01',
    '\ufeff1',
    '0',
    '-0',
    '01',
    '1.',
    '.5',
    '1.5e+3',
    '1E5',
    '1e',
    '--1',
    '+1',
    '0x1',
    'NaN',
    '-',
    '1_0',
    '1e400',
    '{}',
    '[]',
    '{ }',
    '[ ]',
    '[}',
    '{]',
    '[',
    '{',
    ']',
    '}',
    '[]]',
    '[][]',
    '{},{}',
    '1,2',
    '[1,]',
    '[,1]',
    '{"a":1}',
    '{"a":1,}',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{"a":1 "b":2}',
    '{"a":1,"a":2}',
    '{"a":1:2}',
    '{"a":[{"b":{}},[[]],{"c":[]}],"d":{"e":{"f":"g"}}}',
    '[{"a":1},2]',
    '[{"a":[}]]',
    '{"a":{"b":1},2}',
    '"\\u00e9\\n\\/\\""',
    '"\\u00g9"',
    '"\\x"',
    '"\\',
    '"\\"',
    '"\t"',
    '"\u0000"',
    '"\u2028\ud800"',
    "'a'",
  ]
  t.strictSame(texts.filter(followsGrammar), texts.filter(parses))
})

t.test('of a valid text with a few characters changed, it says what the parser says', async (t) => {
  const unit = fc.constantFrom(...'{}[]:,"\\ \n\t01-.eEtrufalsn\u0000')
  fc.assert(
    fc.property(fc.json(), fc.array(fc.tuple(fc.nat(), fc.nat(2), unit), { maxLength: 3 }), (json, changes) => {
      let text = json
      for (const [place, left, put] of changes) {
        const at = place % (text.length + 1)
        text = text.slice(0, at) + put + text.slice(at + left)
      }
      return followsGrammar(text) === parses(text)
    }),
    { numRuns: 5_000 },
  )
  t.pass()
})

t.test('length is no matter, and depth up to a bound', async (t) => {
  const count = 100_000
  t.ok(followsGrammar('['.repeat(count) + ']'.repeat(count)))
  t.ok(followsGrammar('{"a":'.repeat(count) + '1' + '}'.repeat(count)))
  t.notOk(followsGrammar('['.repeat(count)))
  t.notOk(followsGrammar('['.repeat(count + 1) + ']'.repeat(count + 1)))
  t.ok(followsGrammar(`"${'\\n'.repeat(count)}"`))
  t.ok(followsGrammar(`${' '.repeat(count)}${'1'.repeat(count)}${' '.repeat(count)}`))
})
