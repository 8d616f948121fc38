import t from 'tap'
import { InvalidRequestError } from '../../../src/domain/errors.ts'
import { chatCompletions } from '../../../src/domain/formats/chat-completions/chat-completions.ts'
import { parseEmbeddingsRequest } from '../../../src/domain/formats/embeddings/request.ts'
import { generateContent } from '../../../src/domain/formats/generate-content/generate-content.ts'
import { messages } from '../../../src/domain/formats/messages/messages.ts'
import { missingField } from '../../../src/domain/formats/missing-field.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const FORMATS: [field: string, wrong: string, parse: (document: JsonObject) => unknown][] = [
  ['messages', 'message', (document) => chatCompletions.parseRequest(document)],
  ['messages', 'mesages', (document) => messages.parseRequest({ max_tokens: 1, ...document })],
  ['contents', 'content', (document) => generateContent.parseRequest(document, { model: 'm' })],
  ['input', 'inputs', (document) => parseEmbeddingsRequest(document)],
]

function refusalOf(parse: () => unknown): InvalidRequestError {
  try {
    parse()
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
  throw new Error('it was taken')
}

for (const [field, wrong, parse] of FORMATS) {
  t.test(`${field} that is written ${wrong} is refused as missing, with the field that is there`, async (t) => {
    const refused = refusalOf(() => parse({ [wrong]: [{ role: 'user', content: 'x' }] }))
    t.match(refused.message, `The field '${field}' is missing: expected `)
    t.match(refused.message, `, but "${wrong}" is there; did you mean '${field}'?`)
    t.equal(refused.details.param, field)
    for (const other of [{}, { [field]: null }, { metadata: {} }]) {
      const { message } = refusalOf(() => parse(other))
      t.match(message, `The field '${field}' is missing: expected `)
      t.notMatch(message, 'did you mean')
    }
    t.notMatch(refusalOf(() => parse({ [field]: [] })).message, 'missing', 'it is there, and empty')
  })
}

t.test('a body of very many or very long names is compared in part', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 1]))
  t.notMatch(missingField({ ...many, message: 1 }, 'messages', 'x').message, 'did you mean')
  t.notMatch(missingField({ ['message'.padEnd(40, 's')]: 1 }, 'messages', 'x').message, 'did you mean')
})
