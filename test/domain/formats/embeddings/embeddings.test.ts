import fc from 'fast-check'
import t from 'tap'
import {
  parseEmbeddingsRequest,
  renderEmbeddingsRequest,
  visitEmbeddingsText,
} from '../../../../src/domain/formats/embeddings/request.ts'
import { parseEmbeddingsResult, vectorAt } from '../../../../src/domain/formats/embeddings/result.ts'
import type { JsonObject, JsonValue } from '../../../../src/domain/json.ts'

t.test('texts, tokens and lists of them are inputs', async (t) => {
  const cases: [input: JsonValue, inputs: number, texts: string[], tokens: number][] = [
    ['a', 1, ['a'], 0],
    [['a', 'b'], 2, ['a', 'b'], 0],
    [[1, 2, 3], 1, [], 3],
    [[[1, 2], [3]], 2, [], 3],
    [['a', [1, 2]], 2, ['a'], 2],
  ]
  for (const [input, inputs, texts, tokens] of cases) {
    t.match(parseEmbeddingsRequest({ model: 'm', input }), { model: 'm', inputs, texts, tokens, encoding: 'float' })
  }
})

t.test('a field of a wrong type is refused by its name', async (t) => {
  const cases: [document: JsonObject, param: string][] = [
    [{}, 'input'],
    [{ input: '' }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: ['a', ''] }, 'input[1]'],
    [{ input: ['a', 1] }, 'input[1]'],
    [{ input: [[]] }, 'input[0]'],
    [{ input: [[1.5]] }, 'input[0]'],
    [{ input: [-1] }, 'input[0]'],
    [{ input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
    [{ input: 'a', model: 1 }, 'model'],
    [{ input: 'a', model: '' }, 'model'],
    [{ input: 'a', dimensions: 0 }, 'dimensions'],
    [{ input: 'a', encoding_format: 'words' }, 'encoding_format'],
    [{ input: 'a', user: 1 }, 'user'],
  ]
  for (const [document, param] of cases) {
    t.match(refusalOf(document), { details: { param } }, JSON.stringify(document).slice(0, 60))
  }
})

t.test('only the model is changed, and nothing where it is the same', async (t) => {
  const document = { model: 'm', input: 'a', unknown: { x: 1 } }
  const request = parseEmbeddingsRequest(document)
  t.equal(renderEmbeddingsRequest(request, 'm'), document)
  t.strictSame(renderEmbeddingsRequest(request, 'other'), { ...document, model: 'other' })
  t.equal(document.model, 'm')
})

t.test('every text is visited, tokens are not', async (t) => {
  const document: JsonObject = { model: 'm', input: ['a', [1], 'b'], user: 'c', encoding_format: 'float' }
  visitEmbeddingsText(document, ({ text, scope }) => `${text.toUpperCase()} ${scope}`)
  const visited = { input: ['A message', [1], 'B message'], user: 'C parameter' }
  t.strictSame(document, { model: 'm', ...visited, encoding_format: 'float' })
  const others: JsonObject = { input: 'a', instruction: 'find', extra: { note_id: 'd', n: 1 }, known: true }
  visitEmbeddingsText(others, ({ text, isName }) => (isName === true ? text : text.toUpperCase()))
  t.strictSame(others, { input: 'A', instruction: 'FIND', extra: { note_id: 'D', n: 1 }, known: true })
  const single: JsonObject = { input: 'a' }
  visitEmbeddingsText(single, () => 'b')
  t.strictSame(single, { input: 'b' })
})

t.test('vectors come in the encoding that was asked for, whatever the server sent', async () => {
  const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(vector, (numbers) => {
      const floats = { data: [{ embedding: numbers }] }
      const encoded = parseEmbeddingsResult(floats, 1, 'base64').document
      const base64 = String((encoded.data as { embedding: string }[])[0]?.embedding)
      const bytes = Buffer.from(base64, 'base64')
      const read = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      const back = parseEmbeddingsResult(encoded, 1, 'float').document
      const same = (one: Iterable<number>) => JSON.stringify([...one]) === JSON.stringify(numbers)
      return same(read) && same(vectorAt(back, 0) ?? []) && same(vectorAt(encoded, 0) ?? [])
    }),
  )
})

t.test('an answer that is right is passed on as it is, with its usage', async (t) => {
  const document = { data: [{ embedding: [1] }], usage: { prompt_tokens: 3, total_tokens: 3 }, extra: 1 }
  const result = parseEmbeddingsResult(document, 1, 'float')
  t.equal(result.document, document)
  t.match(result.usage, { input: 3, output: 0 })
  for (const usage of [
    undefined,
    {},
    { prompt_tokens: 0, total_tokens: 0 },
    { prompt_tokens: -3 },
    { prompt_tokens: '3' },
  ]) {
    t.equal(parseEmbeddingsResult({ data: [{ embedding: [1] }], usage }, 1, 'float').usage, undefined)
  }
  const total = { data: [{ embedding: [1] }], usage: { prompt_tokens: 0, total_tokens: 4 } }
  t.match(parseEmbeddingsResult(total, 1, 'float').usage, { input: 4 })
})

t.test('an answer without the vectors that were asked for is none', async (t) => {
  const documents: JsonObject[] = [
    {},
    { data: [] },
    { data: [{ embedding: [1] }, { embedding: [1] }] },
    { data: [{ embedding: [] }] },
    { data: [{ embedding: ['1'] }] },
    { data: [{ embedding: '' }] },
    { data: ['x'] },
    { data: [{ embedding: [1, null] }] },
    { data: [{ embedding: [1, Infinity] }] },
    { data: [{ embedding: 'no base64!!' }] },
    { data: [{ embedding: 'no base64!!!' }] },
    { data: [{ embedding: 'YWJjZGU=' }] },
    { data: [{ embedding: base64Of(1, NaN) }] },
    { data: [{ embedding: base64Of(1, -Infinity) }] },
  ]
  for (const document of documents) {
    t.throws(() => parseEmbeddingsResult(document, 1, 'float'), { code: 'upstream_format_error' })
  }
  for (const embedding of ['no base64!!', 'YWJjZGU=', 'AAAA']) {
    t.throws(() => parseEmbeddingsResult({ data: [{ embedding }] }, 1, 'base64'), { code: 'upstream_format_error' })
  }
  t.equal(vectorAt({ data: [{ embedding: 'no base64!' }] }, 0), undefined)
  t.equal(vectorAt({ data: [{ embedding: 'YQ==' }] }, 0), undefined, 'not whole floats')
})

t.test('a number that none can count with is refused in base64 as it is in a list, wherever it stands', async () => {
  const anyFloat = fc.oneof(
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    // Every NaN there is, with a sign or a payload, and both infinities.
    fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 0x7fffff })).map(([sign, rest]) => floatOf(sign, 0xff, rest)),
    fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 0x7fffff })).map(([sign, rest]) => floatOf(sign, 0xfe, rest)),
  )
  fc.assert(
    fc.property(fc.array(anyFloat, { minLength: 1, maxLength: 20 }), (numbers) => {
      const document = { data: [{ embedding: base64Of(...numbers) }] }
      const refused = (encoding: 'float' | 'base64'): boolean => {
        try {
          return parseEmbeddingsResult(document, 1, encoding).document === undefined
        } catch {
          return true
        }
      }
      const isBad = !numbers.every(Number.isFinite)
      return refused('base64') === isBad && refused('float') === isBad
    }),
  )
})

t.test('a number that only a double can hold does not become infinity on its way to base64', async (t) => {
  const document: JsonObject = { data: [{ embedding: [1, 1e300] }] }
  t.throws(() => parseEmbeddingsResult(document, 1, 'base64'), { code: 'upstream_format_error' })
  t.equal(parseEmbeddingsResult(document, 1, 'float').document, document)
})

t.test('vectors of bytes or bits, which no float can be read from, stay as they are', async (t) => {
  const dtypes = [undefined, 'float', 'int8', 'ubinary'].map((output_dtype) => ({ input: 'a', output_dtype }))
  const wanted = dtypes.map((fields) => parseEmbeddingsRequest(JSON.parse(JSON.stringify(fields))).wantsFloats)
  t.strictSame(wanted, [true, true, false, false])
  for (const embedding of [Buffer.from([-1, 2, -3, -1, 5]).toString('base64'), [-1, 2, -3]]) {
    const document: JsonObject = { data: [{ embedding }] }
    for (const encoding of ['base64', 'float'] as const)
      t.equal(parseEmbeddingsResult(document, 1, encoding, false).document, document)
    const ragged: JsonObject = { data: [{ embedding }, { embedding: embedding.slice(1) }] }
    t.throws(() => parseEmbeddingsResult(ragged, 2, 'base64', false), { code: 'upstream_format_error' })
  }
})

t.test('vectors of one answer have one length', async (t) => {
  const answers = (...embeddings: JsonValue[]): JsonObject => ({ data: embeddings.map((embedding) => ({ embedding })) })
  for (const encoding of ['float', 'base64'] as const) {
    for (const ragged of [answers([1, 2], [1]), answers(base64Of(1, 2), base64Of(1)), answers([1, 2], base64Of(1))]) {
      t.throws(() => parseEmbeddingsResult(ragged, 2, encoding), { code: 'upstream_format_error' })
    }
    t.ok(parseEmbeddingsResult(answers([1, 2], base64Of(3, 4)), 2, encoding))
  }
})

function base64Of(...numbers: number[]): string {
  return Buffer.from(new Float32Array(numbers).buffer).toString('base64')
}

function floatOf(isNegative: boolean, exponent: number, rest: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, ((isNegative ? 0x80000000 : 0) | (exponent << 23) | rest) >>> 0)
  return view.getFloat32(0)
}

function refusalOf(document: JsonObject): unknown {
  try {
    return parseEmbeddingsRequest(document)
  } catch (error) {
    return error
  }
}
