/** Conversations with calls in any order that OpenAI takes, for a vendor that takes but one: calls in a content, their results in the next. */
import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { renderRequestFor } from '../../../../src/domain/formats/registry.ts'
import { asArray, asObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.ts'
import { seeded, type Seeded } from '../../../fixtures/masking/seeded.ts'

const CONVERSATIONS = 1_000
const TARGET = { model: 'gemini-3-pro', maxOutputTokens: 100, defaultMaxOutputTokens: undefined, stream: false }

t.test(
  'whatever stands between calls and results, the vendor gets them paired, and every text in its order',
  async (t) => {
    const random = seeded(5)
    for (let round = 0; round < CONVERSATIONS; round++) {
      const messages = conversation(random)
      const request = chatCompletions.parseRequest({ messages })
      const { document } = renderRequestFor('generate-content', request, TARGET)
      const contents = asArray(document.contents).map((content) => asArray(asObject(content)?.parts))
      const wrong = contents.flatMap((parts, index) => faultsOf(parts, contents[index + 1] ?? []))
      const said = messages.flatMap(({ role, content }) =>
        role === 'user' || role === 'assistant' ? (content ?? []) : [],
      )
      const texts = contents.flat().flatMap((part) => asObject(part)?.text ?? [])
      if (wrong.length > 0 || said.join() !== texts.join())
        t.strictSame([wrong, texts], [[], said], JSON.stringify(messages))
    }
  },
)

/** Steps of up to three calls, in one message or two, their results in any order, with what others say between. */
function conversation(random: Seeded): JsonObject[] {
  const messages: JsonObject[] = []
  const user = () => messages.push({ role: 'user', content: `text ${messages.length}` })
  const chance = (of: number) => random.below(of) === 0
  user()
  for (let step = random.below(4); step >= 0; step--) {
    const calls = Array.from({ length: random.below(4) }, (_, index) => call(`${messages.length}.${index}`, random))
    const first = calls.slice(0, chance(3) ? 1 : 3)
    messages.push({
      role: 'assistant',
      content: `text ${messages.length}`,
      ...(first.length > 0 ? { tool_calls: first } : {}),
    })
    if (chance(6)) messages.push({ role: 'system', content: 'Be brief.' })
    const others = calls.slice(first.length)
    if (others.length > 0) messages.push({ role: 'assistant', content: null, tool_calls: others })
    while (calls.length > 0) {
      const [{ id } = { id: '' }] = calls.splice(random.below(calls.length), 1)
      if (chance(6)) user()
      if (chance(6)) messages.push({ role: 'system', content: 'Be brief.' })
      messages.push({ role: 'tool', tool_call_id: id, content: `of ${id}` })
    }
    user()
  }
  return messages
}

function call(id: string, random: Seeded) {
  return {
    id,
    type: 'function',
    function: { name: random.pick(['f', 'g']), arguments: random.pick(['', '{}', '{"x":1}']) },
  }
}

function faultsOf(parts: readonly JsonValue[], next: readonly JsonValue[]): string[] {
  const calls = fields(parts, 'functionCall')
  const results = fields(next, 'functionResponse')
  if (calls.length !== results.length) return [`${calls.length} calls, ${results.length} results`]
  const signed = parts.filter((part) => asObject(part)?.thoughtSignature !== undefined).length
  if (signed !== Math.min(calls.length, 1)) return [`${signed} signatures`]
  return calls.flatMap(({ id, name }) => {
    const result = results.find((one) => one.id === id)
    return result?.name === name && asObject(result?.response)?.output === `of ${String(id)}` ? [] : [String(id)]
  })
}

function fields(parts: readonly JsonValue[], name: string): JsonObject[] {
  return parts.flatMap((part) => {
    const field = asObject(asObject(part)?.[name])
    return field === undefined ? [] : [field]
  })
}
