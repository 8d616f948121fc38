import t from 'tap'
import { TextWalk, type TextPlace } from '../../../src/domain/formats/text-walk.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'

const PLACE: TextPlace = { scope: 'tool-definition', role: 'system' }

function wordsOf(schema: JsonValue): string[] {
  const words: string[] = []
  new TextWalk(({ text }) => {
    words.push(text)
    return text
  }).schema(schema, PLACE)
  return words
}

t.test('the words of schemas under keywords and under names are visited', async (t) => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { description: 'an item' } },
      either: { anyOf: [{ description: 'one' }, { title: 'other' }] },
      any: true,
    },
    additionalProperties: { description: 'the rest' },
    $defs: { named: { description: 'defined' } },
  }
  t.strictSame(wordsOf(schema).toSorted(), ['an item', 'defined', 'one', 'other', 'the rest'])
})

t.test('a schema is visited once, however many of its neighbours are booleans', async (t) => {
  const properties: JsonObject = { told: { description: 'said once' } }
  for (let index = 0; index < 100; index++) properties[`any${index}`] = true
  t.strictSame(wordsOf({ properties }), ['said once'])
})

t.test('values in lists and objects are rewritten where they stand', async (t) => {
  const holder: JsonObject = { input: { list: ['a', 1, ['b']], field: 'c' } }
  const walk = new TextWalk(({ text }) => text.toUpperCase())
  walk.values(holder, 'input', PLACE)
  t.strictSame(holder, { input: { list: ['A', 1, ['B']], field: 'C' } })
  t.ok(walk.changed)
})
