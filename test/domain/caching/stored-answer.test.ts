import t from 'tap'
import {
  decodeStoredAnswer,
  isWorthKeeping,
  storedHead,
  type StoredAnswer,
} from '../../../src/domain/caching/stored-answer.ts'
import type { CompletionRequest, ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { Choice, CompletionResult, FinishReason } from '../../../src/domain/completion/result.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { JsonObject, JsonValue } from '../../../src/domain/json.ts'

const ANSWER: StoredAnswer = {
  format: 'messages',
  document: new TextEncoder().encode('{"a":\n"é"}'),
  deployment: 'p/m',
  virtualKey: 'ns/key',
  storedAtMs: 1_700_000_000_000,
  purges: [1, 0, 2],
}

t.test('an answer comes back from its head and document as it was', async (t) => {
  const { document: _, ...facts } = ANSWER
  const { document, ...rest } = decodeStoredAnswer(bytesOf(ANSWER)) ?? {}
  t.strictSame(rest, facts)
  t.equal(new TextDecoder().decode(document), '{"a":\n"é"}')
})

function bytesOf(answer: StoredAnswer): Uint8Array {
  return Uint8Array.of(...new TextEncoder().encode(storedHead(answer)), ...answer.document)
}

t.test('bytes that are no answer are none', async (t) => {
  const texts = ['', 'x', '\n', '[]\nx', '["other","d","k",1,0,0,0]\nx', '["messages","d","k",1,0,0]\nx', '[1,2\n{}']
  for (const text of texts) t.equal(decodeStoredAnswer(new TextEncoder().encode(text)), undefined, text)
})

const choice = (reason: FinishReason, index = 0): Choice => ({
  index,
  content: [{ type: 'text', text: 'x' }],
  finish: { reason, raw: reason },
})
const result = (...choices: Choice[]): CompletionResult => ({
  source: { format: 'messages', document: {} },
  id: '',
  model: '',
  choices,
  usage: undefined,
})
const request = (fields: object = {}): CompletionRequest =>
  formatOf('chat-completions').parseRequest({ messages: [{ role: 'user', content: 'x' }], ...fields }, {})

t.test('only what ended by itself, or by the client, is worth keeping', async (t) => {
  const kept: Record<FinishReason, boolean> = {
    stop: true,
    'tool-calls': true,
    length: false,
    'content-filter': false,
    error: false,
    other: false,
  }
  for (const reason of ['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other'] as const) {
    t.equal(isWorthKeeping(result(choice(reason)), request(), undefined), kept[reason], reason)
  }
  const limited = request({ max_tokens: 10 })
  t.ok(isWorthKeeping(result(choice('length')), limited, undefined))
  t.ok(isWorthKeeping(result(choice('length')), limited, 10))
  t.notOk(isWorthKeeping(result(choice('length')), limited, 9), 'cut by us')
  t.ok(isWorthKeeping(result(choice('stop')), limited, 9), 'not cut at all')
})

t.test('an answer of a provider that does not say how it ended is not kept, in any format', async (t) => {
  const message = (fields: object) => ({ role: 'assistant', content: 'x', ...fields })
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const chat = (fields: object, finish: object) => ({ choices: [{ index: 0, message: message(fields), ...finish }] })
  const content = [{ type: 'text', text: 'x' }]
  const parts = [{ text: 'x' }]
  const answers: [format: ProviderFormatName, told: object, untold: readonly object[]][] = [
    [
      'chat-completions',
      chat({}, { finish_reason: 'stop' }),
      [
        chat({}, { finish_reason: null }),
        chat({}, {}),
        chat({}, { finish_reason: '' }),
        chat({ tool_calls }, { finish_reason: null }),
        chat({ tool_calls }, { finish_reason: '' }),
      ],
    ],
    ['messages', { content, stop_reason: 'end_turn' }, [{ content, stop_reason: null }, { content }]],
    [
      'generate-content',
      { candidates: [{ content: { parts }, finishReason: 'STOP' }] },
      [
        { candidates: [{ content: { parts } }] },
        { candidates: [{ content: { parts }, finishReason: null }] },
        { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } }] },
      ],
    ],
  ]
  for (const [format, told, untold] of answers) {
    const isKept = (document: object) =>
      isWorthKeeping(formatOf(format).parseResult(document as JsonObject), request({ max_tokens: 10 }), undefined)
    t.ok(isKept(told), format)
    for (const document of untold) t.notOk(isKept(document), JSON.stringify(document))
  }
})

t.test('an answer with too few choices, an empty one or a refusal is not kept', async (t) => {
  const two = request({ n: 2 })
  t.notOk(isWorthKeeping(result(choice('stop')), two, undefined))
  t.ok(isWorthKeeping(result(choice('stop'), choice('stop', 1)), two, undefined))
  t.notOk(isWorthKeeping(result(choice('stop'), choice('other', 1)), two, undefined))
  t.notOk(isWorthKeeping(result(), request(), undefined))
  t.notOk(isWorthKeeping(result({ ...choice('stop'), content: [] }), request(), undefined))
  t.notOk(
    isWorthKeeping(result({ ...choice('stop'), content: [{ type: 'refusal', text: 'no' }] }), request(), undefined),
  )
})

t.test('broken arguments of a tool are not kept', async (t) => {
  const called = (text: string): CompletionResult =>
    result({ ...choice('tool-calls'), content: [{ type: 'tool-call', id: 'c', name: 'f', arguments: text }] })
  for (const text of ['{"a":1}', '{}', '']) t.ok(isWorthKeeping(called(text), request(), undefined), text)
  for (const text of ['{"a":', '{"a":1}{', 'a']) t.notOk(isWorthKeeping(called(text), request(), undefined), text)
})

t.test('an answer beside which an error is told of is not kept', async (t) => {
  const beside = (error: JsonValue) => ({
    ...result(choice('stop')),
    source: { format: 'chat-completions' as const, document: { error } },
  })
  t.notOk(isWorthKeeping(beside({ message: 'upstream gone', code: 502 }), request(), undefined))
  t.ok(isWorthKeeping(beside(null), request(), undefined), 'some servers always have the field')
})
