/** Documents in base64 that are texts: guardrails see what they say. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Buffer } from 'node:buffer'
import type { FormatName } from '../../../src/domain/completion/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import {
  rewriteAddress,
  rewriteBase64,
  rewriteBeside,
  rewriteFile,
  rewriteMedia,
  standardBase64,
  textOfMedia,
} from '../../../src/domain/formats/text-media.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const base64 = (text: string, encoding: BufferEncoding = 'base64') => Buffer.from(text).toString(encoding)
const plain = (data: string, mediaType = 'text/plain') => ({ mediaType, data })

t.test('the text of a document is what was written, in either alphabet, padded or not', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('base64', 'base64url'),
      (text, alphabet) => {
        const media = plain(base64(text, alphabet as BufferEncoding))
        // A byte order mark is none of the text.
        if (textOfMedia(media) !== text.replace(/^\ufeff/, '')) return false
        const longer = rewriteMedia(media, (seen) => `${seen}é`)
        return Buffer.from(longer?.data ?? '', 'base64').toString() === `${text.replace(/^\ufeff/, '')}é`
      },
    ),
  )
})

t.test('the usual alphabet is what the bytes are', async () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const buffer = Buffer.from(bytes)
      return (
        standardBase64(buffer.toString('base64url')).replace(/=+$/, '') === buffer.toString('base64').replace(/=+$/, '')
      )
    }),
  )
})

t.test('what is no text, or not base64, is left alone', async (t) => {
  const change = () => 'x'
  for (const mediaType of ['application/pdf', 'image/png', 'audio/wav', 'application/octet-stream', ''])
    t.equal(rewriteMedia(plain(base64('ada@example.com'), mediaType), change), undefined, mediaType)
  for (const data of ['', '%%%', 'a', 'ab!d']) t.equal(rewriteMedia(plain(data), change), undefined, data)
  const same = plain(`${base64('same')}\n`)
  t.equal(rewriteMedia(same, (text) => text)?.data, same.data)
  for (const mediaType of [
    'text/csv',
    'TEXT/HTML; charset=utf-8',
    'application/json',
    'application/ld+json',
    'application/x-ndjson',
  ])
    t.ok(rewriteMedia(plain(base64('a'), mediaType), change), mediaType)
})

t.test('a text of an older encoding keeps its other bytes', async (t) => {
  const bytes = Buffer.from('M\xfcller, ada@example.com', 'latin1')
  const rewritten = rewriteMedia(plain(bytes.toString('base64')), (text) => text.replace('ada@example.com', '[EMAIL]'))
  t.equal(Buffer.from(rewritten?.data ?? '', 'base64').toString('latin1'), 'M\xfcller, [EMAIL]')
})

t.test('every format shows them, as data from elsewhere', async (t) => {
  const data = base64('name,mail\nAda,ada@example.com\n')
  const user = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] })
  const documents: [FormatName, JsonObject, (text: string) => string][] = [
    [
      'chat-completions',
      user({ type: 'file', file: { filename: 'a.csv', file_data: `data:text/csv;base64,${data}` } }),
      (text) => /base64,([^"]*)"/.exec(text)?.[1] ?? '',
    ],
    [
      'messages',
      user({ type: 'document', source: { type: 'base64', media_type: 'text/csv', data } }),
      (text) => /"data":"([^"]*)"/.exec(text)?.[1] ?? '',
    ],
    ...['inlineData', 'inline_data'].map((field): [FormatName, JsonObject, (text: string) => string] => [
      'generate-content',
      { contents: [{ role: 'user', parts: [{ [field]: { mime_type: 'text/csv', data } }] }] },
      (text) => /"data":"([^"]*)"/.exec(text)?.[1] ?? '',
    ]),
  ]
  for (const [format, document, dataIn] of documents) {
    const scopes: string[] = []
    const changed = formatOf(format).visitRequestText(document, ({ text, scope }) => {
      if (text.includes('@')) scopes.push(scope)
      return text.replace('ada@example.com', '[EMAIL_1]')
    })
    t.ok(changed, format)
    t.same(scopes, ['tool-output'], format)
    t.equal(Buffer.from(dataIn(JSON.stringify(document)), 'base64').toString(), 'name,mail\nAda,[EMAIL_1]\n', format)
  }
})

t.test("a Gemini client's media go to others in the alphabet that they know", async (t) => {
  const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x01])
  const part = { inlineData: { mimeType: 'image/png', data: bytes.toString('base64url') } }
  const request = formatOf('generate-content').parseRequest(
    { contents: [{ role: 'user', parts: [part] }] },
    { model: 'm', stream: false },
  )
  t.match(JSON.stringify(request.messages), bytes.toString('base64'))
})

t.test(
  'so it is in the parts of other servers, and wherever else such a document stands; images and their addresses stay',
  async (t) => {
    const data = base64('name,mail\nAda,ada@example.com\n')
    const masked = base64('name,mail\nAda,[EMAIL_1]\n')
    const url = `data:text/csv;base64,${data}`
    const image = `data:image/png;base64,${base64('ada@example.com')}`
    const address = 'https://media.example/a.mp4?user=ada@example.com&sig=a%2Fb'
    const parts: JsonObject[] = [
      { type: 'document_url', document_url: url },
      { type: 'document_url', document_url: { url } },
      { type: 'input_file', filename: 'a.csv', file_data: url },
      { type: 'file', file: { filename: 'a.csv', file_data: data } },
      { type: 'document', source: { type: 'base64', media_type: 'text/csv', data } },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/csv', blob: data } },
      { type: 'unknown', attachment: url },
      { type: 'image_url', image_url: { url: image } },
      { type: 'file', file: { filename: 'a.pdf', file_data: data.slice(0, 9) } },
      { type: 'video_url', video_url: { url: address } },
      { type: 'image', image },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64('ada@example.com') } },
    ]
    const fetched: JsonObject = {
      type: 'web_fetch_tool_result',
      tool_use_id: 'x',
      content: {
        type: 'web_fetch_result',
        content: { type: 'document', source: { type: 'base64', media_type: 'text/plain', data } },
      },
    }
    for (const [format, content] of [
      ['chat-completions', parts],
      ['messages', [fetched]],
    ] as const) {
      const document: JsonObject = { messages: [{ role: 'user', content: structuredClone(content) as JsonObject[] }] }
      formatOf(format).visitRequestText(document, ({ text }) => text.replace('ada@example.com', '[EMAIL_1]'))
      t.strictSame(document.messages, [
        { role: 'user', content: JSON.parse(JSON.stringify(content).replaceAll(data, masked)) },
      ])
    }
    const texts = ['data:text/plain,ada@example.com', 'to ada@example.com', 'data:text/plain;base64,ada@example.com']
    for (const file_data of texts) {
      const document: JsonObject = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }] }
      formatOf('chat-completions').visitRequestText(document, ({ text }) =>
        text.replace('ada@example.com', '[EMAIL_1]'),
      )
      t.match(JSON.stringify(document), file_data.replace('ada@example.com', '[EMAIL_1]'))
    }
  },
)

t.test(
  'a picture in lines stays, a text is read wherever its type stands beside it, and both readings are covered',
  async (t) => {
    const picture = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251))
      .toString('base64')
      .replaceAll(/.{76}/g, '$&\n')
    const data = base64('mail ada@example.com')
    const change = (text: string) => text.replaceAll('ada@example.com', '[X]').replaceAll(/[A-Za-z]{3}/g, 'KEY')
    const masked = (document: string) => base64(change(Buffer.from(document, 'base64').toString()))
    const part = (fields: JsonObject): JsonObject => ({
      messages: [{ role: 'user', content: [{ type: 'p', ...fields }] }],
    })
    const seen: string[] = []
    formatOf('chat-completions').visitRequestText(
      part({
        image_url: { url: picture },
        image: picture,
        file: { file_data: picture },
        source: { type: 'base64', media_type: 'image/png', data: picture },
      }),
      ({ text }) => (seen.push(text), text),
    )
    t.notOk(seen.some((text) => picture.includes(text) && text.length > 100))
    for (const fields of [
      { mime_type: 'text/plain', data },
      { x: { mime_type: 'text/plain', data } },
      { source: { media_type: 'text/plain', data } },
      { source: { type: 'base64', media_type: 'text/plain', data } },
      { file: { filename: 'a.txt', file_data: data } },
      { image_url: { url: ` data:text/plain;base64,${data}` } },
    ] as JsonObject[]) {
      const document = part(fields)
      formatOf('chat-completions').visitRequestText(document, ({ text, isName }) => (isName ? text : change(text)))
      t.match(JSON.stringify(document), masked(data), JSON.stringify(fields))
      t.notMatch(JSON.stringify(document), data)
    }
    const gemini: JsonObject = {
      contents: [
        {
          role: 'user',
          parts: [
            { fileData: { mimeType: 'text/plain', fileUri: `data:text/plain;base64,${data}` } },
            { functionResponse: { name: 'f', response: { type: 'image', mimeType: 'image/png', data: picture } } },
          ],
        },
      ],
    }
    seen.length = 0
    formatOf('generate-content').visitRequestText(gemini, ({ text }) => (seen.push(text), text))
    t.ok(seen.includes('mail ada@example.com'))
    t.notOk(seen.includes(picture))
  },
)

t.test('a secret in the place of base64 is seen', async (t) => {
  const secret = '4111111111111111'
  const requests: [FormatName, JsonObject][] = [
    [
      'chat-completions',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.txt', file_data: secret } }] }] },
    ],
    ['chat-completions', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: secret } }] }] }],
    [
      'chat-completions',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'd', source: { type: 'base64', media_type: 'text/plain', data: secret } }],
          },
        ],
      },
    ],
    [
      'messages',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: secret } }],
          },
        ],
      },
    ],
    [
      'generate-content',
      { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data: secret } }] }] },
    ],
  ]
  for (const [format, document] of requests) {
    const { visitRequestText } = formatOf(format)
    t.ok(
      visitRequestText(document, ({ text }) => text.replace(secret, 'X')),
      format,
    )
    t.notMatch(JSON.stringify(document), secret)
  }
})

/** What is seen of a request, in two passes of which the second masks; both must see the same. */
function seenIn(
  t: Test,
  format: FormatName,
  request: JsonObject,
  masked: readonly string[],
): { seen: string[]; sent: string } {
  const { visitRequestText } = formatOf(format)
  const document = structuredClone(request)
  const seen: string[] = []
  visitRequestText(document, ({ text }) => (seen.push(text), text))
  const again: string[] = []
  visitRequestText(document, ({ text }) => {
    again.push(text)
    return masked.reduce((rest, value) => rest.replaceAll(value, '[[X]]'), text)
  })
  t.strictSame(again, seen)
  return { seen, sent: JSON.stringify(document) }
}

const chatPart = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'p', ...part }] }] })
const toolInput = (input: JsonObject): JsonObject => ({
  messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input }] }],
})
const geminiPart = (part: JsonObject): JsonObject => ({ contents: [{ role: 'model', parts: [part] }] })

t.test('a column of numbers is no media, however long it is and whatever stands beside it', async (t) => {
  const value = '4111111111111111'
  const column = `${value}\n`.repeat(70)
  const requests: [FormatName, JsonObject][] = [
    ['messages', toolInput({ mime_type: 'application/vnd.ms-excel', data: column })],
    ['messages', toolInput({ mime_type: 'text/csv', data: column })],
    ['messages', toolInput({ file: `data:text/csv;base64,${column}` })],
    ['generate-content', geminiPart({ functionResponse: { response: { mimeType: 'image/png', data: column } } })],
    ['generate-content', geminiPart({ inlineData: { mimeType: 'text/csv', data: column } })],
    ['generate-content', geminiPart({ fileData: { fileUri: column } })],
    ...[
      { mime_type: 'csv', data: column },
      { url: column },
      { image_url: column },
      { file: { filename: 'a.csv', file_data: column } },
      { file: { file_data: column } },
      { source: { type: 'text', media_type: 'image/png', data: column } },
      { source: { type: 'base64', media_type: 'text/csv', data: column } },
      { source: { type: 'base64', data: value } },
      { image_url: { url: 'https://x.example', id: value } },
    ].map((part): [FormatName, JsonObject] => ['chat-completions', chatPart(part)]),
  ]
  for (const [format, request] of requests)
    t.notMatch(seenIn(t, format, request, [value]).sent, value, JSON.stringify(request).slice(0, 150))
})

t.test('what stands around media is seen', async (t) => {
  const mail = 'ada@example.com'
  const data = base64(`mail ${mail}`)
  const head = `data:text/plain;name=${mail};base64,aGVsbG8=`
  const long = `${'A'.repeat(1100)}/${mail}`
  const requests: [FormatName, JsonObject][] = [
    ['messages', toolInput({ file: head })],
    [
      'messages',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', title: long, context: head, source: { type: 'text', data: head } }],
          },
        ],
      },
    ],
    [
      'chat-completions',
      chatPart({ extra: head, file: { file_data: head }, video: [head.replace('text/plain', 'image/png')] }),
    ],
    [
      'chat-completions',
      chatPart({
        url: `https://x.example/y.png see ${mail}`,
        file: { filename: 'a.js', file_data: `// author ${mail}\nfoo()` },
      }),
    ],
    ['chat-completions', chatPart({ file: { file_data: `https://x.example\nto ${mail}` } })],
    [
      'generate-content',
      geminiPart({
        inlineData: { mimeType: 'image/png', mime_type: 'text/plain', data, displayName: 'a', display_name: mail },
      }),
    ],
    [
      'generate-content',
      geminiPart({ inlineData: { mimeType: 'text/plain', data: `data:text/plain;base64,${data}` } }),
    ],
    ['generate-content', geminiPart({ fileData: { fileUri: 'gs://x/y', file_uri: `mail ${mail}` } })],
  ]
  for (const [format, request] of requests) {
    const { sent } = seenIn(t, format, request, [mail])
    t.notMatch(sent, mail, JSON.stringify(request).slice(0, 150))
    t.notMatch(sent, data)
  }
  const typed = toolInput({ mime_type: 'application/4111111111111111+json', data })
  t.notMatch(
    seenIn(t, 'messages', typed, ['4111111111111111', mail]).sent,
    data,
    'read as its type was before that was masked',
  )
  formatOf('generate-content').parseRequest(
    geminiPart({ inlineData: { mimeType: 'image/png', mime_type: null, data: 'AAAA' } }),
    { model: 'm', stream: false },
  )
})

t.test('media stays, in lines that are indented or behind the head of a data: URL', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251))
  const lines = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n  ')
  for (const data of [lines, `  ${lines}\n`, `data:image/png;base64,${bytes.toString('base64')}`]) {
    const requests: [FormatName, JsonObject][] = [
      [
        'messages',
        {
          messages: [
            { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] },
          ],
        },
      ],
      ['generate-content', geminiPart({ inlineData: { mimeType: 'image/png', data } })],
      ['chat-completions', chatPart({ file: { filename: 'a.pdf', file_data: data }, image_url: { url: data } })],
    ]
    for (const [format, request] of requests) {
      const { seen } = seenIn(t, format, request, [])
      t.notOk(
        seen.some((text) => text.length > 100),
        format,
      )
    }
  }
})

t.test('strings as long as a body may be exhaust nothing', async (t) => {
  const length = 10_000_000
  const line = `${'A'.repeat(76)}\n`
  const texts = [
    `${'A'.repeat(length)}!`,
    `${line.repeat(length / 77)}!`,
    `${'A'.repeat(60)}\t\n\t`.repeat(length / 63),
    `https://x${' y'.repeat(length / 2)} @`,
    `${' '.repeat(length)}!`,
    `//${'a'.repeat(length)}\n x`,
    `data:${'a'.repeat(length)}`,
    'data:text/plain;base64,'.repeat(length / 23),
    'data:;base64,'.repeat(length / 13),
  ]
  const keep = (text: string) => text
  for (const text of texts) {
    t.equal(rewriteAddress(text, keep), text)
    t.equal(rewriteFile(text, 'a.txt', keep), text)
    t.equal(rewriteBase64(text, 'image/png', keep), text)
    t.equal(rewriteBase64(text, 'text/plain', keep), text)
    rewriteBeside(text, 'image/png', keep)
  }
})
