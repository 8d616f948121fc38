/** A client sends an answer back as a part of its history: what was restored in it for the client must be masked again. */
import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { StreamTextRewriter } from '../../../src/domain/formats/format.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../../src/domain/json.ts'
import { fixture } from './golden.ts'

const TOKEN = '[[X]]'
const EMAIL = 'bob@b.example'
const BASE64 = Buffer.from(TOKEN).toString('base64')

const restore = (text: string): string => text.replaceAll(TOKEN, EMAIL)
const mask = (text: string): string => text.replaceAll(EMAIL, TOKEN)

interface Replay {
  /** An answer with a token in every field that may hold one, and in some that hold none. */
  readonly answer: JsonObject
  readonly requestWith: (answer: JsonObject) => JsonObject
}

const CITED = { title: TOKEN, url: TOKEN, id: TOKEN, file_id: TOKEN, cited_text: TOKEN, [TOKEN]: TOKEN }
const INPUT = { [TOKEN]: TOKEN, id: TOKEN, list: [{ type: TOKEN }] }

const MESSAGE: JsonObject = {
  role: 'assistant',
  content: TOKEN,
  name: TOKEN,
  refusal: TOKEN,
  reasoning: TOKEN,
  reasoning_content: TOKEN,
  reasoning_details: [
    { type: 'reasoning.text', text: TOKEN, summary: TOKEN, id: TOKEN },
    { text: TOKEN, signature: 's' },
  ],
  audio: { id: TOKEN, transcript: TOKEN, data: TOKEN, other: TOKEN },
  annotations: [{ type: 'url_citation', url_citation: CITED }],
  citations: [CITED],
  images: [{ image_url: { url: TOKEN } }],
  tool_calls: [
    { id: TOKEN, type: 'function', function: { name: TOKEN, arguments: JSON.stringify(INPUT), note: TOKEN } },
    { id: '2', type: 'custom', custom: { name: 'x', input: TOKEN, note: TOKEN }, note: TOKEN },
  ],
  function_call: { name: 'f', arguments: JSON.stringify(INPUT) },
  other: CITED,
}
const PARTS: JsonObject = {
  role: 'assistant',
  content: [
    { type: 'text', text: TOKEN, other: CITED },
    { type: 'thinking', thinking: [{ type: 'text', text: TOKEN }] },
    { type: 'refusal', refusal: TOKEN },
    { type: 'reference', reference_ids: [TOKEN] },
  ],
}

const REPLAYS: Readonly<Record<ProviderFormatName, Replay>> = {
  'chat-completions': {
    answer: { choices: [{ message: MESSAGE }, { message: PARTS }] },
    requestWith: ({ choices }) => ({ messages: asArray(choices).map((choice) => asObject(choice)?.message ?? null) }),
  },
  messages: {
    answer: {
      content: [
        { type: 'text', text: TOKEN, citations: [{ type: 'char_location', ...CITED }], other: CITED },
        { type: 'thinking', thinking: TOKEN, signature: TOKEN },
        { type: 'redacted_thinking', data: TOKEN },
        { type: 'tool_use', id: TOKEN, name: TOKEN, input: INPUT },
        { type: 'server_tool_use', id: TOKEN, name: 'web_search', input: INPUT },
        { type: 'web_search_tool_result', tool_use_id: TOKEN, content: [{ type: 'web_search_result', ...CITED }] },
        { type: 'code_execution_tool_result', content: { stdout: TOKEN, stderr: TOKEN, content: [CITED] } },
        { type: 'mcp_tool_use', name: TOKEN, server_name: TOKEN, input: INPUT },
        { type: 'mcp_tool_result', content: [{ type: 'text', text: TOKEN }] },
        { type: 'unknown', ...CITED, caller: CITED },
      ],
    },
    requestWith: ({ content = null }) => ({ messages: [{ role: 'assistant', content }] }),
  },
  'generate-content': {
    answer: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: TOKEN, thought: true },
              { text: TOKEN },
              { text: TOKEN, thoughtSignature: TOKEN },
              { functionCall: { id: TOKEN, name: TOKEN, args: INPUT } },
              { executableCode: { code: TOKEN, language: 'PYTHON' } },
              { codeExecutionResult: { output: TOKEN, outcome: 'OUTCOME_OK', other: CITED } },
              { inlineData: { mimeType: 'text/plain', data: BASE64, displayName: TOKEN } },
              { fileData: { fileUri: TOKEN, displayName: TOKEN } },
              { toolCall: { args: INPUT }, partMetadata: CITED },
            ],
          },
        },
      ],
    },
    requestWith: ({ candidates }) => ({ contents: [asObject(asArray(candidates)[0])?.content ?? null] }),
  },
}

/** What of the document a provider could read an address from: its texts, and the first one in base64. */
function said(document: JsonValue): string {
  const text = JSON.stringify(document)
  const data = /"data":"([^"]*)"/.exec(text)?.[1] ?? ''
  return `${text} ${Buffer.from(data, 'base64').toString()}`
}

for (const [name, { answer, requestWith }] of Object.entries(REPLAYS)) {
  const format = formatOf(name as ProviderFormatName)
  const answers = { answer, fixture: withTokens(JSON.parse(fixture(`${name}/responses/full.json`)) as JsonObject) }
  for (const [which, original] of Object.entries(answers)) {
    t.test(`${name}: what is restored in an answer is masked when it comes back (${which})`, async (t) => {
      const restored = structuredClone(original)
      t.ok(format.visitResultText(restored, ({ text }) => restore(text)))
      t.match(said(requestWith(restored)), EMAIL)
      const request = requestWith(restored)
      t.ok(format.visitRequestText(request, ({ text }) => mask(text)))
      t.notMatch(said(request), EMAIL)
    })
  }
}

t.test('chat-completions: so is what is restored in the pieces of a stream', async (t) => {
  const rewriter: StreamTextRewriter = { push: (_channel, _kind, text) => restore(text), flush: () => '' }
  const format = formatOf('chat-completions')
  for (const delta of [MESSAGE, PARTS]) {
    const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta }] }
    const [event] = format.createStreamTextPatcher(rewriter).push({ data: JSON.stringify(chunk) })
    const restored: JsonObject = JSON.parse(event?.data ?? '')
    t.match(said(restored), EMAIL)
    const request = { messages: asArray(restored.choices).map((choice) => asObject(choice)?.delta ?? null) }
    format.visitRequestText(request, ({ text }) => mask(text))
    t.notMatch(said(request), EMAIL)
  }
})

/** The document with a token behind each of its strings but those that say what a thing is. */
function withTokens(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (typeof value !== 'string' || ['type', 'role', 'mimeType', 'media_type'].includes(key)) return value
    return value.startsWith('{') ? value.replace('{', `{"${TOKEN}":"${TOKEN}",`) : `${value} ${TOKEN}`
  })
}
