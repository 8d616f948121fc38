/** Against a mistake of the engine's that lasts: what one text has taught it shows in later ones. */
import fc from 'fast-check'
import t from 'tap'
import { jsonValue } from '../../src/domain/json-value.ts'

/** What teaches it: names that end in a backslash, in the places where names with escapes follow. */
const LESSONS = [
  '{"\\\\":1}',
  '{"\\\\u":1}',
  '{"a":1,"\\\\":1}',
  '{"a":{"\\\\":1},"b\\\\":[{"\\\\":0}]}',
  '{"model":"m","max_tokens":1,"max_token\\\\":0}',
  '{"model":"m","mode\\\\":0}',
]

function teach(): void {
  for (const lesson of LESSONS) JSON.parse(lesson)
}

t.test('names with escapes are read as they are written, whatever was read before', async (t) => {
  teach()
  for (const [text, expected] of [
    ['{"\\u006e":100}', { n: 100 }],
    ['{"a":1,"\\u59d3\\u540d":"x"}', { a: 1, 姓名: 'x' }],
    ['{"model":"m","max_tokens":1,"max_token\\u0073":9}', { model: 'm', max_tokens: 9 }],
    ['{"model":"m" , "mode\\u006c"\n:\t"big"}', { model: 'big' }],
    ['{"a":{"\\u0062":1},"b\\u0063":[{"\\"":0}]}', { a: { b: 1 }, bc: [{ '"': 0 }] }],
    ['{"\\\\":{"\\\\u":["\\\\","a\\\\\\""]}}', { '\\': { '\\u': ['\\', 'a\\"'] } }],
    ['{"~0":1,"~2":2,"\\u0061":3,"\\u0062":4,"\\u007e1":5}', { '~0': 1, '~2': 2, a: 3, b: 4, '~1': 5 }],
    ['{"p":1,"e0":2,"pe0":3,"\\u0061":4,"":5,"\\u0070":6}', { p: 6, e0: 2, pe0: 3, a: 4, '': 5 }],
  ] as const) {
    t.strictSame(jsonValue(text), expected, text)
  }
  for (const [text, expected] of [
    ['{"a":1,"\\u0061":2,"a":3}', { a: 3 }],
    ['{"\\u0061":{"b":1},"a":{"b":2},"\\u0061":{"\\u0062":3}}', { a: { b: 3 } }],
    ['{"\\u0061":1,"x":[{"a":2,"\\u0061":3},{"\\u0061":4,"a":5}]}', { a: 1, x: [{ a: 3 }, { a: 5 }] }],
  ] as const) {
    t.strictSame(jsonValue(text), expected, `of fields with one name the last counts: ${text}`)
  }
  t.strictSame(Object.keys(jsonValue('{"b":1,"\\u0061":1,"\\u0031":1,"c":1}') ?? {}), ['1', 'b', 'a', 'c'])
  const value = jsonValue('{"\\u005f_proto__":{"a":1},"b":2}') as object
  t.strictSame(Object.keys(value), ['__proto__', 'b'], 'a field, and no prototype')
  t.equal(Object.getPrototypeOf(value), Object.prototype)
})

t.test('any document, however its strings are written and however deep', async (t) => {
  const letter = fc.constantFrom('a', 'b', '\\', '"', '/', '\n', 'é', '\u2028', '姓', '𝒳'[0] ?? '', ':', ' ', '{')
  const string = fc.string({ unit: letter, maxLength: 4 })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, true, 0, 1.5),
      string,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(string, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, fc.infiniteStream(fc.nat({ max: 3 })), (document, choices) => {
      teach()
      const choose = () => Number(choices.next().value)
      // Not what the engine reads, which is taught the mistake.
      t.strictSame(jsonValue(written(document, choose)), document)
    }),
    { numRuns: 500 },
  )
  const deep = `${'{"\\u0061":['.repeat(20_000)}${']}'.repeat(20_000)}`
  let depth = 0
  for (let next = jsonValue(deep) as { a?: unknown[] } | undefined; next !== undefined; depth++) {
    next = next.a?.[0] as typeof next
  }
  t.equal(depth, 20_000)
})

t.test('what is no JSON is refused, escapes or not', async (t) => {
  for (const text of [
    '{"\\u006":1}',
    '{"\\x":1}',
    '{"a\\":1}',
    '{\\"a":1}',
    '{"\\u0061":1,}',
    '{"\\u0061":1}}',
    '{"\\u0061" 1}',
    '{"\\u0061":"',
    '["\\u0061":1]',
    '{"\\u0061\n":1}',
    '{"\\n":1,"\n":2}',
    '\\',
    '{"a":1 \\u0061"b":2}',
  ]) {
    t.throws(() => jsonValue(text), SyntaxError, text)
    t.throws(() => JSON.parse(text), SyntaxError, text)
  }
})

/** JSON with each character of its strings plain or escaped, and blanks around names. */
function written(value: unknown, choose: () => number): string {
  if (typeof value === 'string') {
    const characters = value.split('').map((unit) => {
      const plain = JSON.stringify(unit).slice(1, -1)
      return choose() === 0 ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : plain
    })
    return `"${characters.join('')}"`
  }
  if (Array.isArray(value)) return `[${value.map((item) => written(item, choose)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, inner]) => `${written(name, choose)}${' \n'.slice(choose())}:${written(inner, choose)}`,
  )
  return `{${fields.join(',')}}`
}
