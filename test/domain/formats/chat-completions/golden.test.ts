import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import type { SseEvent } from '../../../../src/domain/formats/format.ts'
import { SseDecoder } from '../../../../src/domain/formats/sse.ts'
import { casesOf, fixture, matchGolden } from '../golden.ts'

const TARGET = { model: 'upstream', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: true }

for (const name of casesOf('chat-completions/requests', '.json')) {
  const path = `chat-completions/requests/${name}`
  t.test(`the request «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const request = chatCompletions.parseRequest(JSON.parse(fixture(`${path}.json`)))
    const { source, ...neutral } = request
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    matchGolden(test, `${path}.unmodelled.golden.json`, chatCompletions.unmodelledFields(source.document))
    const foreign = { ...request, source: { format: 'messages', document: {} } } as const
    matchGolden(test, `${path}.translated.golden.json`, chatCompletions.renderRequest(foreign, TARGET))
  })
}

for (const name of casesOf('chat-completions/responses', '.json')) {
  const path = `chat-completions/responses/${name}`
  t.test(`the answer «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const result = chatCompletions.parseResult(JSON.parse(fixture(`${path}.json`)))
    const { source, ...neutral } = result
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    const request = chatCompletions.parseRequest(JSON.parse(fixture('chat-completions/requests/minimal.json')))
    const context = { request, model: 'm', nowSeconds: 1, requestId: 'r' }
    test.equal(chatCompletions.renderResult(result, context).document, source.document)
    const foreign = { ...result, source: { format: 'messages', document: {} } } as const
    matchGolden(test, `${path}.translated.golden.json`, chatCompletions.renderResult(foreign, context))
  })
}

for (const name of casesOf('chat-completions/streams', '.chunks.txt')) {
  const path = `chat-completions/streams/${name}`
  t.test(`the stream «${name}» is decoded, and encoded anew`, async (test) => {
    const decoder = chatCompletions.createStreamDecoder()
    const parts = [...eventsOf(fixture(`${path}.chunks.txt`)).flatMap((event) => decoder.push(event)), ...decoder.end()]
    matchGolden(test, `${path}.parts.golden.json`, parts)
    const encoder = chatCompletions.createStreamEncoder({
      request: chatCompletions.parseRequest({
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        stream_options: { include_usage: true },
      }),
      model: 'm',
      nowSeconds: 1,
      requestId: 'r',
    })
    const events = [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
    matchGolden(
      test,
      `${path}.encoded.golden.json`,
      events.map((event) => event.data),
    )
  })
}

function eventsOf(text: string): SseEvent[] {
  const decoder = new SseDecoder()
  return [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()]
}
