import t from 'tap'
import { renderEffort } from '../../../../src/domain/formats/chat-completions/reasoning-translate.ts'
import type { Reasoning, TranslationWarning } from '../../../../src/domain/completion/request.ts'

function sent(reasoning: Reasoning, model: string): [string | undefined, number] {
  const warnings: TranslationWarning[] = []
  return [renderEffort(reasoning, model, warnings), warnings.length]
}

t.test('a model that does not reason is not asked to, with a warning', async (t) => {
  const names = ['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'gpt-5-chat-latest', 'openai/gpt-4o', 'chatgpt-4o-latest']
  const others = [
    'meta-llama/Llama-3.3-70B',
    'llama3.1:8b',
    'mistral-large-latest',
    'mistral-small-2506',
    'magistral-medium-latest',
    'qwen2.5-coder',
    'google/gemma-3',
  ]
  const groks = [
    'grok-3',
    'grok-4',
    'grok-4-0709',
    'x-ai/grok-4.1-fast',
    'grok-4.20-0309-reasoning',
    'grok-code-fast-1',
  ]
  for (const name of [...names, ...others, ...groks]) {
    t.strictSame(sent({ effort: 'high' }, name), [undefined, 1], name)
    t.strictSame(sent({ effort: 'none' }, name), [undefined, 0], `${name}: nothing is lost`)
  }
})

t.test('every model gets a word that it takes', async (t) => {
  const table: [string, Reasoning['effort'], string | undefined, number][] = [
    ['o3-mini', 'minimal', 'low', 1],
    ['o4-mini', 'none', undefined, 1],
    ['gpt-5', 'none', 'minimal', 1],
    ['gpt-5-mini', 'minimal', 'minimal', 0],
    ['gpt-5', 'xhigh', 'high', 1],
    ['gpt-5.1', 'none', 'none', 0],
    ['gpt-5.1', 'minimal', 'none', 1],
    ['gpt-5.2', 'xhigh', 'xhigh', 0],
    ['gpt-6-sol', 'none', 'none', 0],
    ['gpt-6-luna', 'xhigh', 'xhigh', 0],
    ['gpt-6-luna', 'minimal', 'none', 1],
    ['gpt-6-astra', 'none', 'low', 1],
    ['gpt-6-astra-2026-09-03', 'xhigh', 'xhigh', 0],
    ['openai/gpt-6.1-sol', 'none', 'low', 1],
    ['gpt-6-chat-latest', 'high', undefined, 1],
    ['gpt-35-turbo', 'high', undefined, 1],
    ['deepseek-reasoner', 'xhigh', 'high', 1],
    ['deepseek-reasoner', 'none', undefined, 1],
    ['my-own-model', 'medium', 'medium', 0],
    ['grok-3-mini', 'medium', 'low', 1],
    ['grok-3-mini', 'high', 'high', 0],
    ['grok-4.3', 'medium', 'medium', 0],
    ['grok-4.5', 'high', 'high', 0],
    ['grok-4.5', 'xhigh', 'high', 1],
    ['grok-4.6', 'xhigh', 'xhigh', 0],
    ['x-ai/grok-4.6', 'none', 'low', 1],
    ['mistral-small-latest', 'high', 'high', 0],
    ['mistral-small-2603', 'low', 'high', 1],
    ['mistralai/mistral-medium-3-5', 'xhigh', 'high', 1],
    ['mistral-medium-latest', 'none', 'none', 0],
    ['mistral-large-4-0', 'medium', 'medium', 0],
    ['x-ai/grok-4.20-multi-agent', 'low', 'low', 0],
    ['qwen3-32b', 'high', 'high', 0],
  ]
  for (const [model, effort, word, warnings] of table) {
    t.strictSame(sent(effort === undefined ? {} : { effort }, model), [word, warnings], `${model} ${effort}`)
  }
})

t.test('a budget becomes a word, with a warning', async (t) => {
  t.strictSame(sent({ budgetTokens: 1024 }, 'm'), ['low', 1])
  t.strictSame(sent({ budgetTokens: 8192 }, 'm'), ['medium', 1])
  t.strictSame(sent({ budgetTokens: 32_000 }, 'm'), ['high', 1])
  t.strictSame(sent({ budgetTokens: 0 }, 'gpt-5.2'), ['none', 1])
})
