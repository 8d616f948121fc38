/** Conversations of other formats as this vendor demands them. */
import fc from 'fast-check'
import t from 'tap'
import type {
  AssistantPart,
  CompletionRequest,
  Message,
  ToolResultPart,
} from '../../../../src/domain/completion/request.ts'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { translateMessages } from '../../../../src/domain/formats/chat-completions/message-translate.ts'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../../../src/domain/json.ts'

const TARGET = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }

/** The messages and the fields that were warned of. */
function sent(request: CompletionRequest): { sent: JsonObject[]; warned: string[] } {
  const { document, warnings } = chatCompletions.renderRequest(request, TARGET)
  return {
    sent: asArray(document.messages).map((message) => asObject(message) ?? {}),
    warned: warnings.map(({ field }) => field),
  }
}

const fromMessages = (...list: JsonObject[]) => sent(messages.parseRequest({ max_tokens: 9, messages: list }))
const fromGemini = (...contents: JsonObject[]) => sent(generateContent.parseRequest({ contents }, { model: 'm' }))

const user = (content: JsonValue): JsonObject => ({ role: 'user', content })
const assistant = (content: JsonValue): JsonObject => ({ role: 'assistant', content })
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string, content: JsonValue = id): JsonObject => ({ type: 'tool_result', tool_use_id: id, content })
const thinking: JsonObject = { type: 'thinking', thinking: 'hm', signature: 's' }

const call = (id: string): JsonObject => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const calls = (...ids: string[]): JsonObject => ({ role: 'assistant', content: null, tool_calls: ids.map(call) })
const tool = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: id })

t.test('a streamed turn that comes back piece by piece is one message, and an empty end is none', async (t) => {
  const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts })
  const functionCall = (id: string) => ({ functionCall: { id, name: 'f', args: {} } })
  const response = (id: string) => ({ functionResponse: { id, name: 'f', response: { output: id } } })
  const turn = fromGemini(
    { role: 'user', parts: [{ text: 'Hi' }] },
    ...[{ text: 'Let me ' }, { text: 'look.' }, functionCall('a'), functionCall('b'), { text: '' }].map((part) =>
      model(part),
    ),
    { role: 'user', parts: [response('a'), response('b')] },
    model({ text: 'Fine.' }),
    model({ text: '' }),
    { role: 'user', parts: [{ text: 'Bye' }] },
  )
  t.strictSame(turn.sent, [
    user('Hi'),
    { ...calls('a', 'b'), content: 'Let me look.' },
    tool('a'),
    tool('b'),
    assistant('Fine.'),
    user('Bye'),
  ])
  t.strictSame(turn.warned, [])
})

t.test('results stand right after their calls, whatever else the turn says and however it is split', async (t) => {
  const picture = { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } }
  const split = fromMessages(
    user('Hi'),
    assistant([use('a'), use('b')]),
    user([result('a', [picture, { type: 'text', text: 'a' }]), { type: 'text', text: 'First.' }]),
    { role: 'system', content: 'Be brief.' },
    user([{ type: 'text', text: 'Second.' }, result('b')]),
    user('Third.'),
    assistant('Fine.'),
  )
  t.strictSame(split.sent, [
    user('Hi'),
    calls('a', 'b'),
    tool('a'),
    tool('b'),
    user([{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }]),
    user('First.'),
    { role: 'system', content: 'Be brief.' },
    user('Second.'),
    user('Third.'),
    assistant('Fine.'),
  ])
})

t.test('no message follows a result for media that cannot be carried over', async (t) => {
  const source = { type: 'url', url: 'https://a.example/a.pdf' }
  const turn = fromMessages(assistant([use('a')]), user([result('a', [{ type: 'document', source }])]))
  t.strictSame(turn.sent, [calls('a'), { ...tool('a'), content: '' }])
  t.strictSame(turn.warned, ['messages[1].content[0]'])
})

t.test('a text after the calls goes before them, and the last answer stays the last', async (t) => {
  const turn = fromMessages(
    user('Hi'),
    assistant([use('a'), { type: 'text', text: 'I look.' }]),
    assistant([{ type: 'text', text: ' Twice.' }, use('b')]),
    user([result('a'), result('b')]),
    assistant('The answer'),
    assistant(' is'),
  )
  t.strictSame(turn.sent.slice(1), [
    { ...calls('a', 'b'), content: 'I look. Twice.' },
    tool('a'),
    tool('b'),
    assistant('The answer is'),
  ])
})

t.test('whole messages of the model that follow one another are paragraphs of one', async (t) => {
  const turn = fromMessages(
    user('Hi'),
    assistant('First.'),
    assistant([use('a')]),
    assistant('Second.'),
    user([result('a')]),
  )
  t.strictSame(turn.sent.slice(1, 2), [{ ...calls('a'), content: 'First.\n\nSecond.' }])
})

t.test('a turn of which only thinking is left says nothing, with the warning of it', async (t) => {
  const turn = fromMessages(user('Hi'), assistant([thinking]), user('Go on.'), assistant([thinking]))
  t.strictSame(turn.sent, [user('Hi'), user('Go on.')])
  t.strictSame(turn.warned, ['messages[1].thinking', 'messages[3].thinking'])
  const between = fromMessages(
    assistant([use('a'), use('b')]),
    user([result('a')]),
    assistant([thinking]),
    user([result('b')]),
  )
  t.strictSame(between.sent, [calls('a', 'b'), tool('a'), tool('b')])
})

t.test('results of no call keep their place: they are the vendor’s to refuse', async (t) => {
  const orphans = fromMessages(user('Hi'), user([result('a')]), assistant('What?'), user('Hm.'), user([result('b')]))
  t.strictSame(orphans.sent, [user('Hi'), tool('a'), assistant('What?'), user('Hm.'), tool('b')])
})

t.test('a hundred thousand pieces are one message, in no time that grows with their square', async (t) => {
  const pieces = Array.from({ length: 49_000 }, (_, index) => assistant([use(`${index}`)]))
  const answers = Array.from({ length: 49_000 }, (_, index) => user([{ type: 'text', text: 'x' }, result(`${index}`)]))
  const { sent } = fromMessages(user('Hi'), ...pieces, ...answers)
  t.equal(asArray(sent[1]?.tool_calls).length, 49_000)
  t.equal(
    sent.findLastIndex(({ role }) => role === 'tool'),
    49_001,
  )
  t.equal(sent.length, 2 + 98_000)
})

const said = fc.constantFrom('text', 'empty', 'reasoning', 'call')
const other = fc.constantFrom<'user' | 'system' | 'silence'>('user', 'system', 'silence')
/** What the model says and, where it calls tools, their results among what else is said. */
const step = fc.record({
  before: fc.array(other, { maxLength: 2 }),
  answer: fc.array(fc.array(said, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  /** Messages of results, and what is said behind each. */
  after: fc.array(fc.record({ size: fc.nat(2), picture: fc.boolean(), behind: other }), { maxLength: 3 }),
})

class Conversation {
  readonly messages: Message[] = []
  #count = 0

  #text(): { type: 'text'; text: string } {
    return { type: 'text', text: `<${this.#count++}>` }
  }

  say(role: 'user' | 'system' | 'silence'): void {
    if (role !== 'silence') this.messages.push({ role, content: [this.#text(), this.#text()] })
  }

  /** @returns the ids of its calls */
  answer(pieces: readonly (readonly string[])[]): string[] {
    const content = pieces.map((piece) => piece.map((kind) => this.#part(kind)))
    for (const parts of content) this.messages.push({ role: 'assistant', content: parts })
    return content.flat().flatMap((part) => (part.type === 'tool-call' ? part.id : []))
  }

  #part(kind: string): AssistantPart {
    if (kind === 'text') return this.#text()
    if (kind === 'call') return { type: 'tool-call', id: `call_${this.#count++}`, name: 'f', arguments: '' }
    return { type: kind === 'empty' ? 'text' : 'reasoning', text: '' }
  }

  results(ids: readonly string[], picture: boolean): void {
    const media = { type: 'url', url: 'https://a.example/a.png' } as const
    const content = ids.map((toolCallId): ToolResultPart => {
      const parts = picture ? [this.#text(), { type: 'image', media } as const] : [this.#text()]
      return { type: 'tool-result', toolCallId, content: parts }
    })
    if (content.length > 0) this.messages.push({ role: 'tool', content })
  }
}

const conversation = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => {
  const made = new Conversation()
  for (const { before, answer, after } of steps) {
    for (const role of before) made.say(role)
    const open = made.answer(answer)
    for (const { size, picture, behind } of after) {
      made.results(open.splice(0, size), picture)
      made.say(behind)
    }
    made.results(open, false)
  }
  return made.messages
})

/** Every text, in order: of the results, or of all else. */
function textsOf(list: readonly { readonly role?: unknown }[], ofResults: boolean): string {
  const chosen = list.filter(({ role }) => (role === 'tool') === ofResults)
  return JSON.stringify(chosen).match(/<\d+>/g)?.join('') ?? ''
}

const picturesOf = (list: readonly unknown[]): number => JSON.stringify(list).split('a.png').length

t.test('any conversation is one that the vendor takes, and says the same in the same order', async (t) => {
  const request = messages.parseRequest({ max_tokens: 9, messages: [user('Hi')] })
  fc.assert(
    fc.property(conversation, fc.constantFrom('m', 'deepseek-chat'), (neutral, model) => {
      const rendered = translateMessages({ ...request, messages: neutral }, model, [])
      checkOrder(rendered)
      return (
        textsOf(rendered, false) === textsOf(neutral, false) &&
        textsOf(rendered, true) === textsOf(neutral, true) &&
        picturesOf(rendered) === picturesOf(neutral)
      )
    }),
    { numRuns: 1_000 },
  )
  t.pass()
})

/** @throws {Error} where the vendor would refuse the conversation */
function checkOrder(rendered: readonly JsonObject[]): void {
  let open: string[] = []
  let last: JsonValue | undefined
  for (const { role, content, tool_calls: made, tool_call_id: id } of rendered) {
    if (role === 'tool') {
      if (last !== 'assistant' && last !== 'tool') throw new Error('a result follows no call')
      if (!open.includes(asString(id) ?? '')) throw new Error('a result of another call')
      open = open.filter((one) => one !== id)
    } else if (open.length > 0) {
      throw new Error('a call without a result')
    }
    if (role === 'assistant') {
      if (last === 'assistant') throw new Error('neighbours')
      if (!content && made === undefined) throw new Error('an answer without anything')
      open = asArray(made).map((one) => asString(asObject(one)?.id) ?? '')
    }
    last = role
  }
  if (open.length > 0) throw new Error('a call without a result')
}
