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
  for (const model of ['claude-fable-5', 'claude-mythos-preview']) t.strictSame(sent(disabled, model), least)
  t.strictSame(sent(disabled, EFFORT), { rest: disabled, fields: [] })
})
