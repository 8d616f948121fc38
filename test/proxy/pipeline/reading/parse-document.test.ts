import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../../../src/domain/errors.ts'
import { objectText, valuesOf } from '../../../domain/number-texts.ts'
import {
  parseDocument,
  parseExactDocument,
  parseRequestDocument,
} from '../../../../src/proxy/pipeline/reading/parse-document.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => parseRequestDocument(bytes(text))

/** What a client reads of a refused document. */
function refusalOf(document: Uint8Array): string {
  try {
    parseRequestDocument(document)
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400)
      return error.message.replace(/^The field '[^]*' s/, 'A field s')
    throw error
  }
  return 'none'
}

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'A field stands twice in the same object.': [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":[{"b":{"c":1,"c":2}}]}',
    '{"1":1,"1":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"\\\\":1,"\\\\":2}',
  ],
  'The field name `__proto__` is not allowed.': [
    '{"__proto__":1}',
    '{"a":[{"__proto__":{}}]}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006fto__":1}',
    '{"a":[[{"b":null,"c":{"__proto__":null}}]]}',
    '{"a":1,"a":1,"__proto__":1}',
  ],
  'The body is not valid JSON: it ends too early.': ['{', ' ', '{"a":"', '{"a":"\\"}', '{"a":1', '[', '{"a":[1,'],
  'The body is not valid JSON: see line 1, column 1.': ['\\"', 'secret', '+1', "'a'"],
  'The body is not valid JSON: see line 1, column 6.': ['{"a" 1}', '{"a":\'secret\'}', '{"a":tru}'],
  'The body is not valid JSON: see line 2, column 4.': ['{"a":1,\n   }', '{\n"a""secret"}', '{"a":\n[1,]}'],
  'The body is not valid JSON: see line 1, column 8.': ['{"a":1}}', '{"a":1,}', '{"a":1 "b"}'],
  'The body must be a JSON object.': ['[]', '1', '"text"', 'null', '[{"a":1}]'],
  'The body is empty; a JSON object is expected.': ['', '\ufeff'],
  'The body is nested deeper than 128 levels.': [
    `${'['.repeat(129)}`,
    `{"a":${'['.repeat(128)}${']'.repeat(128)}}`,
    `${'{"a":'.repeat(129)}1${'}'.repeat(129)}`,
  ],
}

t.test('a document that is none is refused with its reason', async (t) => {
  for (const [reason, documents] of Object.entries(REFUSED)) {
    for (const document of documents) t.equal(refusalOf(bytes(document)), reason, document.slice(0, 40))
  }
  t.equal(refusalOf(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), 'The body is not valid UTF-8.')
  t.equal(
    refusalOf(Uint8Array.of(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d)),
    'The body is not valid UTF-8.',
  )
})

t.test('the place of a fault is told of texts that are not long', async (t) => {
  const long = `{"a":"${'x'.repeat(100_000)}" 1}`
  t.equal(refusalOf(bytes(long)), 'The body is not valid JSON.')
  t.equal(refusalOf(bytes(long.slice(20))), 'The body is not valid JSON: see line 1, column 1.')
})

t.test('names with escapes are bounded in number: each costs more than another', async (t) => {
  const of = (count: number) =>
    `{"a":[${Array.from({ length: count }, (_, index) => `{"\\u006b${index}":1,"\\u006b":1}`).join(',')}]}`
  t.equal((read(of(20_000))['a'] as unknown[]).length, 20_000)
  t.throws(() => parseRequestDocument(bytes(of(50_000))), {
    code: 'request_too_large',
    message: /50000 different names/,
  })
})

t.test('the field that stands twice is named, by its path', async (t) => {
  const inner = `${'{"a":['.repeat(20)}{"b":1,"b":1}${']}'.repeat(20)}`
  for (const [text, path] of [
    ['{"model":"a","model":"b"}', 'model'],
    [
      '{"messages":[{"role":"user","content":","},{"role":"user", "x":{"role":1}, "role" : "user"}]}',
      'messages[1].role',
    ],
    ['{"a":[[],[1,{"\\u0062":{"c":1}}, {"b":[{}],"b":2}]]}', 'a[1][2].b'],
    ['{"a b.[":1,"a b.[":1}', '*'],
    [`{"${'n'.repeat(33)}":1,"${'n'.repeat(33)}":1}`, '*'],
    ['{"messages":[{"sk-proj-abcdefghijklmnop":1,"sk-proj-abcdefghijklmnop":1}]}', 'messages[0].*'],
    [inner, `...[0]${'.a[0]'.repeat(7)}.b`],
  ] as const) {
    try {
      parseRequestDocument(bytes(text))
      t.fail(text)
    } catch (error) {
      t.match(error, { message: `The field '${path}' stands twice in the same object.`, details: { param: path } })
    }
  }
})

t.test('what only looks like structure, inside strings, counts for nothing', async (t) => {
  const document = {
    a: '{"a":1,"a":2}[[[[{{{{::::',
    'b:"\\': '\\"\\\\":\\',
    c: ['['.repeat(500), '{"x":'.repeat(500), '\\'.repeat(501), '"'.repeat(501)],
    d: 'the word __proto__ and A in a text',
    e: '\u2200\u2201\u222c "\u2222" \u2208',
  }
  t.same(read(JSON.stringify(document)), document)
  t.same(read(JSON.stringify(document, null, 2)), document)
  t.same(read('{"a":"\\u0041\\u005f"}'), { a: 'A_' })
})

t.test('a byte order mark is passed over, once', async (t) => {
  t.same(read('\ufeff{"a":1}'), { a: 1 })
  t.equal(refusalOf(bytes('\ufeff\ufeff{"a":1}')), 'The body is not valid JSON: see line 1, column 1.')
})

t.test('what is refused is refused beside numbers that are kept as their texts, and they are read', async (t) => {
  const text = '{"a":[9007199254740993,{"b":1e400}],"c":{"rawJSON":"1"}}'
  t.equal(JSON.stringify(read(text)), text)
  t.equal(refusalOf(bytes('{"a":9007199254740993,"a":1}')), 'A field stands twice in the same object.')
  t.equal(refusalOf(bytes('{"__proto__":9007199254740993}')), 'The field name `__proto__` is not allowed.')
  t.equal(refusalOf(bytes('{9007199254740993:1}')), 'The body is not valid JSON: see line 1, column 2.')
  t.equal(refusalOf(bytes('9007199254740993')), 'The body must be a JSON object.')
  t.equal(JSON.stringify(parseExactDocument(bytes(text))), text)
  t.strictSame(parseDocument(bytes(text)), JSON.parse(text))
})

t.test('every number keeps its digits, wherever it stands among white space and strings', async (t) => {
  const long = ['1234567890.123456', '9007199254740993', '1e400', '-1E-400', '1.5e+999']
  const around = [' ', '\n                    ', '']
  for (const number of long) {
    for (const space of around) {
      for (const text of [
        `{"a"${space}:${space}${number}${space}}`,
        `{"a":[${space}${number}${space},${space}true,${number}${space}],"b":"e"}`,
        `{"a":["x"${space},${space}{}${space},[]${space},${number}]}`,
      ]) {
        t.equal(JSON.stringify(read(text)), text.replaceAll(/\s/g, ''))
        t.equal(JSON.stringify(parseExactDocument(bytes(text))), text.replaceAll(/\s/g, ''))
      }
    }
  }
  fc.assert(
    fc.property(objectText(), (text) => {
      t.same(
        valuesOf(JSON.stringify(parseExactDocument(bytes(text.replaceAll('__proto__', 'p'))))),
        valuesOf(text.replaceAll('__proto__', 'p')),
      )
    }),
  )
})

t.test('128 levels are read', async (t) => {
  t.ok(read(`{"a":${'['.repeat(127)}${']'.repeat(127)}}`).a)
})

t.test('a document of a provider may repeat a field, and not be too deep', async (t) => {
  t.same(parseDocument(bytes('{"a":1,"a":2}')), { a: 2 })
  t.throws(() => parseDocument(bytes('['.repeat(129))), { message: 'The body is nested deeper than 128 levels.' })
})

t.test(
  'property: every object is read as it was written, and refused as soon as one of its fields is repeated',
  async () => {
    const field = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', '\\', '\\"', ':', '{', '1'),
    )
    // V8 at times reads a name that is one escape and nothing else as a backslash: nodejs/node issue 63785.
    const name = field.filter((text) => text !== '__proto__' && !/^["\\\p{Cc}]$/u.test(text))
    const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
      object: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      value: fc.oneof(
        { maxDepth: 4 },
        field,
        fc.integer(),
        fc.constantFrom(null, true),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
    }))
    fc.assert(
      fc.property(object, name, fc.boolean(), (written, repeated, pretty) => {
        const text = JSON.stringify(written, null, pretty ? 1 : 0)
        if (JSON.stringify(read(text)) !== JSON.stringify(written)) return false
        const twice = `{${JSON.stringify(repeated)}:1,"x":[${text},{${JSON.stringify(repeated)}:${text},${JSON.stringify(repeated)}:0}]}`
        return refusalOf(bytes(twice)) === 'A field stands twice in the same object.'
      }),
    )
  },
)

/** The status that a request's document is refused with; undefined where it is none. */
function statusOf(text: string): number | undefined {
  try {
    read(text)
    return undefined
  } catch (error) {
    return error instanceof GatewayError ? error.status : 500
  }
}

t.test('a document of too many values is refused, whatever they are', async (t) => {
  const list = (item: string, count: number) => `{"a":[${Array.from({ length: count }, () => item).join(',')}]}`
  t.equal(statusOf(list('1', 500_001)), 413)
  t.equal(statusOf(list('[]', 250_001)), 413)
  t.equal(statusOf(list('{"a":1,"b":2}', 166_667)), 413)
  t.equal(statusOf(list('{"a":{"b":2}}', 175_001)), 413)
  t.equal(statusOf(list('{"a":1,"b":2}', 166_000)), undefined)
  t.equal(statusOf(list('"a,b[c{d"', 300_000)), undefined)
  t.equal(statusOf(list('1', 499_000)), undefined)
})

t.test('an object of too many fields is refused, many objects of a few are not', async (t) => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":1`).join(',')
  t.equal(statusOf(`{"a":{${fields(150_001)}}}`), 413)
  t.equal(statusOf(`{"a":{${fields(150_000)}}}`), undefined)
  t.equal(statusOf(`{"a":[${Array.from({ length: 4 }, () => `{${fields(60_000)}}`).join(',')}]}`), undefined)
})

t.test("a provider's answer may hold any number of values", async (t) => {
  const numbers = Array.from({ length: 600_000 }, () => 1).join(',')
  t.hasOwnProp(parseDocument(bytes(`{"embedding":[${numbers}]}`)), 'embedding')
})
