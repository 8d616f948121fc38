import t from 'tap'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import { clientFormatOf } from '../../../src/domain/formats/registry.ts'
import { visitSchema } from '../../../src/domain/formats/schema-text.ts'
import type { TextPlace } from '../../../src/domain/formats/text-place.ts'
import { TextWalk } from '../../../src/domain/formats/text-walk.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'

const PLACE: TextPlace = { scope: 'tool-definition', role: 'system' }
const EMAIL = 'bob@b.example'

function wordsOf(schema: JsonValue): string[] {
  const words: string[] = []
  const walk = new TextWalk(({ text }) => (words.push(text), text))
  visitSchema({ schema }, 'schema', PLACE, walk)
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

t.test('what a schema says in keywords of its own is visited, its structure is not', async (t) => {
  const structure: JsonObject = {
    type: ['object', 'null'],
    required: ['a'],
    propertyOrdering: ['a'],
    dependentRequired: { a: ['b'] },
    dependencies: { a: ['b'], b: { title: 'told' } },
    discriminator: { propertyName: 'a', mapping: { x: '#/$defs/x' } },
    not: { discriminator: { propertyName: 'a' } },
    $ref: '#/$defs/a',
    items: [{ format: 'email', pattern: 'a@b' }],
  }
  t.strictSame(wordsOf(structure), ['told'])
  const words: JsonObject = {
    'x-note': 'one',
    'x-notes': ['two', ['three']],
    'x-data': { note: 'four', list: ['five'] },
    enum: ['six'],
    default: { id: 'seven', user_id: 'eight', type: 'nine' },
  }
  const told = new Set(wordsOf(words))
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'])
    t.ok(told.has(word), word)
  t.strictSame(wordsOf('a text'), ['a text'])
})

t.test('a schema is visited once, however many of its neighbours are booleans', async (t) => {
  const properties: JsonObject = { told: { description: 'said once' } }
  for (let index = 0; index < 100; index++) properties[`any${index}`] = true
  t.strictSame(wordsOf({ properties }), ['said once'])
})

const WORDS = { description: EMAIL, enum: [EMAIL] }

/** Every address in them is one that a client may write there. */
const SHAPES: Readonly<Record<string, JsonObject>> = {
  'properties without `properties`, of the names of keywords': {
    id: { type: 'string', ...WORDS },
    name: { type: 'string', ...WORDS },
    pattern: { format: 'x', ...WORDS },
    required: WORDS,
    discriminator: { type: 'string', ...WORDS },
    dependentRequired: { type: 'string', ...WORDS },
    dependencies: { type: 'string', ...WORDS },
    properties: { type: 'string', ...WORDS },
  },
  'schemas among the types of an old draft': {
    type: ['null', WORDS, [EMAIL, WORDS]],
    disallow: [WORDS],
    extends: [WORDS, EMAIL],
  },
  'lists of schemas under names': {
    properties: { who: [WORDS, EMAIL], whom: { items: [WORDS] } },
    patternProperties: { '^x': [EMAIL] },
    definitions: { z: [WORDS] },
    dependencies: { a: ['b', WORDS], c: [[EMAIL]] },
  },
  'schemas of OpenAPI': { components: { schemas: { id: WORDS, type: WORDS } } },
  'texts where schemas should be': {
    properties: { mail: `a text, ${EMAIL}`, other: { items: EMAIL, not: EMAIL } },
    $defs: { q: EMAIL },
    dependencies: { b: EMAIL },
    defs: EMAIL,
    anyOf: [EMAIL],
  },
  'lists where names should be': { properties: [WORDS, EMAIL], dependencies: [EMAIL, WORDS], definitions: [[EMAIL]] },
  'what keywords of nobody’s hold': {
    'x-owner': { id: EMAIL, type: EMAIL, format: EMAIL, [EMAIL]: 1, name: EMAIL, required: [EMAIL], pattern: EMAIL },
    'x-list': [{ id: EMAIL, $ref: [EMAIL] }, EMAIL],
    discriminator: { propertyName: 'a', mapping: { x: '#/$defs/x' }, 'x-note': { id: EMAIL, [EMAIL]: EMAIL } },
    not: { discriminator: { propertyName: 'a', mapping: { x: { id: EMAIL } } } },
  },
}

for (const [name, schema] of Object.entries(SHAPES)) {
  t.test(`${name} are visited`, async (t) => {
    const holder: JsonObject = { schema: structuredClone(schema) }
    const walk = new TextWalk(({ text }) => text.replaceAll(EMAIL, '[[X]]'))
    visitSchema(holder, 'schema', PLACE, walk)
    t.strictSame(holder.schema, JSON.parse(JSON.stringify(schema).replaceAll(EMAIL, '[[X]]')))
  })
}

t.test('so they are wherever a format takes a schema', async (t) => {
  const schema: JsonObject = Object.assign({}, ...Object.values(SHAPES))
  const documents: readonly (readonly [FormatName, JsonObject])[] = [
    ['chat-completions', { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }],
    ['chat-completions', { functions: [{ name: 'f', parameters: schema }] }],
    ['chat-completions', { guided_json: schema, json_schema: schema, structured_outputs: { json: schema } }],
    ['chat-completions', { response_format: { type: 'json_object', schema } }],
    ['chat-completions', { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } }],
    ['responses', { tools: [{ type: 'function', name: 'f', parameters: schema }] }],
    ['responses', { text: { format: { type: 'json_schema', name: 'n', schema } } }],
    ['messages', { tools: [{ name: 'f', input_schema: schema }] }],
    ['messages', { output_format: { schema }, output_config: { format: { schema } } }],
    ['generate-content', { tools: [{ functionDeclarations: [{ name: 'f', parameters: schema, response: schema }] }] }],
    ['generate-content', { generationConfig: { responseSchema: schema, _responseJsonSchema: schema } }],
  ]
  for (const [format, document] of documents) {
    const masked = structuredClone(document)
    clientFormatOf(format).visitRequestText(masked, ({ text }) => text.replaceAll(EMAIL, '[[X]]'))
    t.strictSame(masked, JSON.parse(JSON.stringify(document).replaceAll(EMAIL, '[[X]]')))
  }
})
