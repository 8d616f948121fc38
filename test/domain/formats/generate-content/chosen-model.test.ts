import t from 'tap'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { asArray, asObject, type JsonObject } from '../../../../src/domain/json.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]

const tools = [{ functionDeclarations: [{ name: 'f' }] }]

function sent(thinking: JsonObject, model: string, named = 'auto') {
  return sentWith({ thinkingConfig: thinking }, model, named)
}

function sentWith(config: JsonObject, model: string, named = 'auto', more: JsonObject = {}) {
  const document = { contents, generation_config: { top_k: 1, ...config }, ...more }
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
  t.match(sent({ thinking_budget: 0 }, 'gemini-2.5-pro'), {
    config: { thinkingConfig: { thinking_budget: 128 } },
    fields: ['reasoning.budget'],
  })
  t.match(sent({ thinkingBudget: 30_000 }, 'gemini-2.5-flash'), {
    config: { thinkingConfig: { thinkingBudget: 24_576 } },
    fields: ['reasoning.budget'],
  })
  t.strictSame(sent({ thinkingBudget: 0 }, 'gemini-2.0-flash').fields, [])
  const shown = { config: { top_k: 1 }, isSame: false, fields: ['reasoning'] }
  t.strictSame(sent({ include_thoughts: true }, 'gemini-2.0-flash'), shown)
  t.strictSame(sent({ includeThoughts: false }, 'gemini-2.0-flash'), { ...shown, fields: [] })
})

t.test('what the model takes, or may take, goes on as it came, and so does what its name was given for', async (t) => {
  for (const [thinking, model, named] of [
    [{ thinkingLevel: 'high' }, 'gemini-3-pro-preview'],
    [{ thinkingBudget: 0 }, 'gemini-3-flash'],
    [{ thinkingBudget: 100 }, 'gemini-2.5-flash'],
    [{ thinkingBudget: -1 }, 'gemini-2.5-pro'],
    [{ thinkingLevel: 'medium' }, 'gemini-3.1-pro-preview'],
    [{ thinkingLevel: 'ultra' }, 'gemini-3.8-flash'],
    [{ thinkingBudget: 200 }, 'gemini-3-pro-preview'],
    [{ includeThoughts: true }, 'gemini-2.5-pro'],
    [{ thinkingLevel: 'high' }, 'mock'],
    [{ thinkingLevel: 'high' }, 'gemini-2.5-flash', 'gemini-2.5-flash'],
    [{ thinkingLevel: 'high' }, 'gemini-2.5-flash', 'gemini/gemini-2.5-flash'],
  ] as const)
    t.strictSame(sent(thinking, model, named).isSame, true, `${JSON.stringify(thinking)} ${model}`)
})

t.test('levels and budgets that a model lacks become its nearest', async (t) => {
  const fitted = (thinking: JsonObject, model: string) => {
    const config = sent(thinking, model).config as JsonObject | undefined
    return config?.thinkingConfig
  }
  t.strictSame(fitted({ thinking_level: 'MINIMAL' }, 'gemini-3-pro-preview'), { thinking_level: 'LOW' })
  t.strictSame(sent({ thinkingLevel: 'MINIMAL' }, 'gemini-3-pro-preview').fields, ['reasoning'])
  t.strictSame(fitted({ thinkingLevel: 'MINIMAL' }, 'gemini-3.8-flash'), { thinkingLevel: 'LOW' })
  t.strictSame(fitted({ thinkingLevel: 'MINIMAL' }, 'gemini-3.8-flash-lite'), { thinkingLevel: 'MINIMAL' })
  t.strictSame(fitted({ thinkingLevel: 'MEDIUM' }, 'gemini-3-pro-preview'), { thinkingLevel: 'HIGH' })
  t.strictSame(sent({ thinkingLevel: 'MEDIUM' }, 'gemini-3-pro-preview').fields, ['reasoning'])
  t.strictSame(fitted({ thinkingBudget: 0 }, 'gemini-3.1-pro-preview'), { thinkingLevel: 'LOW' })
  t.strictSame(fitted({ thinkingBudget: 100 }, 'gemini-2.5-pro'), { thinkingBudget: 128 })
  t.strictSame(fitted({ thinkingBudget: 100 }, 'gemini-2.5-flash-lite'), { thinkingBudget: 512 })
  t.strictSame(fitted({ thinkingBudget: 30_000 }, 'gemini-3-flash'), { thinkingBudget: 24_576 })
})

t.test('penalties, and JSON beside functions, are left out where the model refuses them', async (t) => {
  const penalties = { frequency_penalty: 0.5, presencePenalty: 0 }
  t.match(sentWith(penalties, 'gemini-2.5-flash'), {
    config: { frequency_penalty: undefined, presencePenalty: 0 },
    fields: ['frequency_penalty'],
  })
  t.ok(sentWith(penalties, 'gemini-2.0-flash').isSame)
  t.ok(sentWith(penalties, 'gemini-2.5-flash', 'gemini-2.5-flash').isSame)
  const form = { response_mime_type: 'application/json', responseSchema: { type: 'OBJECT' } }
  t.strictSame(sentWith(form, 'gemini-2.5-flash', 'auto', { tools }), {
    config: { top_k: 1 },
    isSame: false,
    fields: ['responseMimeType'],
  })
  t.ok(sentWith(form, 'gemini-2.5-flash').isSame)
  t.ok(sentWith(form, 'gemini-3-flash', 'auto', { tools }).isSame)
})

t.test('Gemini 4 takes a level, no budget, and one candidate', async (t) => {
  const model = 'gemini-4-neon'
  const fitted = (config: JsonObject) => sentWith(config, model)
  const thinking = (thinkingConfig: JsonObject) => {
    const { config, fields } = fitted({ thinkingConfig })
    return [(config as JsonObject | undefined)?.thinkingConfig, ...fields]
  }
  t.strictSame(thinking({ thinkingBudget: 5000, includeThoughts: true }), [
    { includeThoughts: true, thinkingLevel: 'MEDIUM' },
    'reasoning.budget',
  ])
  t.strictSame(thinking({ thinkingBudget: 1024 }), [{ thinkingLevel: 'LOW' }, 'reasoning.budget'])
  t.strictSame(thinking({ thinkingBudget: 30_000 }), [{ thinkingLevel: 'HIGH' }, 'reasoning.budget'])
  t.strictSame(thinking({ thinkingBudget: 0 }), [{ thinkingLevel: 'LOW' }, 'reasoning'])
  t.strictSame(thinking({ thinkingBudget: -1 }), [{}])
  t.strictSame(thinking({ thinkingLevel: 'MINIMAL' }), [{ thinkingLevel: 'LOW' }, 'reasoning'])
  t.strictSame(thinking({ thinkingLevel: 'MEDIUM' }), [{ thinkingLevel: 'MEDIUM' }])
  t.strictSame(fitted({ candidateCount: 2 }), { config: { top_k: 1 }, isSame: false, fields: ['candidateCount'] })
  t.strictSame(sentWith({ candidateCount: 2 }, 'gemini-3-flash').isSame, true)
})

t.test(
  "the model's own last word is followed by the user's where the gateway chose a model that refuses it",
  async (t) => {
    const model = 'gemini-3.6-flash'
    const rendered = (document: JsonObject, named: string, chosen = model) =>
      generateContent.renderRequest(generateContent.parseRequest(document, { model: named }), {
        model: chosen,
        provider: 'gemini',
        maxOutputTokens: undefined,
        defaultMaxOutputTokens: undefined,
        stream: false,
      })
    const source = { contents: [...contents, { role: 'model', parts: [{ text: '{' }] }] }
    for (const named of ['auto', 'gemini-2.5-flash', 'other/gemini-3.6-flash']) {
      const { document, warnings } = rendered(source, named)
      t.strictSame(document, { contents: [...source.contents, { role: 'user', parts: [{ text: '(Continue.)' }] }] })
      t.match(warnings, [{ field: 'contents[1]' }])
    }
    t.equal(rendered(source, model).document, source, 'who named it reads what its vendor says')
    t.equal(rendered(source, 'gemini/gemini-3.6-flash').document, source)
    t.equal(rendered(source, 'auto', 'gemini-3.5-flash').document, source)
    const called = { contents: [...contents, { role: 'model', parts: [{ function_call: { name: 'f' } }] }] }
    t.strictSame(roles(rendered(called, 'auto').document), ['user', 'model'])
    t.strictSame(roles(rendered({ ...source, contents: source.contents[1] } as JsonObject, 'auto').document), [
      'model',
      'user',
    ])
  },
)

function roles(document: JsonObject) {
  return asArray(document.contents).map((content) => asObject(content)?.role)
}
