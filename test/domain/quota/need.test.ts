import * as fc from 'fast-check'
import t from 'tap'
import type { CompletionRequest, Message } from '../../../src/domain/completion/request.ts'
import { estimateUsage } from '../../../src/domain/quota/estimate.ts'
import { needOf, outputClampFor, outputLimitFor } from '../../../src/domain/quota/need.ts'
import { measurePrompt, probableTokens } from '../../../src/domain/quota/prompt-size.ts'
import { utf8Size } from '../../../src/domain/quota/utf8-size.ts'
import { canAfford, unpricedModelError } from '../../../src/domain/quota/unpriced.ts'
import type { Deployment } from '../../../src/domain/snapshot/compiled-snapshot.ts'
import type { ModelEntry, ProviderType } from '../../../src/domain/snapshot/snapshot.ts'
import { plan } from '../../helpers/quota.ts'

t.test('UTF-8 sizes are those of an encoder', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (wide, narrow) => {
      const text = narrow + wide
      const ascii = text.replace(/[^\0-\x7f]/g, '').length
      const bytes = Buffer.byteLength(text)
      const size = utf8Size(text)
      return size.bytes === bytes && size.wide === bytes - ascii
    }),
  )
  t.strictSame(utf8Size('a\ud800'), { bytes: 4, wide: 3 }, 'half a character')
  t.strictSame(utf8Size('\udc00\ud83d\ude00'), { bytes: 7, wide: 7 })
  // Longer than what is encoded at once, with a character at the seam.
  for (let before = 4090; before <= 4097; before++)
    t.strictSame(utf8Size(`${'a'.repeat(before)}é\u{1f600}b`), { bytes: before + 7, wide: 6 })
})

t.test('every text of a request counts', async (t) => {
  const text = (value: string) => ({ type: 'text', text: value }) as const
  const messages: Message[] = [
    { role: 'system', content: [text('12')] },
    { role: 'user', content: [text('123'), { type: 'document', media: { type: 'text', text: '1234' } }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '12345' },
        { type: 'refusal', text: '123456' },
        { type: 'tool-call', id: 'c', name: 'fn', arguments: '{"a":1}' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', content: [text('1234567')] }] },
  ]
  const tools = [{ name: 'fn', description: 'does', parameters: { type: 'object' } }]
  const responseFormat = { type: 'json-schema', name: 'n', schema: { a: 1 } } as const
  const size = measurePrompt(request({ system: [text('1')], messages, tools, responseFormat }))
  t.equal(size.textBytes, 1 + 2 + 3 + 4 + 5 + 6 + 9 + 7 + 6 + '{"type":"object"}'.length + '{"a":1}'.length)
  t.equal(size.wideBytes, 0)
  t.notOk(size.unmeasurable)
})

t.test('images count by the piece, other media by size or not at all', async (t) => {
  const url = { type: 'url', url: 'https://example.com/a' } as const
  const inline = { type: 'base64', mediaType: 'audio/wav', data: 'A'.repeat(1_600) } as const
  const images = measurePrompt(
    request({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', media: url },
            { type: 'audio', media: inline },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'image', media: url }] }] },
      ],
    }),
  )
  t.match(images, { images: 2, unmeasurable: false, textBytes: 0 })
  const empty = measurePrompt(
    request({
      messages:
        images.images === 2
          ? [
              { role: 'user', content: [] },
              { role: 'tool', content: [] },
            ]
          : [],
    }),
  )
  t.equal(images.overheadTokens - empty.overheadTokens, 100 + 8)
  for (const part of [
    { type: 'audio', media: url },
    { type: 'document', media: url },
  ] as const) {
    t.ok(measurePrompt(request({ messages: [{ role: 'user', content: [part] }] })).unmeasurable)
  }
  const document = { type: 'tool-result', toolCallId: 'c', content: [{ type: 'document', media: url }] } as const
  t.ok(measurePrompt(request({ messages: [{ role: 'tool', content: [document] }] })).unmeasurable)
})

t.test('the bound is that of the dearest tokens, for all choices', async (t) => {
  const prompt = measurePrompt(
    request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(976) }] }] }),
  )
  t.equal(prompt.textBytes + prompt.overheadTokens, 1_000)
  const pricing = { input: 10e9, cacheWrite: 12e9, output: 20e9, reasoning: 30e9, perRequest: 7 }
  const need = needOf(prompt, { maxOutputTokens: 500, choices: 2 }, deployment({ pricing }))
  t.match(need, { inputTokens: 1_000, outputTokens: 1_000, costMicroUsd: 12_000 + 7 + 30_000, open: undefined })
  t.equal(need.rateTokens, 976 / 4 + 24 + 1_000)
})

t.test(
  'a prompt never counts more than the context window, one that cannot be measured counts all of it',
  async (t) => {
    const long = measurePrompt(
      request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(50_000) }] }] }),
    )
    t.equal(needOf(long, { maxOutputTokens: 1 }, deployment({ contextWindow: 8_192 })).inputTokens, 8_192)
    const unknown = { ...long, textBytes: 10, unmeasurable: true }
    t.equal(needOf(unknown, { maxOutputTokens: 1 }, deployment({ contextWindow: 8_192 })).inputTokens, 8_192)
    t.equal(needOf(unknown, { maxOutputTokens: 1 }, deployment({})).inputTokens, 1_048_576)
  },
)

t.test('images are dearer where the vendor says so', async (t) => {
  const prompt = { ...measurePrompt(request({})), images: 1, overheadTokens: 0 }
  const inputOf = (upstreamName: string, type: ProviderType, name = 'm') =>
    needOf(prompt, { maxOutputTokens: 1 }, deployment({ upstreamName, name }, type)).inputTokens
  t.equal(inputOf('gpt-4o-mini-2024-07-18', 'OpenAI'), 48_169)
  t.equal(inputOf('gpt-4o', 'OpenAI'), 6_000)
  t.equal(inputOf('claude-sonnet-4', 'Anthropic'), 6_000)
  t.equal(inputOf('ours', 'AzureOpenAI', 'gpt-4o-mini'), 48_169, 'a deployment of Azure has a name of its own')
  t.equal(inputOf('llava', 'OpenAICompatible', 'gpt-4o-mini'), 6_000)
})

t.test("an answer without a maximum is open up to the model's limit", async (t) => {
  const prompt = measurePrompt(request({}))
  const model = deployment({ maxOutputTokens: 8_192, pricing: { input: 1, output: 5 } })
  t.match(needOf(prompt, { choices: 3 }, model), {
    outputTokens: 0,
    open: { choices: 3, minTokens: 256, maxTokens: 8_192, price: 5 },
  })
  t.match(needOf(prompt, {}, deployment({})), { open: { choices: 1, minTokens: 256, maxTokens: 16_384, price: 0 } })
  t.match(needOf(prompt, {}, deployment({ maxOutputTokens: 100 })), { open: { minTokens: 100, maxTokens: 100 } })
})

t.test('a grant is sent upstream where the model could exceed it', async (t) => {
  t.equal(outputClampFor(deployment({ maxOutputTokens: 4_096 }), 4_096), undefined)
  t.equal(outputClampFor(deployment({ maxOutputTokens: 4_096 }), 4_095), 4_095)
  t.equal(outputClampFor(deployment({}), 16_384), 16_384)
  t.equal(outputLimitFor(deployment({ maxOutputTokens: 4_096 }), 16_384), undefined)
  t.equal(
    outputLimitFor(deployment({ maxOutputTokens: 4_096 }, 'OpenAICompatible'), 16_384),
    4_096,
    'no limit of its own',
  )
  t.equal(outputLimitFor(deployment({ maxOutputTokens: 4_096 }, 'OpenAICompatible'), 300), 300)
})

t.test('estimated usage is flagged, and never above the bound', async (t) => {
  t.strictSame(
    estimateUsage({ textBytes: 40, wideBytes: 0, overheadTokens: 24, images: 1, unmeasurable: false }, 'äöü '),
    {
      usage: { input: 10 + 1_334 + 8, cachedInput: 0, cacheWrite: 0, output: 4, reasoning: 0 },
      estimated: true,
    },
  )
  t.equal(probableTokens(0, 0), 0)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const prompt = measurePrompt(request({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }))
      const { usage } = estimateUsage(prompt, text)
      return (
        usage.input <= needOf(prompt, { maxOutputTokens: 1 }, deployment({})).inputTokens &&
        usage.output <= Buffer.byteLength(text)
      )
    }),
  )
})

t.test('a model without a price is out where a budget blocks, and in where it only warns', async (t) => {
  const [priced, unpriced] = [deployment({ pricing: { input: 0, output: 0 } }), deployment({})]
  const blocking = plan({ project: { budgets: [{}] } })
  t.strictSame([canAfford(priced, blocking), canAfford(unpriced, blocking)], [true, false])
  const soft = plan({ key: { budgets: [{ onExceed: 'Warn' }], tokenQuotas: [{}] } })
  t.strictSame([canAfford(priced, soft), canAfford(unpriced, soft)], [true, true])
  t.match(unpricedModelError('m'), { code: 'unpriced_model', details: { param: 'model' }, message: /"m" has no price/ })
  t.match(unpricedModelError(undefined), { message: /^none of the models that may answer has a price and a budget/ })
})

function request(parts: Partial<CompletionRequest>): CompletionRequest {
  return {
    source: { format: 'chat-completions', document: {} },
    model: undefined,
    stream: false,
    streamUsage: false,
    system: [],
    messages: [],
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    sampling: {},
    responseFormat: undefined,
    reasoning: undefined,
    user: undefined,
    ...parts,
  }
}

function deployment(model: Partial<ModelEntry>, type: ProviderType = 'OpenAI'): Deployment {
  const entry: ModelEntry = {
    name: 'm',
    upstreamName: 'm',
    aliases: [],
    enabled: true,
    quality: 0.5,
    priority: 1,
    weight: 1,
    countries: [],
    capabilities: ['chat'],
    ...model,
  }
  const provider = {
    name: 'p',
    type,
    enabled: true,
    priority: 1,
    weight: 1,
    countries: [],
    endpoint: { allowInsecureHttp: false, headers: {} },
    credentials: { type: 'None' },
    timeouts: { connectMs: 1, firstByteMs: 1, streamIdleMs: 1, totalMs: 1 },
    failover: { retryOnStatus: [], maxAttempts: 1, circuitBreaker: { consecutiveFailures: 1, openForMs: 1 } },
    healthCheck: { mode: 'Passive', intervalMs: 1, timeoutMs: 1, unhealthyThreshold: 1, healthyThreshold: 1 },
    limits: {},
    models: [entry],
  } as const
  return { provider, model: entry, id: 'p/m' }
}
