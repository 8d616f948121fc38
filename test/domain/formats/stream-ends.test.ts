/** When a stream is over, told by what its events say and not by its body's end. @see StreamDecoder.endsAfterMs */
import t from 'tap'
import { COMPLETE_ENDS_AFTER_MS, LIKELY_COMPLETE_ENDS_AFTER_MS } from '../../../src/domain/formats/format.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const chat = (delta: JsonObject, finish: string | null = null, index = 0): JsonObject => ({
  id: 'c',
  choices: [{ index, delta, finish_reason: finish }],
})
const usage = { id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }
const gemini = (text: string, finishReason?: string): JsonObject => ({
  candidates: [{ content: { parts: [{ text }] }, ...(finishReason === undefined ? {} : { finishReason }) }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
})

/** Events, each with what is known after it. */
const STREAMS: readonly (readonly [string, ProviderFormatName, readonly (readonly [JsonObject | string, number])[]])[] =
  [
    [
      'chat-completions are over at [DONE], whatever follows; without one some time after the usage that follows the finish',
      'chat-completions',
      [
        [chat({ content: 'a' }), Infinity],
        [chat({}, 'stop'), Infinity],
        [usage, LIKELY_COMPLETE_ENDS_AFTER_MS],
        ['[DONE]', 0],
        ['[DONE]', 0],
        [chat({ content: 'b' }, null, 1), 0],
      ],
    ],
    [
      '[DONE] stands for a finish that never came',
      'chat-completions',
      [
        [chat({ content: 'a' }), Infinity],
        ['[DONE]', 0],
      ],
    ],
    [
      'a choice that begins after another has ended is waited for',
      'chat-completions',
      [
        [{ ...chat({ content: 'a' }, 'stop'), usage: usage.usage }, LIKELY_COMPLETE_ENDS_AFTER_MS],
        [chat({ content: 'b' }, null, 1), Infinity],
        [chat({}, 'stop', 1), Infinity],
        [usage, LIKELY_COMPLETE_ENDS_AFTER_MS],
      ],
    ],
    ['[DONE] of an answer that never began ends nothing: it has failed', 'chat-completions', [['[DONE]', Infinity]]],
    [
      'messages are over at message_stop',
      'messages',
      [
        [{ type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } }, Infinity],
        [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } }, Infinity],
        [
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
          LIKELY_COMPLETE_ENDS_AFTER_MS,
        ],
        [{ type: 'message_stop' }, 0],
        [{ type: 'ping' }, 0],
      ],
    ],
    [
      'generate-content is over some time after the finish of all candidates',
      'generate-content',
      [
        [gemini('a'), Infinity],
        [gemini('b', 'STOP'), COMPLETE_ENDS_AFTER_MS],
        [{ usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 3 } }, COMPLETE_ENDS_AFTER_MS],
        [{ candidates: [{ index: 1, content: { parts: [{ text: 'c' }] } }] }, Infinity],
      ],
    ],
    [
      'generate-content that says STOP from its first event on is waited for longer; said again, it is no end',
      'generate-content',
      [
        [gemini('a', 'STOP'), LIKELY_COMPLETE_ENDS_AFTER_MS],
        [gemini('b', 'STOP'), Infinity],
      ],
    ],
    [
      'a refused prompt is an answer',
      'generate-content',
      [[{ promptFeedback: { blockReason: 'SAFETY' } }, LIKELY_COMPLETE_ENDS_AFTER_MS]],
    ],
  ]

for (const [what, format, events] of STREAMS) {
  t.test(what, async (t) => {
    const decoder = formatOf(format).createStreamDecoder()
    t.equal(decoder.endsAfterMs, Infinity)
    for (const [event, endsAfterMs] of events) {
      const data = typeof event === 'string' ? event : JSON.stringify(event)
      decoder.push({ data })
      t.equal(decoder.endsAfterMs, endsAfterMs, data)
    }
  })
}
