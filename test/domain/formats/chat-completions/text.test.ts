import fc from 'fast-check'
import t from 'tap'
import type { TextSpan } from '../../../../src/domain/completion/text-span.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { rewriteJsonStrings } from '../../../../src/domain/formats/json-strings.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { fixture, matchGolden } from '../golden.ts'

const mask = (text: string): string => text.replaceAll('a@b.example', '[[X]]')

t.test('every text of the full request is visited, with its scope and role', async (test) => {
  const document: JsonObject = JSON.parse(fixture('chat-completions/requests/full.json'))
  const spans: TextSpan[] = []
  const changed = chatCompletions.visitRequestText(document, (span) => (spans.push(span), span.text))
  test.equal(changed, false)
  matchGolden(test, 'chat-completions/requests/full.spans.golden.json', spans)
})

t.test('every text of the full answer is visited, with its scope and role', async (test) => {
  const document: JsonObject = JSON.parse(fixture('chat-completions/responses/full.json'))
  const spans: TextSpan[] = []
  test.equal(
    chatCompletions.visitResultText(document, (span) => (spans.push(span), span.text)),
    false,
  )
  matchGolden(test, 'chat-completions/responses/full.spans.golden.json', spans)
})

t.test('a replaced text stands in its place, and long integers beside it keep their digits', async (test) => {
  const request = fixture('chat-completions/requests/full.json')
  const document: JsonObject = JSON.parse(request)
  test.equal(
    chatCompletions.visitRequestText(document, (span) => mask(span.text)),
    true,
  )
  test.strictSame(document, JSON.parse(mask(request)))
  const response = fixture('chat-completions/responses/full.json')
  const answer: JsonObject = JSON.parse(response)
  test.equal(
    chatCompletions.visitResultText(answer, (span) => mask(span.text)),
    true,
  )
  test.strictSame(answer, JSON.parse(mask(response)))
})

t.test('what an answer cites and what it says aloud are visited; the sound is not', async (test) => {
  const media = 'A'.repeat(2000)
  const message = (value: string): JsonObject => ({
    role: 'assistant',
    content: value,
    annotations: [{ type: 'url_citation', url_citation: { title: value, url: 'https://b.example', start_index: 0 } }],
    audio: { id: 'a@b.example', data: media, transcript: value, expires_at: 1 },
  })
  const answer: JsonObject = { choices: [{ index: 0, message: message('a@b.example') }] }
  test.ok(chatCompletions.visitResultText(answer, (span) => mask(span.text)))
  test.strictSame(answer, { choices: [{ index: 0, message: message('[[X]]') }] })
})

t.test(
  'what was said aloud earlier is visited; its id and sound are not, whatever else stands there is',
  async (test) => {
    const message = (value: string): JsonObject => ({
      role: 'assistant',
      audio: {
        id: 'a@b.example',
        data: 'a@b.example',
        format: 'wav',
        expires_at: 1,
        transcript: value,
        note_id: value,
      },
    })
    const said = (value: string): JsonObject => ({ role: 'assistant', audio: value })
    const document: JsonObject = { messages: [message('a@b.example'), said('a@b.example')] }
    test.ok(chatCompletions.visitRequestText(document, (span) => mask(span.text)))
    test.strictSame(document, { messages: [message('[[X]]'), said('[[X]]')] })
  },
)

t.test('media, ids and addresses of images are never visited', async (test) => {
  const media = 'A'.repeat(2000)
  const document: JsonObject = {
    model: 'seen',
    messages: [
      {
        role: 'user',
        id: 'seen',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${media}` } },
          { type: 'input_audio', input_audio: { data: media, format: 'seen' } },
          { type: 'file', file: { file_data: media, file_id: 'seen' } },
          { type: 'video_url', video_url: { url: `data:video/mp4;base64,${media}` } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'seen', type: 'function', function: { name: 'seen', arguments: '{"seen":1}' } }],
      },
      { role: 'tool', tool_call_id: 'seen', content: '' },
    ],
  }
  const texts: string[] = []
  chatCompletions.visitRequestText(document, (span) => {
    if (span.isName !== true) texts.push(span.text)
    return span.isName === true ? span.text : 'changed'
  })
  test.strictSame(texts, [])
})

t.test('what stands beside the prompt is visited as a parameter', async (test) => {
  const fields = {
    stop: 'word',
    user: 'word',
    safety_identifier: 'word',
    prompt_cache_key: 'word',
    metadata: { ticket_id: 'word', type: 'word' },
    web_search_options: { user_location: { approximate: { city: 'word' } } },
  }
  const document: JsonObject = { messages: [], ...fields }
  const scopes: string[] = []
  const names: string[] = []
  chatCompletions.visitRequestText(document, (span) => {
    if (span.isName !== true) scopes.push(span.scope)
    else names.push(span.text)
    return span.isName === true ? span.text : 'changed'
  })
  test.strictSame(
    scopes,
    Array.from({ length: 7 }, () => 'parameter'),
  )
  test.strictSame(names, ['ticket_id', 'type'], 'names of settings are the vendor’s')
  test.strictSame(document, JSON.parse(JSON.stringify({ messages: [], ...fields }).replaceAll('word', 'changed')))
  const list: JsonObject = { messages: [], stop: ['END', 'a@b.example'] }
  test.ok(chatCompletions.visitRequestText(list, (span) => mask(span.text)))
  test.strictSame(list.stop, ['END', '[[X]]'])
})

t.test('a secret in an unknown field is visited, however deep', async (test) => {
  const nested = `${'{"a":['.repeat(400)}"a@b.example"${']}'.repeat(400)}`
  const document: JsonObject = JSON.parse(`{"messages":[{"role":"user","content":"x","extra":${nested}}]}`)
  const texts: string[] = []
  chatCompletions.visitRequestText(document, (span) => {
    if (span.isName !== true) texts.push(span.text)
    return mask(span.text)
  })
  test.strictSame(texts, ['x', 'a@b.example'])
  test.match(JSON.stringify(document), /\[\[X\]\]/)
})

const rewritten: { name: string; text: string; expected: string; visits: string[] }[] = [
  {
    name: 'escapes hide nothing',
    text: '{"a":"a\\u0040b.example"}',
    expected: '{"a":"[[X]]"}',
    visits: ['a', 'a@b.example'],
  },
  {
    name: 'names of fields are texts',
    text: '{"a\\u0040b.example" : 1}',
    expected: '{"[[X]]" : 1}',
    visits: ['a@b.example'],
  },
  {
    name: 'a name that is taken is counted on, in its own object only',
    text: '{"a@b.example":1,"[[X]]":{"[[X]]":2},"[[X]] (2)":3}',
    expected: '{"[[X]]":1,"[[X]] (2)":{"[[X]]":2},"[[X]] (2) (2)":3}',
    visits: ['a@b.example', '[[X]]', '[[X]]', '[[X]] (2)'],
  },
  {
    name: 'a name that stands twice is the same name twice',
    text: '{"a@b.example":1,"a@b.example":"{"}',
    expected: '{"[[X]]":1,"[[X]]":"{"}',
    visits: ['a@b.example', 'a@b.example', '{'],
  },
  {
    name: 'what is not changed keeps its bytes',
    text: '{ "n": 1.50e3, "s": "\\u00e9", "m":"a@b.example" ,"n":2}',
    expected: '{ "n": 1.50e3, "s": "\\u00e9", "m":"[[X]]" ,"n":2}',
    visits: ['n', 's', 'é', 'm', 'a@b.example', 'n'],
  },
  {
    name: 'quotes and backslashes end no string',
    text: '["\\"a@b.example\\\\","x"]',
    expected: '["\\"[[X]]\\\\","x"]',
    visits: ['"a@b.example\\', 'x'],
  },
  {
    name: 'what is no JSON is one text',
    text: '{"a":"a@b.example',
    expected: '{"a":"[[X]]',
    visits: ['{"a":"a@b.example'],
  },
  { name: 'numbers are not visited', text: '[1, true, null]', expected: '[1, true, null]', visits: [] },
  { name: 'nothing is nothing', text: '', expected: '', visits: [] },
]

for (const { name, text, expected, visits } of rewritten) {
  t.test(`in JSON text, ${name}`, async (test) => {
    const seen: string[] = []
    test.equal(
      rewriteJsonStrings(text, (decoded) => (seen.push(decoded), mask(decoded))),
      expected,
    )
    test.strictSame(seen, visits)
  })
}

t.test('JSON text stays JSON whatever the replacement', async (test) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, replacement) => {
      const text = JSON.stringify(value)
      const same = rewriteJsonStrings(text, (decoded) => decoded)
      const rewrite = (decoded: string, isName: boolean) => (isName ? decoded : replacement)
      const changed: unknown = JSON.parse(rewriteJsonStrings(text, rewrite))
      const expected: unknown = JSON.parse(text, (_key, leaf: unknown) =>
        typeof leaf === 'string' ? replacement : leaf,
      )
      if (same !== text || JSON.stringify(changed) !== JSON.stringify(expected)) test.fail(text)
    }),
  )
  test.pass('no counterexample')
})

t.test('however names are replaced in JSON text, no field is lost, and their order stays', async (test) => {
  const names = fc.constantFrom('a', 'b', 'ab', '[[X]]', '[[X]] (2)', '[[X]] (3)', '__proto__', 'constructor')
  const objects = fc.uniqueArray(fc.record({ name: names, inner: fc.uniqueArray(names) }), {
    selector: (one) => one.name,
  })
  fc.assert(
    fc.property(objects, (fields) => {
      const inner = (list: string[]): string => `{${list.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`
      const text = `{${fields.map((field, place) => `${JSON.stringify(field.name)}:[${place},${inner(field.inner)}]`).join(',')}}`
      const visited = rewriteJsonStrings(text, (name) => name.replaceAll(/[ab]+/g, '[[X]]'))
      const places = Object.entries(JSON.parse(visited)).map(([, value]) => value)
      const expected = fields.map((field, place) => [place, field.inner.length])
      test.strictSame(
        places.map((value) => (Array.isArray(value) ? [value[0], Object.keys(value[1]).length] : [])),
        expected,
        text,
      )
    }),
  )
})
