import fc from 'fast-check'
import t from 'tap'
import { keepDigits, parseInnerJson, parseJson } from '../../src/domain/json-parse.ts'
import { asNumber, isJsonObject, numberOf } from '../../src/domain/json.ts'
import { jsonText, valuesOf } from './number-texts.ts'

/** Texts that a parse and a stringify would change, each in its value. */
const LONG = [
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '0.1234567890123456789',
  '1234567.12345678901',
  '1e400',
  '-1E+400',
  '1e-400',
  '1.7976931348623157e309',
  '1234567890123456789.5e-3',
]

const again = (text: string): string => JSON.stringify(parseJson(text))

t.test('a number that a double would change is written as it came, wherever it stands', async (t) => {
  for (const number of LONG) {
    for (const text of [
      `{"a":${number}}`,
      `{"a":[1,[],{},"x",[${number}]],"b":{"c":${number},"d":"${number}"}}`,
      `[${number},{"a":${number}},${number}]`,
      `{"a\\"\\\\b":{"\\u00e9":${number}}}`.replace('\\u00e9', 'é'),
      `{"a":{"a":{"a":[[[${number}]]]}},"z":[{"a":1},{"a":${number}}]}`,
      `{"{\\"a\\":[":${number},"x":"{[,:","y":["]",${number}]}`,
      `{"rawJSON":${number}}`,
    ]) {
      t.equal(again(text), text)
    }
  }
})

t.test('all other numbers are plain numbers', async (t) => {
  const text = '{"a":1,"b":-0.5,"c":9007199254740991,"d":0.30000000000000004,"e":1e+100,"f":12345678901234567000}'
  t.strictSame(parseJson(text), JSON.parse(text))
  t.equal(again('{"a":[1.0,1e2,-0]}'), '{"a":[1,100,0]}')
  t.equal(parseJson('12345678901234567890'), Number('12345678901234567890'), 'a text that is a number and nothing else')
})

t.test('strings of digits, white space and escaped names do not lead astray', async (t) => {
  t.equal(
    again(' {\r\n\t"a" : [ 9007199254740993 , "9007199254740995" ] ,\n "\\u0062" : { } , "c":9007199254740993 } '),
    '{"a":[9007199254740993,"9007199254740995"],"b":{},"c":9007199254740993}',
  )
  t.equal(again('{"\\u0061":9007199254740993}'), '{"a":9007199254740993}')
  t.equal(again('{"b":9007199254740993,"1":9007199254740995}'), '{"1":9007199254740995,"b":9007199254740993}')
})

t.test('of fields with one name the last stays, and no number lands in the place of another', async (t) => {
  t.equal(again('{"a":9007199254740993,"a":9007199254740995}'), '{"a":9007199254740995}')
  t.equal(again('{"a":9007199254740993,"a":9007199254740993.5e0}'), '{"a":9007199254740993.5e0}')
  t.equal(again('{"a":9007199254740992.1,"a":9007199254740992.2}'), '{"a":9007199254740992.2}', 'of one double')
  t.equal(again('{"a":9007199254740993,"a":"x"}'), '{"a":"x"}')
  t.equal(again('{"a":{"b":9007199254740993},"a":{"b":7}}'), '{"a":{"b":7}}')
  t.equal(again('{"a":[9007199254740993],"a":{"0":1}}'), '{"a":{"0":1}}')
  t.equal(again('{"a":{"b":[9007199254740993]},"a":5}'), '{"a":5}')
  t.equal(again('{"a":{"__proto__":{"b":9007199254740993}},"a":{}}'), '{"a":{}}')
})

t.test('`__proto__` and other names of every object are fields as any', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal(again(`{"${name}":9007199254740993}`), `{"${name}":9007199254740993}`)
    t.equal(again(`{"a":{"${name}":{"b":[9007199254740993]}}}`), `{"a":{"${name}":{"b":[9007199254740993]}}}`)
  }
  t.equal(Object.getPrototypeOf(parseJson('{"__proto__":9007199254740993}')), Object.prototype)
})

t.test('what is no JSON is refused as ever', async (t) => {
  for (const text of ['', '{', '{"a":9007199254740993x}', '{9007199254740993:1}', '[09007199254740993]', '[1e400e]']) {
    t.throws(() => parseJson(text), { name: 'SyntaxError' }, text)
  }
})

t.test('a number kept as text is a number for who asks for one, and no object', async (t) => {
  const [integer, huge] = [JSON.rawJSON('99999999999999999999'), JSON.rawJSON('1e400')]
  t.notOk(isJsonObject(integer))
  t.equal(asNumber(integer), 1e20)
  t.equal(numberOf(integer), 1e20)
  t.equal(numberOf(huge), Infinity)
  t.equal(asNumber(huge), undefined)
  t.equal(isJsonObject({ rawJSON: '1' }), true, 'what only looks like one is an object')
  t.equal(numberOf({ rawJSON: '1' }), undefined)
  t.equal(numberOf(null), undefined)
})

t.test('every number of any JSON text keeps its value, and everything else stays', async (t) => {
  fc.assert(
    fc.property(jsonText(), (text) => {
      t.strictSame(valuesOf(again(text)), valuesOf(text))
    }),
    { numRuns: 500 },
  )
})

t.test('a document that nests as deep as one may, with many such numbers, is read', async (t) => {
  const numbers = Array.from({ length: 2000 }, (_, index) => `9007199254740${993 + 2 * (index % 3)}`).join(',')
  const text = `${'{"a":['.repeat(60)}${numbers}${']}'.repeat(60)}`
  t.equal(again(text), text)
  const plain = JSON.parse(text)
  keepDigits(plain, text)
  t.equal(JSON.stringify(plain), text)
})

t.test('a text inside a string is no JSON to us where it could not be written again', async (t) => {
  const nested = (levels: number, leaf: string) => `${'{"a":'.repeat(levels)}${leaf}${'}'.repeat(levels)}`
  const deep = nested(1_000, LONG[0] ?? '')
  t.equal(JSON.stringify(parseInnerJson(deep)), deep)
  t.equal(parseInnerJson(nested(6_000, LONG[0] ?? '')), undefined)
  const plain = nested(6_000, '1')
  t.equal(JSON.stringify(parseInnerJson(plain)), plain, 'without such a number the engine does not recurse')
})
