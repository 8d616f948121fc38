import t from 'tap'
import type { TextSpan } from '../../../../src/domain/completion/text-span.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { fixture, matchGolden } from '../golden.ts'

const mask = (text: string): string => text.replaceAll('a@b.example', '[[X]]')

t.test('every text of the full request is visited, with its scope and role', async (test) => {
  const document: JsonObject = JSON.parse(fixture('generate-content/requests/full.json'))
  const spans: TextSpan[] = []
  const changed = generateContent.visitRequestText(document, (span) => (spans.push(span), span.text))
  test.equal(changed, false)
  matchGolden(test, 'generate-content/requests/full.spans.golden.json', spans)
})

t.test('what an answer is grounded on and cites is visited', async (test) => {
  const candidate = (value: string): JsonObject => ({
    content: { role: 'model', parts: [{ text: value }] },
    groundingMetadata: { webSearchQueries: [value], groundingSupports: [{ segment: { text: value } }] },
    citationMetadata: { citationSources: [{ title: value, startIndex: 0 }] },
  })
  const answer: JsonObject = { candidates: [candidate('a@b.example')] }
  test.ok(generateContent.visitResultText(answer, (span) => span.text.replace('a@b.example', '[[X]]')))
  test.strictSame(answer, { candidates: [candidate('[[X]]')] })
})

t.test('every text of the full answer is visited, with its scope and role', async (test) => {
  const document: JsonObject = JSON.parse(fixture('generate-content/responses/full.json'))
  const spans: TextSpan[] = []
  generateContent.visitResultText(document, (span) => (spans.push(span), span.text))
  matchGolden(test, 'generate-content/responses/full.spans.golden.json', spans)
})

t.test('a replaced text stands in its place, wherever it was', async (test) => {
  for (const name of ['requests/full', 'requests/snake-case']) {
    const text = fixture(`generate-content/${name}.json`)
    const document: JsonObject = JSON.parse(text)
    test.equal(
      generateContent.visitRequestText(document, (span) => mask(span.text)),
      mask(text) !== text,
    )
    test.strictSame(document, JSON.parse(mask(text)), name)
  }
  const text = fixture('generate-content/responses/full.json')
  const answer: JsonObject = JSON.parse(text)
  generateContent.visitResultText(answer, (span) => mask(span.text))
  const expected = JSON.parse(mask(text))
  const signed = { text: 'I think of [[X]].', thought: true, thoughtSignature: 'c2lnLTA=' }
  expected.candidates[0].content.parts.splice(0, 4, signed, { text: 'Mail [[X]].' })
  test.strictSame(answer, expected, 'texts in a row become one')
})

t.test('both spellings of every field that holds text are visited', async (test) => {
  const words: JsonObject = {
    system_instruction: { parts: { text: 'word' } },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'word' }, { file_data: { file_uri: 'https://seen.example', display_name: 'word' } }],
      },
      { role: 'model', parts: [{ function_call: { name: 'f', args: { id: 'word' } } }] },
      { role: 'user', parts: [{ function_response: { name: 'f', response: { type: 'word' } } }] },
      {
        role: 'user',
        parts: {
          functionResponse: {
            name: 'f',
            parts: [{ inlineData: { mimeType: 'image/png', data: 'seen', displayName: 'word' } }],
          },
        },
      },
    ],
    tools: [
      { function_declarations: [{ name: 'f', description: 'word', parameters_json_schema: { description: 'word' } }] },
    ],
    generation_config: { response_schema: { description: 'word' }, stop_sequences: ['word'] },
    labels: { team: 'word' },
  }
  const count = JSON.stringify(words).split('word').length - 1
  let visited = 0
  const names = new Set<string>()
  const visit = (span: TextSpan): string => {
    if (span.isName === true) names.add(span.text)
    else visited++
    return span.text
  }
  generateContent.visitRequestText(words, visit)
  test.equal(visited, count)
  test.strictSame([...names], ['id', 'type', 'team'], 'names that a client or model has chosen')
  generateContent.visitRequestText({ generateContentRequest: words }, visit)
  test.equal(visited, 2 * count)
})

t.test('media, addresses, names and signatures are never visited', async (test) => {
  const document: JsonObject = {
    contents: [
      {
        role: 'user',
        parts: [
          { inline_data: { mime_type: 'seen', data: 'seen' } },
          { fileData: { mimeType: 'seen', fileUri: 'https://seen.example' } },
          { functionCall: { id: 'seen', name: 'seen' }, thought_signature: 'seen' },
          { functionResponse: { id: 'seen', name: 'seen', response: {} }, thoughtSignature: 'seen' },
          { text: '' },
        ],
      },
    ],
    model: 'seen',
    cachedContent: 'seen',
  }
  const before = structuredClone(document)
  test.equal(
    generateContent.visitRequestText(document, () => 'changed'),
    false,
  )
  test.strictSame(document, before)
})

t.test('an address that a stream has cut is found in the replayed turn, and the turn stays whole', async (test) => {
  const said = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts })
  const user = (text: string): JsonObject => ({ role: 'user', parts: [{ text }] })
  const document = {
    contents: [
      user('Who?'),
      said({ text: 'It is a@', thought: true }, { text: 'b.example', thought: true }, { text: 'Mail a@' }),
      said({ text: 'b.exam' }),
      said({ text: 'ple or' }, { text: ' signed', thoughtSignature: 'c2ln' }, { text: 'More.' }),
      user('a@'),
      user('b.example'),
    ],
  }
  test.equal(
    generateContent.visitRequestText(document, (span) => mask(span.text)),
    true,
  )
  test.strictSame(document.contents, [
    user('Who?'),
    said({ text: 'It is [[X]]', thought: true }),
    said({ text: 'Mail [[X]] or signed', thoughtSignature: 'c2ln' }, { text: 'More.' }),
    user('a@'),
    user('b.example'),
  ])
  const answer = { candidates: [{ content: said({ text: 'Mail a@b.' }, { text: 'example.' }) }] }
  generateContent.visitResultText(answer, (span) => mask(span.text))
  test.strictSame(answer.candidates[0]?.content, said({ text: 'Mail [[X]].' }))
})
