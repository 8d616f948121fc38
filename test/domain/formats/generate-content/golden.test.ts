import t from 'tap'
import { generateContent } from '../../../../src/domain/formats/generate-content/generate-content.ts'
import type { SseEvent } from '../../../../src/domain/formats/format.ts'
import { SseDecoder } from '../../../../src/domain/formats/sse.ts'
import { casesOf, fixture, matchGolden } from '../golden.ts'

const HINTS = { model: 'm', stream: true }
const TARGET = { model: 'gemini-3-flash', maxOutputTokens: undefined, defaultMaxOutputTokens: undefined, stream: true }

for (const name of casesOf('generate-content/requests', '.json')) {
  const path = `generate-content/requests/${name}`
  t.test(`the request «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const request = generateContent.parseRequest(JSON.parse(fixture(`${path}.json`)), HINTS)
    const { source, ...neutral } = request
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    matchGolden(test, `${path}.unmodelled.golden.json`, generateContent.unmodelledFields(source.document))
    const foreign = { ...request, source: { format: 'messages', document: {} } } as const
    matchGolden(test, `${path}.translated.golden.json`, generateContent.renderRequest(foreign, TARGET))
  })
}

for (const name of casesOf('generate-content/responses', '.json')) {
  const path = `generate-content/responses/${name}`
  t.test(`the answer «${name}» is parsed, and rendered anew as if it came in another format`, async (test) => {
    const result = generateContent.parseResult(JSON.parse(fixture(`${path}.json`)))
    const { source, ...neutral } = result
    matchGolden(test, `${path}.parsed.golden.json`, neutral)
    const request = generateContent.parseRequest(JSON.parse(fixture('generate-content/requests/minimal.json')), HINTS)
    const context = { request, model: 'm', nowSeconds: 1, requestId: 'r', answeredIn: 'generate-content' } as const
    test.equal(generateContent.renderResult(result, context).document, source.document)
    const foreign = { ...result, source: { format: 'messages', document: {} } } as const
    matchGolden(test, `${path}.translated.golden.json`, generateContent.renderResult(foreign, context))
  })
}

for (const name of casesOf('generate-content/streams', '.chunks.txt')) {
  const path = `generate-content/streams/${name}`
  t.test(`the stream «${name}» is decoded, and encoded anew`, async (test) => {
    const decoder = generateContent.createStreamDecoder()
    const parts = [...eventsOf(fixture(`${path}.chunks.txt`)).flatMap((event) => decoder.push(event)), ...decoder.end()]
    matchGolden(test, `${path}.parts.golden.json`, parts)
    const encoder = generateContent.createStreamEncoder({
      request: generateContent.parseRequest({ contents: [{ parts: [{ text: 'Hello' }] }] }, HINTS),
      model: 'm',
      nowSeconds: 1,
      requestId: 'r',
      answeredIn: 'generate-content',
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
