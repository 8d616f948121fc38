import t from 'tap'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]

function sent(thinking: JsonObject, model: string, named = 'auto') {
  const document = { contents, generation_config: { top_k: 1, thinkingConfig: thinking } }
  const request = generateContent.parseRequest(document, { model: named })
  const target = {
    model,
    provider: 'gemini',
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: undefined,
    stream: false,
  }
  const rendered = generateContent.renderRequest(request, target)
  return {
    config: rendered.document.generation_config,
    isSame: rendered.document === document,
    fields: rendered.warnings.map(({ field }) => field),
  }
}

t.test('thinking is asked for as the model takes it that the gateway has chosen', async (t) => {
  const high = { thinkingLevel: 'high', includeThoughts: false }
  t.strictSame(sent(high, 'gemini-2.5-flash'), {
    config: { top_k: 1, thinkingConfig: { includeThoughts: false, thinkingBudget: 24_576 } },
    isSame: false,
    fields: [],
  })
  t.strictSame(sent(high, 'gemini-2.0-flash'), { config: { top_k: 1 }, isSame: false, fields: ['reasoning'] })
  t.match(sent({ thinking_budget: 0 }, 'gemini-2.5-pro').config, { thinkingConfig: { thinking_budget: 128 } })
  t.match(sent({ thinkingBudget: 30_000 }, 'gemini-2.5-flash'), {
    config: { thinkingConfig: { thinkingBudget: 24_576 } },
    fields: ['reasoning.budget'],
  })
  t.strictSame(sent({ thinkingBudget: 0 }, 'gemini-2.0-flash').fields, [])
})

t.test('what the model takes, or may take, goes on as it came, and so does what its name was given for', async (t) => {
  for (const [thinking, model, named] of [
    [{ thinkingLevel: 'high' }, 'gemini-3-pro-preview'],
    [{ thinkingBudget: 0 }, 'gemini-3-flash'],
    [{ thinkingBudget: 100 }, 'gemini-2.5-flash'],
    [{ thinkingBudget: -1 }, 'gemini-2.5-pro'],
    [{ includeThoughts: true }, 'gemini-2.5-pro'],
    [{ thinkingLevel: 'high' }, 'mock'],
    [{ thinkingLevel: 'high' }, 'gemini-2.5-flash', 'gemini-2.5-flash'],
    [{ thinkingLevel: 'high' }, 'gemini-2.5-flash', 'gemini/gemini-2.5-flash'],
  ] as const)
    t.strictSame(sent(thinking, model, named).isSame, true, `${JSON.stringify(thinking)} ${model}`)
})
