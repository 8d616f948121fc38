import t from 'tap'
import { parseUsage as parseChatUsage } from '../../../src/domain/formats/chat-completions/usage.ts'
import { parseEmbeddingsResult } from '../../../src/domain/formats/embeddings/result.ts'
import { parseUsage as parseGeminiUsage } from '../../../src/domain/formats/generate-content/usage.ts'
import { parseUsage as parseMessagesUsage } from '../../../src/domain/formats/messages/usage.ts'
import { countOf, usageAfter } from '../../../src/domain/formats/usage-counts.ts'

t.test('a count is a whole number from 0 to a thousand million, whatever the provider sent', async (t) => {
  for (const none of [undefined, null, '5', {}, [], true, -1, -1e300, Infinity, NaN]) t.equal(countOf(none), 0)
  t.equal(countOf(1.2), 2)
  t.equal(countOf(7), 7)
  t.equal(countOf(1e300), 1e9)
})

t.test('no usage holds a number that counters, sums and metrics could not hold', async (t) => {
  const huge = 1e300
  const usages = [
    parseChatUsage({
      prompt_tokens: huge,
      completion_tokens: huge,
      total_tokens: huge,
      prompt_tokens_details: { cached_tokens: huge, cache_write_tokens: huge },
      completion_tokens_details: { reasoning_tokens: huge },
    }),
    parseMessagesUsage({
      input_tokens: huge,
      output_tokens: huge,
      cache_read_input_tokens: huge,
      cache_creation: { ephemeral_5m_input_tokens: huge, ephemeral_1h_input_tokens: huge },
      output_tokens_details: { thinking_tokens: huge },
    }),
    parseGeminiUsage({
      promptTokenCount: huge,
      candidatesTokenCount: huge,
      totalTokenCount: huge,
      thoughtsTokenCount: huge,
      toolUsePromptTokenCount: huge,
    }),
    parseEmbeddingsResult({ data: [{ embedding: [1] }], usage: { prompt_tokens: huge } }, 1, 'float').usage,
  ]
  for (const usage of usages) {
    const { input = -1, cachedInput = -1, cacheWrite = -1, output = -1, reasoning = -1 } = usage ?? {}
    for (const count of [input, cachedInput, cacheWrite, output, reasoning]) {
      t.ok(Number.isInteger(count) && count >= 0 && count <= 2e9, String(count))
    }
  }
})

t.test('thoughts that only the total of a chat completion counts are charged as such', async (t) => {
  const answer = { prompt_tokens: 20, completion_tokens: 424 }
  t.match(parseChatUsage({ ...answer, total_tokens: 1016 }), { input: 20, output: 996, reasoning: 572 })
  t.match(parseChatUsage({ ...answer, total_tokens: 444 }), { input: 20, output: 424, reasoning: 0 })
  t.match(parseChatUsage({ ...answer, total_tokens: 1 }), { input: 20, output: 424, reasoning: 0 })
  // Cached tokens beside the prompt, also as many as thoughts that are named, and a prompt that is not told.
  const cached = { prompt_tokens_details: { cached_tokens: 70 }, total_tokens: 514 }
  t.match(parseChatUsage({ ...answer, ...cached }), { input: 20, cachedInput: 70, output: 424, reasoning: 0 })
  const named = { ...cached, completion_tokens_details: { reasoning_tokens: 70 } }
  t.match(parseChatUsage({ ...answer, ...named }), { cachedInput: 70, output: 494, reasoning: 70 })
  t.match(parseChatUsage({ completion_tokens: 5, total_tokens: 15 }), { input: 0, output: 5, reasoning: 0 })
})

t.test(
  'cached tokens beside the prompt of a chat completion leave it whole, those within are a part of it',
  async (t) => {
    const of = (prompt_tokens: number, cached_tokens: number, total_tokens: number) => {
      const { input, cachedInput, output } =
        parseChatUsage({
          prompt_tokens,
          completion_tokens: 5,
          total_tokens,
          prompt_tokens_details: { cached_tokens },
        }) ?? {}
      return [input, cachedInput, output]
    }
    t.strictSame(of(100, 70, 105), [30, 70, 5])
    t.strictSame(of(100, 70, 175), [100, 70, 5])
    t.strictSame(of(20, 70, 0), [20, 70, 5], 'the total is not told, and more is cached than the prompt has')
    t.strictSame(of(70, 70, 75), [0, 70, 5])
  },
)

t.test('a prompt that was counted is not undone by a usage that counts the answer only', async (t) => {
  const of = (input: number, output: number, cachedInput = 0) => ({
    input,
    cachedInput,
    cacheWrite: 0,
    output,
    reasoning: 0,
  })
  t.strictSame(usageAfter(undefined, of(0, 0)), of(0, 0))
  t.strictSame(usageAfter(of(100, 1, 7), of(0, 50)), of(100, 50, 7))
  t.strictSame(usageAfter(of(100, 1), of(0, 50, 100)), of(0, 50, 100), 'the prompt has moved into the cache')
  t.strictSame(usageAfter(of(0, 1), of(0, 50)), of(0, 50))
  t.equal(usageAfter(of(100, 50), of(0, 0)), undefined)
  t.strictSame(usageAfter(of(100, 50), of(100, 0)), of(100, 0), 'the answer is left to the estimate')
  t.strictSame(usageAfter(of(100, 50), of(90, 40)), of(90, 40))
})
