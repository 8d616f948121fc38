import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'
import { measurePrompt } from '../../../src/domain/quota/prompt-size.ts'

const LONG = 'word '.repeat(200)

function sizeOf(format: ProviderFormatName, document: JsonObject) {
  return measurePrompt(formatOf(format).parseRequest(document, { model: 'm', stream: false }))
}

const said = { role: 'user', content: 'hello' }
const openai = (fields: JsonObject, ...messages: JsonValue[]) =>
  sizeOf('chat-completions', { model: 'm', messages: [said, ...messages], ...fields })
const anthropic = (fields: JsonObject, ...messages: JsonValue[]) =>
  sizeOf('messages', { model: 'm', max_tokens: 9, messages: [said, ...messages], ...fields })
const gemini = (fields: JsonObject, ...parts: JsonValue[]) =>
  sizeOf('generate-content', { contents: [{ role: 'user', parts: [{ text: 'hello' }, ...parts] }], ...fields })

t.test('what only its own format has a word for counts by its bytes', async (t) => {
  const custom = { type: 'custom', custom: { name: 'f', description: LONG } }
  const call = { id: 'a', type: 'custom', custom: { name: 'f', input: LONG } }
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: LONG }] }
  const sizes = {
    'a custom tool': openai({ tools: [custom] }),
    'a call of one': openai({}, { role: 'assistant', tool_calls: [call] }),
    'a prediction': openai({ prediction: { type: 'content', content: LONG } }),
    'a field of another server': openai({ guided_json: { [LONG]: true } }),
    'a part of another server': openai({}, { role: 'user', content: [{ type: 'novel', novel: { text: LONG } }] }),
    'a long name': openai({}, { ...said, name: LONG }),
    'examples of a tool': anthropic({ tools: [{ name: 'f', input_schema: {}, input_examples: [{ a: LONG }] }] }),
    'hidden thinking': anthropic({}, { role: 'assistant', content: [{ type: 'redacted_thinking', data: LONG }] }),
    "what a vendor's own tool found": anthropic({}, { role: 'assistant', content: [found] }),
    'code that was run': gemini({}, { executableCode: { language: 'PYTHON', code: LONG } }),
    'the answer of a function': gemini({
      tools: [{ functionDeclarations: [{ name: 'f', response: { title: LONG } }] }],
    }),
    'a film': gemini({}, { inlineData: { mimeType: 'video/mp4', data: LONG } }),
  }
  for (const [what, size] of Object.entries(sizes)) {
    t.ok(size.textBytes >= LONG.length && size.textBytes < LONG.length + 100, `${what}: ${size.textBytes}`)
    t.notOk(size.unmeasurable, what)
  }
  t.match(openai({ guided_choice: ['é'.repeat(100)] }), { textBytes: 5 + 'guided_choice'.length + 200, wideBytes: 200 })
})

t.test('an ordinary request counts its texts and nothing else', async (t) => {
  const url = 'https://example.com/a-picture.png'
  const data = `data:image/png;base64,${'A'.repeat(5_000)}`
  const media = [
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: { url: data } },
  ]
  const call = { id: 'call_1234567890', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
  t.match(
    openai(
      { temperature: 0.5, user: LONG, metadata: { a: LONG }, stop: [LONG], response_format: { type: 'json_object' } },
      { role: 'user', content: [{ type: 'text', text: 'there' }, ...media] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1234567890', content: 'result' },
    ),
    { textBytes: 5 + 5 + 1 + 7 + 6, images: 2, unmeasurable: false },
  )
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(5_000) }
  t.match(
    anthropic(
      { system: [{ type: 'text', text: 'be', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      { role: 'user', content: [{ type: 'image', source }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: LONG }] },
    ),
    { textBytes: 5 + 2 + 2, images: 1 },
  )
  const image = { fileData: { fileUri: 'gs://a/picture.png', mimeType: 'image/png' } }
  const config = { generationConfig: { temperature: 1, responseMimeType: 'text/plain' } }
  t.match(gemini(config, image, { inlineData: { mimeType: 'image/png', data: 'A'.repeat(5_000) } }), {
    textBytes: 5,
    images: 2,
    unmeasurable: false,
  })
})

t.test('what a vendor keeps elsewhere, and no word is known for, cannot be measured', async (t) => {
  const film = { fileData: { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' } }
  const image = { file_data: { file_uri: 'gs://a/picture.png', mime_type: 'image/png' } }
  t.ok(gemini({}, film).unmeasurable)
  t.ok(gemini({}, image, film).unmeasurable)
  t.ok(gemini({ cachedContent: 'cachedContents/x' }).unmeasurable)
  const content = (url: string) => ({ role: 'user', content: [{ type: 'video_url', video_url: { url } }] })
  t.ok(openai({}, content('https://example.com/film.mp4')).unmeasurable)
  const call = { type: 'tool_use', id: 't', name: 'f', input: { video_url: 'https://example.com/film.mp4' } }
  t.notOk(anthropic({}, { role: 'assistant', content: [call] }).unmeasurable, 'an argument is a text')
  const inline = openai({}, content(`data:video/mp4;base64,${'A'.repeat(5_000)}`))
  t.match(inline, { unmeasurable: false, textBytes: 5 + 22 + 5_000 })
})

t.test('the depth of a document does not matter', async (t) => {
  let deep: JsonValue = LONG
  for (let level = 0; level < 50_000; level++) deep = [deep]
  t.ok(openai({ deep }).textBytes >= LONG.length)
})
