import t from 'tap'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import { clientFormatOf } from '../../../src/domain/formats/registry.ts'
import { createDetector } from '../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import type { JsonObject } from '../../../src/domain/json.ts'
import { countingSuffix } from '../../fixtures/masking/counting-suffix.ts'

const PASSWORD = 'hK9#mP2$vL5q'
const detector = createDetector({ kinds: new Set(), custom: [] })

function newMap(): RedactionMap {
  return new RedactionMap({ detector, tokenSuffix: countingSuffix })
}

function maskIn(format: FormatName, document: JsonObject, map = newMap()): string {
  clientFormatOf(format).visitRequestText(document, ({ text, maxLength, fieldName }) =>
    map.mask(text, false, maxLength, fieldName),
  )
  return JSON.stringify(document)
}

const input = { user: 'bob', password: PASSWORD, retries: 3, force: true }
const schema = { type: 'object', properties: { password: { type: 'string', default: PASSWORD } } }

const DOCUMENTS: readonly (readonly [what: string, format: FormatName, document: JsonObject])[] = [
  [
    'arguments',
    'chat-completions',
    {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'login', arguments: JSON.stringify(input) } }],
        },
      ],
    },
  ],
  [
    'an input',
    'messages',
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input }] }] },
  ],
  [
    'args',
    'generate-content',
    { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: input } }] }] },
  ],
  [
    'a response',
    'generate-content',
    { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f', response: { login: [input] } } }] }] },
  ],
  [
    'arguments',
    'responses',
    { input: [{ type: 'function_call', call_id: '1', name: 'login', arguments: JSON.stringify(input) }] },
  ],
  ['metadata', 'responses', { metadata: { password: PASSWORD }, input: [] }],
  ['a schema', 'responses', { input: [], tools: [{ type: 'function', name: 'f', parameters: schema }] }],
  ['metadata', 'chat-completions', { metadata: { password: PASSWORD }, messages: [] }],
  ['an unknown field', 'chat-completions', { login: { password: PASSWORD }, messages: [] }],
  [
    'a schema',
    'chat-completions',
    { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] },
  ],
]

for (const [what, format, sent] of DOCUMENTS) {
  t.test(`a password in ${what} of ${format} is masked by its field's name, and nothing else is`, async (t) => {
    const map = newMap()
    const document = structuredClone(sent)
    const before = JSON.stringify(document)
    const masked = maskIn(format, document, map)
    t.notMatch(masked, PASSWORD)
    t.equal(map.size, 1)
    t.equal(map.restore(masked), before)
    t.equal(maskIn(format, JSON.parse(masked)), masked, 'what is masked is not masked again')
  })
}

const PAIRS: readonly JsonObject[] = [
  { password: { name: 'x', value: PASSWORD } },
  { password: { plaintext: PASSWORD } },
  { Item: { password: { S: PASSWORD }, attempts: { N: '3' } } },
  { login: { password: { '#text': PASSWORD, '@type': 'clear' } } },
  { id: 'password', value: PASSWORD },
  { name: 'DB_PASSWORD', value: PASSWORD },
  { key: 'db.password', value: { stringValue: PASSWORD } },
  { ParameterKey: 'DbPassword', ParameterValue: PASSWORD },
  { op: 'replace', path: '/spec/password', value: PASSWORD },
]

for (const pair of PAIRS) {
  const text = JSON.stringify(pair)
  t.test(`a password that a name beside or above it tells of is masked: ${text}`, async (t) => {
    const call = { id: '1', type: 'function', function: { name: 'f', arguments: text } }
    const documents: [FormatName, JsonObject][] = [
      ['chat-completions', { messages: [{ role: 'assistant', tool_calls: [call] }] }],
      ['chat-completions', { messages: [{ role: 'tool', tool_call_id: '1', content: text }] }],
      [
        'messages',
        { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: structuredClone(pair) }] }] },
      ],
      ['generate-content', { contents: [{ parts: [{ functionResponse: { response: structuredClone(pair) } }] }] }],
    ]
    for (const [format, document] of documents) {
      const map = newMap()
      const before = JSON.stringify(document)
      const masked = maskIn(format, document, map)
      t.notMatch(masked, PASSWORD)
      t.equal(map.restore(masked), before)
    }
  })
}

t.test('a schema that speaks of passwords stays as it is', async (t) => {
  const parameters = {
    type: 'object',
    required: ['password', 'token'],
    properties: {
      password: { type: 'string', description: 'The password of the user', default: 'required' },
      pass: { type: 'string', enum: ['economy', 'business'] },
      token: { type: 'string', format: 'byte' },
      next_page_token: { type: 'string', default: 'CAUQAAhK9mP2vL5qAbC3dE' },
    },
  }
  const document = { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters } }] }
  const before = JSON.stringify(document)
  t.equal(maskIn('chat-completions', document), before)
})

t.test('a text in base64 in arguments is read by the type beside it, as in an object', async (t) => {
  const data = btoa('mail alice@example.com')
  for (const fields of [
    { mimeType: 'text/csv', data },
    { data, n: 1, mimeType: 'text/csv' },
    { blob: data, mimeType: 'text/csv' },
  ]) {
    const masked = maskIn('chat-completions', {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: JSON.stringify(fields) } }],
        },
      ],
    })
    const inner = maskIn('messages', {
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { ...fields } }] }],
    })
    t.notMatch(masked, data)
    const token = /(?:data|blob)\\":\\"([\w+/=]+)/.exec(masked)?.[1] ?? ''
    t.match(inner, token)
    t.match(atob(token), /^mail \[\[LLM_REDACTED_EMAIL_/)
  }
})
