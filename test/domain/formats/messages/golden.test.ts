import t from 'tap'
import type { SseEvent } from '../../../../src/domain/formats/format.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import { SseDecoder } from '../../../../src/domain/formats/sse.ts'
import { readMessagesStream } from '../../../helpers/messages-grammar.ts'
import { casesOf, fixture, matchGolden } from '../golden.ts'

const TARGET = {
  model: 'claude-sonnet-4-5',
  maxOutputTokens: undefined,
  defaultMaxOutputTokens: undefined,
  stream: true,
}
const FOREIGN = { format: 'chat-completions', document: {} } as const
const request = messages.parseRequest(JSON.parse(fixture('messages/requests/minimal.json')))
const CONTEXT = { request, model: 'm', nowSeconds: 1, requestId: 'r', answeredIn: 'messages' } as const

for (const name of casesOf('messages/requests', '.json')) {
  const path = `messages/requests/${name}`
  t.test(`the request «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const { source, ...neutral } = messages.parseRequest(JSON.parse(fixture(`${path}.json`)))
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    matchGolden(test, `${path}.unmodelled.golden.json`, messages.unmodelledFields(source.document))
    const rendered = messages.renderRequest({ ...neutral, source: FOREIGN }, TARGET)
    matchGolden(test, `${path}.translated.golden.json`, rendered)
    test.strictSame(source.document, JSON.parse(fixture(`${path}.json`)), 'the source is not touched')
  })
}

for (const name of casesOf('messages/responses', '.json')) {
  const path = `messages/responses/${name}`
  t.test(`the answer «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const result = messages.parseResult(JSON.parse(fixture(`${path}.json`)))
    const { source, ...neutral } = result
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    test.equal(messages.renderResult(result, CONTEXT).document, source.document)
    const rendered = messages.renderResult({ ...neutral, source: FOREIGN }, CONTEXT)
    matchGolden(test, `${path}.translated.golden.json`, rendered)
  })
}

for (const name of casesOf('messages/streams', '.chunks.txt')) {
  const path = `messages/streams/${name}`
  t.test(`the stream «${name}» is decoded, and encoded anew by the strict grammar`, async (test) => {
    const decoder = messages.createStreamDecoder()
    const parts = [...eventsOf(fixture(`${path}.chunks.txt`)).flatMap((event) => decoder.push(event)), ...decoder.end()]
    matchGolden(test, `${path}.parts.golden.json`, parts)
    const encoder = messages.createStreamEncoder(CONTEXT)
    const events = [...parts.flatMap((part) => encoder.push(part)), ...encoder.end()]
    readMessagesStream(events)
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
