/** Documents in base64 that are texts: guardrails see what they say. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Buffer } from 'node:buffer'
import type { ProviderFormatName } from '../../../src/domain/completion/request.ts'
import { formatOf } from '../../../src/domain/formats/registry.ts'
import { binaryOf, bytesOfBase64, standardBase64 } from '../../../src/domain/formats/base64.ts'
import {
  rewriteAddress,
  rewriteBase64,
  rewriteBeside,
  rewriteFile,
  rewriteMedia,
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

t.test('a text in UTF-16 that its mark tells of is read, and stays one', async (t) => {
  const bytesOf = (text: string, isLittleEndian: boolean): Buffer => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
    return isLittleEndian ? bytes : bytes.swap16()
  }
  const change = (text: string) => text.replace('ada@example.com', '[EMAIL]')
  for (const isLittleEndian of [true, false]) {
    const data = bytesOf('M\xfcller \u{1f600}, ada@example.com', isLittleEndian).toString('base64')
    const rewritten = rewriteMedia(plain(data), change)
    t.same(Buffer.from(rewritten?.data ?? '', 'base64'), bytesOf('M\xfcller \u{1f600}, [EMAIL]', isLittleEndian))
    t.equal(rewritten?.isPlain, true)
    t.equal(rewriteMedia(plain(data), (text) => text)?.data, data)
  }
})

t.test('every format shows them, as data from elsewhere', async (t) => {
  const data = base64('name,mail\nAda,ada@example.com\n')
  const user = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] })
  const documents: [ProviderFormatName, JsonObject, (text: string) => string][] = [
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
    ...['inlineData', 'inline_data'].map((field): [ProviderFormatName, JsonObject, (text: string) => string] => [
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
  const requests: [ProviderFormatName, JsonObject][] = [
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
  format: ProviderFormatName,
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
  const requests: [ProviderFormatName, JsonObject][] = [
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
    ].map((part): [ProviderFormatName, JsonObject] => ['chat-completions', chatPart(part)]),
  ]
  for (const [format, request] of requests)
    t.notMatch(seenIn(t, format, request, [value]).sent, value, JSON.stringify(request).slice(0, 150))
})

t.test('what stands around media is seen', async (t) => {
  const mail = 'ada@example.com'
  const data = base64(`mail ${mail}`)
  const head = `data:text/plain;name=${mail};base64,aGVsbG8=`
  const long = `${'A'.repeat(1100)}/${mail}`
  const requests: [ProviderFormatName, JsonObject][] = [
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
    const requests: [ProviderFormatName, JsonObject][] = [
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

t.test('an address ends where its words do, and is none where a login or a person stands in it', async (t) => {
  for (const [url, rewritten] of [
    ['https://b.example/logo @2x.png?X-Amz-Signature=1', undefined],
    ['https://h.example/my photo.png', undefined],
    ['  https://x.example/y \n', undefined],
    ['https://user:password@h.example/x.png', undefined],
    ['s3://bucket@2/x', undefined],
    ['//cdn.example/a.png', undefined],
    ['ms-appdata:///x/a@b.example.png', undefined],
    ['mailto:///ada@example.com', '<mailto:///ada@example.com>'],
    ['///4111111111111111', '<///4111111111111111>'],
    ['rtsp://admin:secret@cam.example/live', '<rtsp://admin:secret@cam.example/live>'],
    ['https://x.example/?sig=1 card 4111 1111', 'https://x.example/?sig=1< card 4111 1111>'],
    ['//x.example/ pay 10.50 with 4111', '//x.example/< pay 10.50 with 4111>'],
    ['https://x.example/my a.png?to=ada%40example.com', 'https://x.example/my< a.png?to=ada%40example.com>'],
    ['https://x.example/?sig=1\nto ada@example.com', 'https://x.example/?sig=1<\nto ada@example.com>'],
    ['//ada@example.com', '<//ada@example.com>'],
    ['postgres://ada:secret@db.example/x', '<postgres://ada:secret@db.example/x>'],
    ['ada@example.com', '<ada@example.com>'],
  ] as const)
    t.equal(
      rewriteAddress(url, (text) => `<${text}>`),
      rewritten ?? url,
    )
})

t.test('of base64 in lines all are as long, in the usual alphabet; keys and numbers are not', async (t) => {
  const data = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251)).toString('base64')
  const seen = (text: string, mediaType: string) => {
    let isSeen = false
    rewriteBase64(text, mediaType, (inner) => ((isSeen = true), inner))
    return isSeen
  }
  for (const length of [48, 56, 60, 64, 76])
    for (const between of ['\n', '\r\n', '\r', '\n\n', ' ', '\n\t'])
      for (const mediaType of ['image/png', ''])
        t.notOk(seen(data.replaceAll(new RegExp(`.{${length}}`, 'g'), `$&${between}`), mediaType), `${length}`)
  const key = `sk-proj-${'aB3_'.repeat(36)}`
  const others = [
    `${key}\n`.repeat(8),
    `${'4111111111111111'.repeat(3)}\n${'4'.repeat(50)}\n4`,
    `${'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'}\n`.repeat(40),
    `${'A'.repeat(64)}\n${'A'.repeat(68)}`,
    `${data}-_`,
  ]
  for (const text of others)
    for (const mediaType of ['application/octet-stream', '']) t.ok(seen(text, mediaType), text.slice(0, 60))
  const odd = [70, 78, 57].map((length) => data.replaceAll(new RegExp(`.{${length}}`, 'g'), '$&\n'))
  odd.push(
    data.replaceAll('+', '-').replaceAll('/', '_').replaceAll(/.{76}/g, '$&\n'),
    `${data.slice(0, 20)}\n${odd[0]}`,
  )
  for (const text of odd) {
    for (const mediaType of ['image/png', 'audio/wav', 'application/pdf'])
      t.notOk(seen(text, mediaType), 'as it is said to be')
    t.equal(
      rewriteAddress(`data:image/png;base64,${text}`, () => 'X'),
      `data:image/png;base64,${text}`,
    )
    t.equal(
      rewriteBeside(text, 'image/png', () => 'X'),
      text,
    )
  }
  for (const text of [
    `${'4111111111111111\n'.repeat(70)}`,
    '4111111111111111\n4111111111111111',
    'secret Passw0rd',
    'a b c',
    `${key}\n${key}`,
    `${'A'.repeat(48)} hunter2secret`,
    'a+b-c_d/e',
    `${data}-_`,
  ])
    t.ok(seen(text, 'image/png'), text.slice(0, 60))
  t.equal(
    rewriteBeside(`${key}\n`.repeat(20), 'image/png', () => 'X'),
    undefined,
  )
})

t.test('what a head of a data: URL says is masked and still a head; what is no base64 behind it is seen', async (t) => {
  const mail = 'x@yy.io'
  const head = `data:text/plain;name=${'a'.repeat(200)} ${mail};base64,`
  const rewritten = rewriteAddress(`${head}aGVsbG8=`, (text) =>
    text.replace(mail, `[[LLM_REDACTED_EMAIL_1${'0'.repeat(30)}]]`),
  )
  t.equal(rewritten, 'data:text/plain;base64,aGVsbG8=')
  for (const data of [`see ${mail}`, '4111 1111 1111 1111'])
    t.match(
      rewriteAddress(`data:image/png;base64,${data}`, () => 'X'),
      /,X$/,
    )
  for (const data of ['iVBORw0KGgo%3D', 'iVBO%2BRw0', 'AAAA'])
    t.match(
      rewriteAddress(`data:image/png;base64,${data}`, () => 'X'),
      `,${data}`,
    )
})

t.test('base64 is read with blanks in it, and digits that happen to be letters are seen as digits', async (t) => {
  const text = '~~~>> é ø mail ada@example.com xx'
  const data = `${base64(text, 'base64url')}\n`
  t.equal(textOfMedia(plain(data)), text)
  t.equal(standardBase64(data), base64(text))
  const number = '4668271914892700'
  t.ok(rewriteMedia(plain(number), (said) => said)?.isPlain, 'it is a text')
  t.equal(
    rewriteFile(number, 'card.txt', (seen) => seen.replace(number, 'X')),
    'X',
  )
})

t.test('a file whose name says that it is a text is read, whatever type its URL gives but that of media', async (t) => {
  const rewrite = (seen: string) => seen.replace('ada@example.com', '[X]')
  const data = base64('ada@example.com\n')
  for (const name of [
    'people.csv',
    '.env',
    'key.pem',
    'a.py',
    'a.TS',
    'a.toml',
    'a.conf',
    'a.ipynb',
    'a.srt',
    'a.mbox',
  ])
    for (const type of ['application/octet-stream', 'application/vnd.ms-excel', 'text/csv', ''])
      t.equal(
        rewriteFile(`data:${type};base64,${data}`, name, rewrite),
        `data:${type};base64,${base64('[X]\n')}`,
        `${name} ${type}`,
      )
  for (const [type, name] of [
    ['image/png', 'a.csv'],
    ['application/pdf', 'a.txt'],
    ['application/octet-stream', 'a.pdf'],
    ['application/octet-stream', 'a.bin'],
  ] as const) {
    const url = `data:${type};base64,${data}`
    t.equal(rewriteFile(url, name, rewrite), url, `${name} ${type}`)
  }
})

t.test('three megabytes become characters, as many as there are bytes', async (t) => {
  const data = 'AP9/'.repeat(1_000_000)
  t.equal(btoa(binaryOf(bytesOfBase64(data) ?? new Uint8Array())), data)
})

t.test('the mark of UTF-16 in bare base64 is no address, and what it tells of goes to every vendor', async (t) => {
  const bytesOf = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').toString('base64')
  const data = bytesOf('ada@example.com')
  t.match(data, /^\/\//)
  t.equal(
    rewriteFile(data, 'a.txt', (seen) => seen.replace('ada@example.com', '[X]')),
    bytesOf('[X]'),
  )
  t.equal(textOfMedia(plain(data)), 'ada@example.com')
  for (const url of ['//cdn.example.com/a.txt', '//5cdn.example.com/a.txt'])
    t.equal(
      rewriteFile(url, 'a.txt', () => 'X'),
      url,
    )
})

t.test('what stands in a place of ids, types, names and texts is seen for what it is', async (t) => {
  const mail = 'ada@example.com'
  const card = '4111111111111111'
  const data = base64(`mail ${mail}`)
  const long = `${'A'.repeat(1100)}/${card}`
  const cards = Array.from({ length: 70 }, () => card).join('/')
  const keys = `sk-proj-${'aB3_'.repeat(36)}\n`.repeat(8)
  const block = (fields: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [fields] }] })
  const source = (fields: JsonObject) => block({ type: 'document', source: fields })
  const typed = { mimeType: 'application/vnd.acme+json', data }
  const masked = [mail, card, 'acme', 'sk-proj-']
  const requests: [ProviderFormatName, JsonObject][] = [
    ['messages', block({ type: 'resource', ...typed })],
    ['generate-content', geminiPart(typed)],
    ['chat-completions', { messages: [{ role: 'user', content: 'x', ...typed }] }],
    ['chat-completions', chatPart({ url: `https://x.example card ${card}` })],
    ['messages', source({ type: 'text', media_type: 'text/plain', data: cards })],
    ['messages', source({ type: 'text', media_type: 'application/octet-stream', data: keys })],
    ['messages', source({ type: 'content', content: long })],
    ['messages', source({ type: 'base64', mime_type: 'text/csv', data })],
    ['messages', toolInput({ mediaType: 'text/csv', data })],
    ['messages', toolInput({ contentType: 'text/csv', data })],
    ['messages', toolInput({ media_type: 'image/png', mimeType: 'text/plain', data: base64(`${mail} `.repeat(100)) })],
    ['messages', toolInput({ mime_type: 'application/octet-stream', data: keys })],
    ['chat-completions', { messages: [{ role: 'user', content: 'x', name: long }] }],
    ['chat-completions', chatPart({ url: keys })],
    ['chat-completions', chatPart({ file: { file_id: `see ${mail}` } })],
    ['chat-completions', chatPart({ extra: `data:image/png;name=${mail};base64,${'A'.repeat(1100)}` })],
    ['generate-content', geminiPart({ text: { inner: mail } })],
    ['generate-content', geminiPart({ functionResponse: { name: 'f', response: {}, parts: [{ text: [mail] }] } })],
    ['generate-content', geminiPart({ fileData: { fileUri: 'gs://a/b', mimeType: { x: mail } } })],
    ['generate-content', geminiPart({ videoMetadata: { note: mail } })],
    ['generate-content', geminiPart({ other: { mimeType: 'sk-proj-aB3d', contentType: card } })],
  ]
  for (const [format, request] of requests) {
    const { sent } = seenIn(t, format, request, masked)
    const label = `${format} ${JSON.stringify(request).slice(0, 150)}`
    for (const value of [mail, card, 'sk-proj-', data]) t.notMatch(sent, value, label)
  }
})

t.test('ids and addresses stay where either may stand', async (t) => {
  const signed = 'https://b.s3.example/a.pdf?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F2025&X-Amz-Signature=fe5f80f7'
  for (const id of [signed, 'file-abc123', 'files/abc'])
    for (const part of [{ file: { file_id: id } }, { image_url: { file_id: id } }]) {
      const { seen } = seenIn(t, 'chat-completions', chatPart(part), [])
      t.notOk(seen.includes(id), id)
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
    '_-'.repeat(length / 2),
    `data:text/plain;base64,${'_-'.repeat(length / 2)}`,
    'A '.repeat(length / 2),
    `${'A'.repeat(48)} `.repeat(length / 49),
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
