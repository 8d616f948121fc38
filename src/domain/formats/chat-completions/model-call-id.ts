/**
 * Ids of tool calls as a model takes them. Mistral's API, and servers that use its tokenizer for its models, refuse every id
 * but nine letters and digits, OpenAI those of more than 40 characters, as vLLM makes them; all others take any.
 * @see https://github.com/mistralai/mistral-common
 */
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { isOpenAi } from './model-traits.ts'

const MISTRAL = /(?:^|[^a-z])(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)/i

const MISTRAL_ID = /^[A-Za-z0-9]{9}$/
const MISTRAL_LENGTH = 9

const LONGEST_OPENAI_ID = 40

/** The id for the model that a provider knows by `model`: itself where it is taken, else one made of it. */
export function callIdFor(id: string, model: string): string {
  if (MISTRAL.test(model)) return MISTRAL_ID.test(id) ? id : digest(id)
  if (id.length <= LONGEST_OPENAI_ID || !isOpenAi(model)) return id
  return `${id.slice(0, LONGEST_OPENAI_ID - MISTRAL_LENGTH - 1)}_${digest(id)}`
}

/** The messages of a document with ids as the model takes them; undefined where all are so. Calls of one id keep one. */
export function messagesWithCallIds(messages: JsonValue | undefined, model: string): JsonValue[] | undefined {
  if (!MISTRAL.test(model) && !isOpenAi(model)) return undefined
  const list = asArray(messages)
  const renamed = list.map((message) => withCallIds(message, model))
  return renamed.every((message, index) => message === list[index]) ? undefined : renamed
}

function withCallIds(value: JsonValue, model: string): JsonValue {
  const message = asObject(value)
  if (message?.role === 'tool') return withId(message, 'tool_call_id', model)
  const calls = message?.role === 'assistant' ? asArray(message.tool_calls) : []
  const renamed = calls.map((call) => withId(asObject(call) ?? call, 'id', model))
  return renamed.every((call, index) => call === calls[index]) ? value : { ...message, tool_calls: renamed }
}

function withId<Value extends JsonValue>(holder: Value, field: string, model: string): Value | JsonObject {
  const object = asObject(holder)
  const id = asString(object?.[field])
  const own = id && callIdFor(id, model)
  return own === id || own === undefined ? holder : { ...object, [field]: own }
}

/** Two of FNV-1a's 32 bits, of which nine characters hold 46: they must differ, not withstand anyone. */
function digest(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000197)
  }
  const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
  return bits.toString(36).padStart(MISTRAL_LENGTH, '0').slice(-MISTRAL_LENGTH)
}
