import t from 'tap'
import { parseFinish as chat } from '../../../src/domain/formats/chat-completions/finish.ts'
import { parseFinish as gemini } from '../../../src/domain/formats/generate-content/finish.ts'
import { parseStopReason as anthropic } from '../../../src/domain/formats/messages/stop-reason.ts'

t.test('a word that no one knows still ends an answer with its tool calls', async (t) => {
  t.equal(gemini('FUNCTION_CALL', true).reason, 'tool-calls')
  t.equal(gemini('FUNCTION_CALL', false).reason, 'other')
  t.equal(chat('tool_call', true).reason, 'tool-calls')
  t.equal(chat('tool_call', false).reason, 'other')
  t.equal(anthropic('tool_calls', undefined, true).reason, 'tool-calls')
  t.equal(anthropic('tool_calls', undefined, false).reason, 'other')
})

t.test('a call that was cut or malformed is no call to run', async (t) => {
  t.equal(gemini('MAX_TOKENS', true).reason, 'length')
  t.equal(gemini('MALFORMED_FUNCTION_CALL', true).reason, 'error')
  t.equal(chat('length', true).reason, 'length')
  t.equal(anthropic('max_tokens', undefined, true).reason, 'length')
  t.equal(anthropic('pause_turn', undefined, true).reason, 'other')
})

t.test('a name that every object inherits is a word that no one knows', async (t) => {
  t.equal(gemini('constructor', false).reason, 'other')
  t.equal(chat('constructor', false).reason, 'other')
  t.equal(anthropic('constructor', undefined, false).reason, 'other')
})
