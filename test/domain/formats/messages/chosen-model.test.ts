import t from 'tap'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'

const ask = { role: 'user', content: 'Hello' }
const BUDGET = 'claude-sonnet-4-5'
const EFFORT = 'claude-opus-4-8'
const NONE = 'claude-3-5-haiku-latest'

function sent(fields: JsonObject, model: string, maxOutputTokens?: number) {
  const request = messages.parseRequest({ model: 'auto', max_tokens: 20_000, messages: [ask], ...fields }, {})
  const target = { model, provider: 'anthropic', maxOutputTokens, defaultMaxOutputTokens: undefined, stream: false }
  const { document, warnings } = messages.renderRequest(request, target)
  const { model: _model, messages: _messages, max_tokens: _limit, ...rest } = document
  return { rest, fields: warnings.map(({ field }) => field) }
}

t.test('thinking is asked for as the model thinks that the gateway has chosen', async (t) => {
  const budget = { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } }
  const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'high', x: 1 } }
  t.strictSame(sent(budget, BUDGET).rest, budget)
  t.strictSame(sent(budget, EFFORT), {
    rest: { thinking: { display: 'summarized', type: 'adaptive' }, output_config: { effort: 'low' } },
    fields: ['reasoning.budget'],
  })
  t.strictSame(sent(budget, NONE), { rest: {}, fields: ['reasoning'] })
  t.strictSame(sent(adaptive, EFFORT).rest, adaptive)
  t.strictSame(sent(adaptive, BUDGET).rest, {
    thinking: { type: 'enabled', budget_tokens: 16_000 },
    output_config: { x: 1 },
  })
  const sampled = { ...adaptive, temperature: 0, top_k: 5 }
  t.strictSame(sent(sampled, BUDGET), {
    rest: { thinking: { type: 'enabled', budget_tokens: 16_000 }, output_config: { x: 1 } },
    fields: ['reasoning', 'output_config.effort', 'temperature', 'top_k'],
  })
  t.strictSame(sent({ ...sampled, top_k: null, temperature: 1 }, BUDGET).rest.temperature, 1)
  t.strictSame(sent({ ...budget, temperature: 0 }, BUDGET).rest, { ...budget, temperature: 0 }, "the client's own")
  t.strictSame(sent(adaptive, BUDGET, 5000).rest.thinking, { type: 'enabled', budget_tokens: 4000 })
  t.strictSame(sent(adaptive, BUDGET, 1000).rest.thinking, undefined)
  t.strictSame(sent({ thinking: { type: 'disabled' } }, NONE).rest, { thinking: { type: 'disabled' } })
})

t.test('who names the model, or gets that of another vendor, is left alone', async (t) => {
  const asked = {
    temperature: 0.5,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    output_config: { effort: 'low' },
  }
  for (const model of [EFFORT, `anthropic/${EFFORT}`])
    t.strictSame(sent({ ...asked, model }, EFFORT), { rest: asked, fields: [] })
  for (const model of ['glm-4.6', 'claude-mock']) t.strictSame(sent(asked, model), { rest: asked, fields: [] })
})

t.test('sampling is left out where the model refuses it', async (t) => {
  const asked = { temperature: 0.5, top_p: 0.9, top_k: 5, stop_sequences: ['x'] }
  t.strictSame(sent(asked, 'claude-sonnet-4-20250514'), { rest: asked, fields: [] })
  for (const model of [BUDGET, 'claude-opus-4-1-20250805', 'claude-sonnet-4-6']) {
    const { top_p: _topP, ...rest } = asked
    t.strictSame(sent(asked, model), { rest, fields: ['top_p'] }, 'not beside a temperature')
  }
  t.strictSame(sent({ top_p: 0.9 }, BUDGET).rest, { top_p: 0.9 })
  t.strictSame(sent(asked, EFFORT), { rest: { stop_sequences: ['x'] }, fields: ['temperature', 'top_p', 'top_k'] })
  const effort = { output_config: { effort: 'low' } }
  t.strictSame(sent(effort, BUDGET), { rest: {}, fields: ['output_config.effort'] })
  t.strictSame(sent(effort, 'claude-opus-4-5-20251101'), { rest: effort, fields: [] }, 'one takes both')
})

t.test('an effort that the model lacks becomes its highest', async (t) => {
  const effort = (word: string, model: string) => sent({ output_config: { effort: word } }, model).rest.output_config
  t.strictSame(effort('xhigh', 'claude-opus-4-7'), { effort: 'xhigh' })
  t.strictSame(effort('xhigh', 'claude-sonnet-4-6'), { effort: 'max' })
  t.strictSame(effort('max', 'claude-opus-4-5'), { effort: 'high' })
  t.strictSame(effort('ultra', 'claude-opus-4-5'), { effort: 'ultra' }, 'a newer word')
  t.strictSame(sent({ output_config: { effort: 'max' } }, 'claude-opus-4-5').fields, ['output_config.effort'])
})

t.test('a model that cannot stop thinking is told to think least', async (t) => {
  const disabled = { thinking: { type: 'disabled' } }
  const least = { rest: { output_config: { effort: 'low' } }, fields: ['reasoning'] }
  for (const model of ['claude-fable-5', 'claude-mythos-preview', 'claude-opus-5-5', 'anthropic/claude-opus-5.5'])
    t.strictSame(sent(disabled, model), least)
  for (const model of [EFFORT, 'claude-opus-5-20260724', 'claude-sonnet-5', 'claude-haiku-5-5'])
    t.strictSame(sent(disabled, model), { rest: disabled, fields: [] })
  const between = { thinking: { type: 'between_tools' } }
  t.strictSame(sent(disabled, 'claude-sonnet-5-5'), { rest: between, fields: ['thinking'] })
  t.strictSame(sent(between, 'claude-sonnet-5-5'), { rest: between, fields: [] })
  t.strictSame(sent(between, 'claude-sonnet-5'), { rest: disabled, fields: [] })
  t.strictSame(sent(between, 'claude-opus-5-5'), least)
})

t.test('without thinking the newest models take no effort above high', async (t) => {
  const config = (effort: string) => ({ output_config: { effort } })
  const asked = { thinking: { type: 'disabled' }, ...config('max') }
  const fields = ['output_config.effort']
  t.strictSame(sent(asked, 'claude-opus-5'), { rest: { ...asked, ...config('high') }, fields })
  t.strictSame(sent(asked, 'claude-sonnet-5-5').rest, { thinking: { type: 'between_tools' }, ...config('high') })
  for (const model of ['claude-sonnet-5', 'claude-opus-4-8']) t.strictSame(sent(asked, model).rest, asked)
  t.strictSame(sent(config('max'), 'claude-opus-5'), { rest: config('max'), fields: [] })
})

t.test('a model that cannot be made to call a tool may call it', async (t) => {
  const tools = [
    { name: 'f', input_schema: {} },
    { name: 'g', input_schema: {} },
  ]
  const any = { tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } }
  const one = { tools, tool_choice: { type: 'tool', name: 'g' } }
  for (const model of ['claude-opus-5-5', 'claude-sonnet-5.5', 'claude-fable-5-1', 'claude-5.5-sonnet']) {
    const rest = { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
    t.strictSame(sent(any, model), { rest, fields: ['tool_choice'] }, model)
    t.strictSame(sent(one, model).rest, { tools: tools.slice(1), tool_choice: { type: 'auto' } }, model)
  }
  for (const model of ['claude-opus-5', 'claude-sonnet-5', 'claude-fable-5', 'claude-haiku-5-5', BUDGET])
    t.strictSame(sent(any, model), { rest: any, fields: [] }, model)
  t.strictSame(sent({ ...one, model: 'claude-opus-5-5' }, 'claude-opus-5-5').rest, one, 'who names it is told')
})

t.test('a model that takes no schemas is told of it in words', async (t) => {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const format = { type: 'json_schema', schema }
  const tools = [
    { name: 'f', input_schema: schema, strict: true },
    { name: 'g', input_schema: {} },
  ]
  const asked = { output_config: { format }, tools, system: 'Be kind.' }
  for (const model of ['claude-sonnet-4-20250514', 'claude-opus-4-0', 'claude-3-7-sonnet-latest', NONE]) {
    const { rest, fields } = sent(asked, model)
    t.strictSame(fields, ['output_config.format', 'tools[0].strict'], model)
    t.strictSame(
      [rest.output_config, rest.tools],
      [
        undefined,
        [
          { name: 'f', input_schema: schema },
          { name: 'g', input_schema: {} },
        ],
      ],
    )
    t.match(rest.system, /^Be kind\.\n\n.*JSON schema: \{"type":"object"/)
  }
  for (const model of ['claude-opus-4-1-20250805', BUDGET, EFFORT]) t.strictSame(sent(asked, model).rest, asked)
  t.strictSame(sent({ output_format: format }, NONE).rest.output_format, undefined)
})
