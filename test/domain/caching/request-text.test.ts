import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../../../src/domain/caching/canonical-json.ts'
import { requestText, type RequestText } from '../../../src/domain/caching/request-text.ts'
import { looksLikeOrdinal, mayHideToken, NO_TOKENS } from '../../../src/domain/caching/token-ordinals.ts'
import { createDetector } from '../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { parseJson } from '../../../src/domain/json-parse.ts'
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json.ts'
import { policy } from '../routing/samples.ts'

const POLICY = policy()

const BASE: RequestText = {
  format: 'chat-completions',
  document: { messages: [{ role: 'user', content: 'x' }] },
  model: 'm',
  policy: POLICY,
  passHeaders: {},
  shape: undefined,
  tokens: NO_TOKENS,
}

t.test('ten thousand random requests: equal texts if and only if what matters is equal', async (t) => {
  // Small alphabets, so that equal ones come up often.
  const pick = <Value>(...values: Value[]) => fc.constantFrom(...values)
  const request = fc.record({
    model: pick(undefined, 'auto', 'a', 'b'),
    system: pick(undefined, 's', 't'),
    question: pick('x', 'y', '"x"', 'x\\', '[1,2]'),
    temperature: pick<JsonValue | undefined>(undefined, 0, 1, '1', null),
    tools: pick<JsonValue | undefined>(undefined, [], [{ name: 'f' }], [{ name: 'g' }]),
    unknown: pick<JsonValue | undefined>(undefined, true, 'true', { a: 1, b: 2 }, { b: 2, a: 1 }),
    user: pick(undefined, 'u', 'v'),
    stream: pick(undefined, true),
    flags: pick([], ['pii-safe'] as const),
    excludeProviders: pick([], ['p'], ['p', 'q'], ['q', 'p']),
    excludeCountries: pick([], ['p']),
    maxCost: pick(undefined, 1),
    minQuality: pick(undefined, 1),
    beta: pick<Record<string, string>>({}, { 'anthropic-beta': 'x' }),
    shape: pick<RequestText['shape']>(undefined, 'whole', 'stream'),
  })
  const seen = new Map<string, string>()
  let collisions = 0
  fc.assert(
    fc.property(request, (asked) => {
      const { model, system, question, user, stream, flags, excludeProviders, excludeCountries, beta, shape } = asked
      const { maxCost, minQuality, temperature, tools, unknown } = asked
      const document = given({ user, stream, unknown, tools, temperature, system, messages: [{ content: question }] })
      const policy = {
        ...POLICY,
        flags: new Set(flags),
        excludeProviders: new Set(excludeProviders),
        excludeCountries: new Set(excludeCountries),
        maxCost,
        minQuality,
      }
      const text = requestText({ ...BASE, document, model, policy, passHeaders: beta, shape })
      // The model of the model: what may differ without a difference is taken out by hand.
      const meaning = JSON.stringify([
        model ?? 'auto',
        system ?? 'absent',
        question,
        temperature === undefined ? 'absent' : [temperature],
        tools === undefined ? 'absent' : tools,
        unknown === undefined ? 'absent' : isJsonObject(unknown) ? 'object' : [unknown],
        flags,
        excludeProviders.toSorted(),
        excludeCountries,
        maxCost ?? 'absent',
        minQuality ?? 'absent',
        beta,
        shape ?? 'absent',
      ])
      const known = seen.get(text ?? '')
      if (known !== undefined) collisions++
      seen.set(text ?? '', meaning)
      return text !== undefined && (known === undefined || known === meaning)
    }),
    { numRuns: 10_000, seed: 7 },
  )
  const meanings = new Set(seen.values())
  t.equal(meanings.size, seen.size, 'one text for each meaning')
  t.ok(collisions > 50, `${collisions} requests came up again`)
})

t.test('the order of fields does not count, the order of lists does', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as JsonValue
      const one = canonicalJson(json)
      return one === canonicalJson(turned(json)) && canonicalJson(JSON.parse(one)) === one
    }),
    { numRuns: 1_000 },
  )
  t.not(canonicalJson([1, 2]), canonicalJson([2, 1]))
  t.equal(canonicalJson({ b: 1, a: undefined }), '{"b":1}')
})

t.test('the text of a document is what sorting all its fields and writing it gives', async () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'role', 'content', '10', '9', ''))
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, true, false, 0, -0, 0.1, -7, 5e-324, 2 ** 53 - 1),
      fc.oneof(fc.string(), fc.string({ unit: 'binary' })),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('json')), { maxLength: 24 }).map((fields) => Object.fromEntries(fields)),
    ),
  }))
  fc.assert(
    fc.property(json, (value) => canonicalJson(value) === writtenInOrder(value)),
    { numRuns: 2_000 },
  )
  const ignored = new Set(['user', '__proto__'])
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(names, fc.constant('user')), json), (document) => {
      const left = Object.entries(document).filter(([name]) => !ignored.has(name))
      return canonicalJson(document, ignored) === writtenInOrder(Object.fromEntries(left))
    }),
    { numRuns: 500 },
  )
})

t.test('the text is the same in every version that has the same keys', async (t) => {
  const document = { model: 'm', user: 'u', messages: [{ role: 'user', content: 'say "x"' }], a: { z: 1, y: [null] } }
  const passHeaders = { 'anthropic-version': '1', 'anthropic-beta': 'b' }
  const policy = { ...POLICY, flags: new Set(['pii-safe', 'force-json'] as const), maxCost: 5 }
  t.equal(
    requestText({ ...BASE, document, passHeaders, policy, shape: 'whole' }),
    String.raw`["chat-completions","m","whole",0,"[[\"force-json\",\"pii-safe\"],[],[],[],5,null,null,\"AnyModel\"]",` +
      '[["anthropic-beta","b"],["anthropic-version","1"]]]\n' +
      String.raw`{"a":{"y":[null],"z":1},"messages":[{"content":"say \"x\"","role":"user"}]}`,
  )
  t.equal(
    requestText({ ...BASE, format: 'messages', model: undefined }),
    String.raw`["messages","auto",null,0,"[[],[],[],[],null,null,null,\"AnyModel\"]",[]]` +
      '\n{"messages":[{"content":"x","role":"user"}]}',
  )
})

t.test("the order of an answer's fields is that of its schema, so it counts", async (t) => {
  const [one, other] = [{ properties: { a: {}, b: {} } }, { properties: { b: {}, a: {} } }]
  const text = (schema?: JsonValue) => requestText({ ...BASE, document: { format: one }, schema })
  t.not(text(one), text(other))
  t.equal(text(one), text(structuredClone(one)))
  t.equal(text(), requestText({ ...BASE, document: { format: other } }), 'elsewhere it does not')
})

t.test('numbers that differ in digits that a double does not keep have keys of their own', async (t) => {
  const numbers = [
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.0',
    '1e400',
    '-1e400',
    'null',
  ]
  const texts = numbers.map((number) => {
    const document = asObject(parseJson(`{"z":[{"seed":${number}}],"a":{"rawJSON":"${number}"}}`)) ?? {}
    const text = requestText({
      ...BASE,
      document,
      tokens: new RedactionMap({ detector: MAILS, tokenSuffix: () => 'x' }),
    })
    t.match(text, `"seed":${number}}`)
    return text
  })
  t.equal(new Set(texts).size, numbers.length)
})

t.test('what says who asks or how to send does not count', async (t) => {
  const text = requestText(BASE)
  const document = { ...BASE.document, user: 'u', stream: true, stream_options: {}, metadata: {}, model: 'other' }
  t.equal(requestText({ ...BASE, document }), text)
  t.equal(requestText({ ...BASE, model: undefined }), requestText({ ...BASE, model: 'auto' }))
  t.not(requestText({ ...BASE, format: 'messages' }), text)
})

t.test('masked values are ordinals: as many, at the same places', async (t) => {
  const masked = (content: string) => {
    const tokens = new RedactionMap({ detector: MAILS, tokenSuffix: (_, value) => suffix(value) })
    return requestText({ ...BASE, document: { messages: [{ content: tokens.mask(content) }] }, tokens })
  }
  t.equal(masked('anna@example.com and anna@example.com'), masked('bob@example.org and bob@example.org'))
  t.not(masked('anna@example.com and anna@example.com'), masked('anna@example.com and bob@example.org'))
  t.not(masked('anna@example.com and [[LLM_REDACTED_EMAIL_aaaaaaaa]]'), masked('anna@example.com and anna@example.com'))
  t.equal(
    masked('anna@example.com and [[LLM_REDACTED_EMAIL_#1]]'),
    undefined,
    'an ordinal of the client is not confused with ours',
  )
})

t.test('masked names of fields are ordinals, whichever token comes first in the alphabet', async (t) => {
  const masked = (suffixes: readonly [string, string], order: readonly string[]) => {
    const tokenSuffix = (_: string, value: string) => (value.startsWith('a') ? suffixes[0] : suffixes[1])
    const tokens = new RedactionMap({ detector: MAILS, tokenSuffix })
    for (const name of ['anna@example.com', 'bob@example.com']) tokens.mask(name)
    const content = [{ type: 'tool_use', input: Object.fromEntries(order.map((name) => [tokens.mask(name), name])) }]
    return requestText({
      ...BASE,
      format: 'messages',
      document: { messages: [{ role: 'assistant', content }] },
      tokens,
    })
  }
  const names = ['A', 'anna@example.com', 'bob@example.com', 'z']
  const text = (suffixes: readonly [string, string], order = names) =>
    masked(suffixes, order)?.replaceAll(/"(?:anna|bob)@example.com"/g, '"x"')
  t.equal(text(['aaaaaaaa', 'bbbbbbbb']), text(['bbbbbbbb', 'aaaaaaaa']))
  t.equal(text(['aaaaaaaa', 'bbbbbbbb']), text(['bbbbbbbb', 'aaaaaaaa'], names.toReversed()))
  t.match(text(['aaaaaaaa', 'bbbbbbbb']), 'LLM_REDACTED_EMAIL_#1')
})

t.test('only what could be an ordinal looks like one', async (t) => {
  t.ok(looksLikeOrdinal('say [[LLM_REDACTED_EMAIL_#12]]'))
  t.notOk(looksLikeOrdinal('say [[LLM_REDACTED_EMAIL_abcdefgh]]'))
  t.notOk(looksLikeOrdinal('#1'))
})

t.test('only escapes of letters inside a text could hide a token', async (t) => {
  const written = (text: string) => JSON.stringify({ arguments: text })
  for (const hidden of ['{"a":"\\u005b["}', '{"a":"L\\u004cM"}', '{"a":"\\u005F"}']) t.ok(mayHideToken(written(hidden)))
  for (const none of ['{"a":"[[LLM"}', '{"a":"\\u003c\\u00e9\\n"}', '\u0001[']) t.notOk(mayHideToken(written(none)))
})

const MAILS = createDetector({ kinds: new Set(), custom: [] })

function suffix(value: string): string {
  return [...value]
    .map((character) => character.charCodeAt(0).toString(36))
    .join('')
    .padEnd(8, '0')
    .slice(0, 8)
}

function given(fields: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function writtenInOrder(value: JsonValue): string {
  return JSON.stringify(value, (_, field: JsonValue) =>
    isJsonObject(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : field,
  )
}

/** Every object's fields the other way round. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, field]) => [name, turned(field ?? null)]),
  )
}
