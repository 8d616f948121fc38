import t from 'tap'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { losesLastTurn } from '../../../src/domain/formats/lost-turn.ts'
import { formatOf, renderRequestFor } from '../../../src/domain/formats/registry.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const ask = { role: 'user', content: 'x' }
const says = { role: 'assistant', content: 'y' }
const user = (...content: JsonObject[]) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const byId = { type: 'document', source: { type: 'file', file_id: 'file_1' } }
const byUrl = { type: 'document', source: { type: 'url', url: 'https://a.test/a.pdf' } }
const picture = { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }
const upload = { type: 'container_upload', file_id: 'file_1' }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }

function request(format: ProviderFormatName, list: JsonObject[]) {
  const document = format === 'generate-content' ? { contents: list } : { max_tokens: 9, messages: list }
  return formatOf(format).parseRequest(document, {})
}

const lostBy = (list: JsonObject[], from: ProviderFormatName = 'messages') =>
  (['chat-completions', 'messages', 'generate-content'] as const).filter((name) =>
    losesLastTurn(request(from, list), name),
  )

t.test('a last turn of which another format can carry nothing is lost there', async (t) => {
  const others = ['chat-completions', 'generate-content']
  t.strictSame(lostBy([user(byId)]), others)
  t.strictSame(lostBy([ask, says, user(byId, text(' '))]), others, 'white space says nothing')
  t.strictSame(lostBy([ask, says, user(byId), user(byId)]), others)
  t.strictSame(lostBy([user(upload)]), others, 'what has no word in other formats')
  t.strictSame(lostBy([user(byUrl)]), ['chat-completions'])
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  t.strictSame(lostBy([user(sound)], 'chat-completions'), ['messages'])
  t.strictSame(lostBy([user({ type: 'file', file: { file_id: 'f' } })], 'chat-completions'), [
    'messages',
    'generate-content',
  ])
  const parts = [{ fileData: { mimeType: 'audio/wav', fileUri: 'https://a.test/a.wav' } }]
  t.strictSame(lostBy([{ role: 'user', parts }], 'generate-content'), ['chat-completions', 'messages'])
  t.strictSame(lostBy([{ parts: [{ vendorPart: {} }] }], 'generate-content'), ['chat-completions', 'messages'])
})

t.test('an instruction behind it, or before it, is nothing that the user says', async (t) => {
  const instruction = { role: 'developer', content: 'Answer in French.' }
  const file = user({ type: 'file', file: { file_id: 'f' } })
  t.strictSame(lostBy([file, instruction], 'chat-completions'), ['messages', 'generate-content'])
  t.strictSame(lostBy([ask, says, file, instruction], 'chat-completions'), ['messages', 'generate-content'])
  t.strictSame(lostBy([ask, instruction, file], 'chat-completions'), [])
  t.strictSame(lostBy([user(), instruction], 'chat-completions'), [])
})

t.test('what else there is to answer is answered', async (t) => {
  for (const list of [
    [user(byId, text('what is it?'))],
    [user(byId), ask],
    [user(byId), says],
    [user(byId), says, ask],
    [user(picture)],
    [user()],
    [user(text(''))],
    [user(result, byId)],
  ])
    t.strictSame(lostBy(list), [], JSON.stringify(list))
})

t.test('a message of the user in the middle of which nothing can be sent is left out, and that is told', async (t) => {
  for (const [name, lost] of [
    ['chat-completions', user(byId)],
    ['chat-completions', user(upload)],
    ['generate-content', user(byId)],
  ] as const) {
    const { document, warnings } = renderRequestFor(name, request('messages', [ask, says, lost, says, ask]), {
      model: 'm',
      maxOutputTokens: undefined,
      defaultMaxOutputTokens: undefined,
      stream: false,
    })
    t.notMatch(JSON.stringify(document), /\[\]|file_1/)
    t.match(warnings, [{ field: /^messages\[2\]/ }])
  }
})

t.test('what a format has no word for is no empty message', async (t) => {
  const target = { model: 'm', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: false }
  const from = request('generate-content', [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts: [{ text: 'y' }] },
    { role: 'user', parts: [{ vendorPart: {} }] },
  ])
  t.notMatch(JSON.stringify(renderRequestFor('messages', from, target)), /empty/)
})
