/** The golden table from the vendor's words to the charge: raw usage objects through the real codecs. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { SseDecoder } from '../../../src/domain/formats/sse.ts'
import { asObject, type JsonObject } from '../../../src/domain/json.ts'
import { chargeOf } from '../../../src/domain/quota/amounts.ts'
import { parseMicroUsd, parsePricePer1M } from '../../../src/domain/quota/money.ts'
import type { Pricing } from '../../../src/domain/snapshot/snapshot.ts'
import { anthropicMessage, chatCompletion, geminiAnswer } from '../../helpers/answers.ts'

interface CostCase {
  readonly name: string
  readonly vendor: 'openai' | 'anthropic' | 'gemini'
  readonly usdPer1M: Readonly<Record<string, string>>
  readonly raw: JsonObject
  readonly costMicroUsd: number
}

const CASES = JSON.parse(
  readFileSync(new URL('../../fixtures/quota/costs.json', import.meta.url), 'utf8'),
) as CostCase[]

const ANSWERS = {
  openai: { format: formatOf('chat-completions'), answer: (usage: JsonObject) => ({ ...chatCompletion('x'), usage }) },
  anthropic: { format: formatOf('messages'), answer: (usage: JsonObject) => ({ ...anthropicMessage('x'), usage }) },
  gemini: {
    format: formatOf('generate-content'),
    answer: (usageMetadata: JsonObject) => ({ ...geminiAnswer('x'), usageMetadata }),
  },
}

t.test('every vendor is in the table', async (t) => {
  t.strictSame([...new Set(CASES.map(({ vendor }) => vendor))].toSorted(), ['anthropic', 'gemini', 'openai'])
})

for (const { name, vendor, usdPer1M, raw, costMicroUsd } of CASES) {
  const { format, answer } = ANSWERS[vendor]

  t.test(`costs of a whole answer: ${name}`, async (t) => {
    const { usage } = format.parseResult(answer(raw))
    t.ok(usage)
    if (usage !== undefined) t.equal(chargeOf(usage, pricingOf(usdPer1M)).costMicroUsd, costMicroUsd)
  })

  t.test(`costs of a stream: ${name}`, async (t) => {
    const decoder = format.createStreamDecoder()
    const parser = new SseDecoder()
    const events = parser.push(Buffer.from(streamOf(vendor, raw)))
    const usages = events
      .flatMap((event) => [...decoder.push(event)])
      .concat([...decoder.end()])
      .flatMap((part) => (part.type === 'usage' ? [part.usage] : []))
    const last = usages.at(-1)
    t.ok(last)
    if (last !== undefined) t.equal(chargeOf(last, pricingOf(usdPer1M)).costMicroUsd, costMicroUsd)
  })
}

t.test('a number that no call can have is charged as the largest one that can be counted', async (t) => {
  const { usage } = ANSWERS.openai.format.parseResult(
    ANSWERS.openai.answer({ prompt_tokens: 1e300, completion_tokens: 1e300, total_tokens: 1 }),
  )
  t.ok(usage)
  if (usage === undefined) return
  const charge = chargeOf(usage, pricingOf({ input: '9007199', output: '1' }))
  for (const amount of Object.values(charge)) t.ok(Number.isSafeInteger(amount) || amount <= 2 ** 54, String(amount))
})

/** The vendor's own way: Anthropic tells the prompt at the start and the answer at the end. */
function streamOf(vendor: CostCase['vendor'], raw: JsonObject): string {
  switch (vendor) {
    case 'openai':
      return (
        sse({
          ...chunk(),
          choices: [{ index: 0, delta: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
        }) +
        sse({ ...chunk(), choices: [], usage: raw }) +
        'data: [DONE]\n\n'
      )
    case 'anthropic': {
      const message = asObject(anthropicMessage('x')) ?? {}
      const { output_tokens, ...prompt } = raw
      return [
        {
          type: 'message_start',
          message: { ...message, content: [], stop_reason: null, usage: { ...prompt, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens } },
        { type: 'message_stop' },
      ]
        .map((event) => `event: ${event.type}\n${sse(event)}`)
        .join('')
    }
    case 'gemini':
      return sse({ ...geminiAnswer('x'), usageMetadata: raw })
    default:
      return vendor satisfies never
  }
}

function chunk() {
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
}

function sse(document: JsonObject): string {
  return `data: ${JSON.stringify(document)}\n\n`
}

function pricingOf({ perRequest, ...prices }: Readonly<Record<string, string>>): Pricing {
  const parsed = Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, parsePricePer1M(price)]))
  const { input = 0, output = 0, ...rest } = parsed
  return { input, output, ...rest, ...(perRequest === undefined ? {} : { perRequest: parseMicroUsd(perRequest) }) }
}
