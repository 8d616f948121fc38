import t from 'tap'
import { InvalidRequestError } from '../../../src/domain/errors.ts'
import type { JsonValue } from '../../../src/domain/json.ts'
import { createJsonSchemas } from '../../../src/proxy/guardrails/json-schemas.ts'

const schemas = createJsonSchemas()

function checkOf(schema: JsonValue) {
  const check = schemas.compile(schema)
  if ('problemsOf' in check) return check
  throw new Error(check.reason)
}

t.test('values are checked against the schema', async (t) => {
  const check = checkOf({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] })
  t.same(check.problemsOf({ a: 1 }), [])
  t.same(check.problemsOf({}), ["the value must have required property 'a'"])
  t.same(check.problemsOf({ a: 'x' }), ['/a must be number'])
})

t.test('bounds that are kept as their texts are numbers', async (t) => {
  const check = checkOf({ type: 'integer', maximum: JSON.rawJSON('9223372036854775807') })
  t.same(check.problemsOf(9007199254740992), [])
  t.same(check.problemsOf(1e19), ['the value must be <= 9223372036854776000'])
})

t.test('a schema that describes a tree may refer to itself', async (t) => {
  const check = checkOf({ type: 'object', additionalProperties: { $ref: '#' } })
  t.same(check.problemsOf({ a: { b: {} } }), [])
  t.same(check.problemsOf({ a: { b: 1 } }), ['/a/b must be object'])
})

t.test('a schema that refers to itself without end is refused, not an overflow', async (t) => {
  for (const schema of [{ $ref: '#' }, { $dynamicRef: '#x', $dynamicAnchor: 'x' }]) {
    const check = checkOf(schema)
    t.throws(() => check.problemsOf({}), InvalidRequestError)
  }
  const loop = schemas.compile({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })
  t.match(loop, { type: 'invalid-schema', reason: /refers to itself without end/ })
})

t.test('references that double at each step cannot hold the process', async (t) => {
  const $defs: Record<string, JsonValue> = { d40: { type: 'string' } }
  for (let step = 0; step < 40; step++) {
    const next = { $ref: `#/$defs/d${step + 1}` }
    $defs[`d${step}`] = { anyOf: [next, next] }
  }
  const check = checkOf({ $defs, $ref: '#/$defs/d0' })
  t.throws(() => check.problemsOf({}), InvalidRequestError)
})

t.test('a schema that would hold the process while it is compiled is refused', async (t) => {
  let doubled: JsonValue = { type: 'string' }
  for (let step = 0; step < 11; step++) doubled = { anyOf: [doubled, doubled] }
  t.match(schemas.compile(doubled), { type: 'invalid-schema', reason: /more than 2000 objects/ })
})

t.test('a schema that is too long is not kept', async (t) => {
  const long = { description: 'x'.repeat(200_000) }
  t.match(schemas.compile(long), { type: 'invalid-schema', reason: /longer than/ })
  t.not(schemas.compile(long), schemas.compile(long))
  const short = { description: 'x' }
  t.equal(schemas.compile(short), schemas.compile(short))
})

t.test("ajv's own word for checks that are promises makes none", async (t) => {
  const check = checkOf({ $async: true, type: 'object', required: ['a'] })
  t.same(check.problemsOf({}), ["the value must have required property 'a'"])
  const nested = schemas.compile({
    $defs: { a: { $async: true, type: 'string' } },
    properties: { a: { $ref: '#/$defs/a' } },
  })
  t.match(nested, { type: 'invalid-schema', reason: /async/ })
})

t.test('nothing of a schema is printed', async (t) => {
  const printed = t.capture(console, 'warn')
  checkOf({ type: 'string', format: 'of the client' })
  t.same(printed(), [])
})

t.test('what ajv refuses is told', async (t) => {
  t.match(schemas.compile({ type: 'constructor' }), { type: 'invalid-schema', reason: /allowed values/ })
  t.match(schemas.compile({ $ref: 'http://example.com/x' }), { type: 'invalid-schema', reason: /resolve reference/ })
})

t.test('of a long pattern, and at a long name, it is said that something is wrong', async (t) => {
  const schema = { additionalProperties: { type: 'string', pattern: `^${'a'.repeat(2_000)}$` } }
  const check = createJsonSchemas().compile(schema)
  if (!('problemsOf' in check)) return t.fail('a schema')
  t.strictSame(check.problemsOf({ city: 'b' }), ['/city is wrong'])
  t.strictSame(check.problemsOf({ ['n'.repeat(2_000)]: 1 }), ['a value must be string'])
})
