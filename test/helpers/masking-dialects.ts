/** The three wire formats as the masking matrix needs them: a request with a text in one place, an answer, what a client reads. */
import type { JsonObject, JsonValue } from '../../src/domain/json.ts'
import { anthropicMessage, anthropicStream, chatCompletion, chatStream, geminiAnswer, sse } from './answers.ts'

export type Place =
  | 'system'
  | 'message'
  | 'parts'
  | 'tool description'
  | 'tool parameter'
  | 'tool arguments'
  | 'tool result'
  | 'document'

export interface Answer {
  readonly text: string
  readonly input: unknown
}

export interface Dialect {
  /** The body of a request that has `text` at the place, and `other` everywhere else; undefined where the format has no such place. */
  request(place: Place, text: string, model: string): JsonObject | undefined
  /**
   * What a provider answers: a text, and a tool call with this input.
   * @param written the input's JSON where it is sent as text; absent: as `JSON.stringify` writes it
   */
  whole(text: string, input: JsonObject, written?: string): JsonObject
  /** The same as events, cut into pieces of a few characters. */
  events(text: string, input: JsonObject, written?: string): string[]
  read(document: JsonObject): Answer
  readEvents(events: readonly JsonObject[]): Answer
}

const OTHER = 'other words'
const PIECE = 7

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? []
}

/** Values and names where texts are nested, escaped and beside others. */
export function inputOf(text: string): JsonObject {
  return {
    n: 1,
    list: [{ deep: `line\n${text}\tend "quoted" \\ é` }],
    [OTHER]: [text],
    names: { [text]: 1, [`to ${text}`]: [{ [text]: text }] },
  }
}

const schemaOf = (description: string): JsonObject => ({
  type: 'object',
  properties: { to: { type: 'string', description } },
})

/** Reads a value of outside data by its path; undefined where it is not there. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  )
}

const textAt = (value: unknown, ...path: (string | number)[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

const listAt = (value: unknown, ...path: (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const chat: Dialect = {
  request(place, text, model) {
    if (place === 'document') return undefined
    const put = (here: Place): string => (place === here ? text : OTHER)
    const parts = [
      { type: 'text', text: put('parts') },
      { type: 'text', text: OTHER },
    ]
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'f', arguments: JSON.stringify(inputOf(put('tool arguments'))) },
    }
    return {
      model,
      messages: [
        { role: 'system', content: put('system') },
        { role: 'user', content: put('message') },
        { role: 'user', content: parts },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: put('tool result') },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: put('tool description'), parameters: schemaOf(put('tool parameter')) },
        },
      ],
    }
  },
  whole(text, input, written = JSON.stringify(input)) {
    const call = { id: 'c2', type: 'function', function: { name: 'f', arguments: written } }
    const message = { role: 'assistant', content: text, tool_calls: [call] }
    return { ...chatCompletion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  },
  events(text, input, written = JSON.stringify(input)) {
    const [start = '', ...rest] = chatStream(pieces(text))
    const delta = (fields: JsonObject): string =>
      sse({
        id: 'chatcmpl-test',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...fields }] }, logprobs: null, finish_reason: null }],
      })
    const end = rest.splice(-3)
    return [
      start,
      ...rest,
      delta({ id: 'c2', type: 'function', function: { name: 'f', arguments: '' } }),
      ...pieces(written).map((piece) => delta({ function: { arguments: piece } })),
      ...end,
    ]
  },
  read(document) {
    const message = at(document, 'choices', 0, 'message')
    return {
      text: textAt(message, 'content'),
      input: JSON.parse(textAt(message, 'tool_calls', 0, 'function', 'arguments')),
    }
  },
  readEvents(events) {
    const deltas = events.map((event) => at(event, 'choices', 0, 'delta'))
    return {
      text: deltas.map((delta) => textAt(delta, 'content')).join(''),
      input: JSON.parse(deltas.map((delta) => textAt(delta, 'tool_calls', 0, 'function', 'arguments')).join('')),
    }
  },
}

export const messages: Dialect = {
  request(place, text, model) {
    const put = (here: Place): string => (place === here ? text : OTHER)
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: put('document') } }
    const result = {
      type: 'tool_result',
      tool_use_id: 't1',
      content: [{ type: 'text', text: put('tool result') }],
    }
    return {
      model,
      max_tokens: 50,
      system: [{ type: 'text', text: put('system') }],
      messages: [
        { role: 'user', content: put('message') },
        { role: 'assistant', content: OTHER },
        { role: 'user', content: [{ type: 'text', text: put('parts') }, ...(place === 'document' ? [document] : [])] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'f', input: inputOf(put('tool arguments')) }],
        },
        { role: 'user', content: [result] },
      ],
      tools: [{ name: 'f', description: put('tool description'), input_schema: schemaOf(put('tool parameter')) }],
    }
  },
  whole(text, input) {
    return {
      ...anthropicMessage(''),
      content: [
        { type: 'text', text },
        { type: 'tool_use', id: 't2', name: 'f', input },
      ],
      stop_reason: 'tool_use',
    }
  },
  events(text, input, written = JSON.stringify(input)) {
    const event = (type: string, fields: JsonObject): string => sse({ type, ...fields }, type)
    const stream = anthropicStream(pieces(text), { finishReason: 'tool_use' })
    const call = [
      event('content_block_start', { index: 1, content_block: { type: 'tool_use', id: 't2', name: 'f', input: {} } }),
      ...pieces(written).map((piece) =>
        event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: piece } }),
      ),
      event('content_block_stop', { index: 1 }),
    ]
    return [...stream.slice(0, -2), ...call, ...stream.slice(-2)]
  },
  read(document) {
    const blocks = listAt(document, 'content')
    return {
      text: blocks.map((block) => textAt(block, 'text')).join(''),
      input: at(
        blocks.find((block) => at(block, 'type') === 'tool_use'),
        'input',
      ),
    }
  },
  readEvents(events) {
    return {
      text: events.map((event) => textAt(event, 'delta', 'text')).join(''),
      input: JSON.parse(events.map((event) => textAt(event, 'delta', 'partial_json')).join('')),
    }
  },
}

export const gemini: Dialect = {
  request(place, text) {
    if (place === 'document') return undefined
    const put = (here: Place): string => (place === here ? text : OTHER)
    return {
      systemInstruction: { parts: [{ text: put('system') }] },
      contents: [
        { role: 'user', parts: [{ text: put('message') }] },
        { role: 'user', parts: [{ text: put('parts') }, { text: OTHER }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: inputOf(put('tool arguments')) } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: put('tool result') } } }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: put('tool description'), parameters: schemaOf(put('tool parameter')) },
          ],
        },
      ],
    }
  },
  whole(text, input) {
    return {
      ...geminiAnswer(''),
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text }, { functionCall: { name: 'f', args: input } }] },
          finishReason: 'STOP',
        },
      ],
    }
  },
  events(text, input) {
    const chunk = (part: JsonObject, end: JsonObject = {}): string =>
      sse({
        ...geminiAnswer(''),
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...end }],
      })
    return [
      ...pieces(text).map((piece) => chunk({ text: piece })),
      chunk({ functionCall: { name: 'f', args: input } }, { finishReason: 'STOP' }),
    ]
  },
  read: (document) => geminiAnswerOf([document]),
  readEvents: (events) => geminiAnswerOf(events),
}

function geminiAnswerOf(documents: readonly JsonValue[]): Answer {
  const parts = documents.flatMap((document) => listAt(document, 'candidates', 0, 'content', 'parts'))
  return {
    text: parts.map((part) => textAt(part, 'text')).join(''),
    input: at(
      parts.find((part) => at(part, 'functionCall') !== undefined),
      'functionCall',
      'args',
    ),
  }
}
