import fc from 'fast-check'
import t from 'tap'
import { UpstreamFormatError } from '../../../src/domain/errors.ts'
import type { SseEvent } from '../../../src/domain/formats/format.ts'
import { encodeSse, SseDecoder } from '../../../src/domain/formats/sse.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function decodeAll(pieces: Uint8Array[]): SseEvent[] {
  const decoder = new SseDecoder()
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}

const cases: { name: string; text: string; events: SseEvent[] }[] = [
  { name: 'lines may end in LF', text: 'data: a\n\ndata: b\n\n', events: [{ data: 'a' }, { data: 'b' }] },
  { name: 'lines may end in CRLF', text: 'data: a\r\n\r\ndata: b\r\n\r\n', events: [{ data: 'a' }, { data: 'b' }] },
  { name: 'lines may end in CR', text: 'data: a\r\rdata: b\r\r', events: [{ data: 'a' }, { data: 'b' }] },
  {
    name: 'line ends may be mixed',
    text: 'data: a\r\n\ndata: b\n\r\ndata: c\r\r',
    events: [{ data: 'a' }, { data: 'b' }, { data: 'c' }],
  },
  { name: 'a byte order mark is dropped', text: '\uFEFFdata: a\n\n', events: [{ data: 'a' }] },
  { name: 'comments are dropped', text: ': OPENROUTER PROCESSING\n\n:\ndata: a\n\n', events: [{ data: 'a' }] },
  { name: 'several data lines are joined', text: 'data: a\ndata: b\ndata:\n\n', events: [{ data: 'a\nb\n' }] },
  {
    name: 'the space after the colon may be missing',
    text: 'data:a\n\ndata:  b\n\n',
    events: [{ data: 'a' }, { data: ' b' }],
  },
  { name: 'a line without a colon is a field without a value', text: 'data\n\n', events: [{ data: '' }] },
  {
    name: 'an event without data is dropped, its name too',
    text: 'event: ping\n\ndata: a\n\n',
    events: [{ data: 'a' }],
  },
  { name: 'names are kept', text: 'event: error\ndata: {}\n\n', events: [{ event: 'error', data: '{}' }] },
  {
    name: 'id, retry and unknown fields are read past',
    text: 'id: 1\nretry: 5\nfoo: bar\ndata: a\n\n',
    events: [{ data: 'a' }],
  },
  {
    name: 'a last event without a blank line counts',
    text: 'data: a\n\ndata: b',
    events: [{ data: 'a' }, { data: 'b' }],
  },
  { name: 'an empty stream has no events', text: '', events: [] },
]

for (const { name, text, events } of cases) {
  t.test(name, async (t) => {
    t.strictSame(decodeAll([bytesOf(text)]), events)
  })
}

t.test('any split of the bytes gives the same events', async (t) => {
  const fragment = fc.constantFrom(
    'data: ',
    'data:',
    'event: x',
    ':',
    '\n',
    '\r\n',
    '\r',
    'é',
    '😀',
    '\uFEFF',
    'text',
    ' ',
    '[DONE]',
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 12 }), (fragments, cuts) => {
      const written = fragments.join('')
      // Cut within the first mark, Node's decoder takes the second away as well.
      fc.pre(!written.startsWith('\uFEFF\uFEFF'))
      const bytes = bytesOf(written)
      const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
        (a, b) => a - b,
      )
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      t.strictSame(decodeAll(pieces), decodeAll([bytes]))
    }),
  )
  const text = 'data: {"a":"é😀"}\r\n\r\nevent: error\rdata: b\r\r'
  t.strictSame(decodeAll([...bytesOf(text)].map((byte) => Uint8Array.of(byte))), decodeAll([bytesOf(text)]))
})

t.test('what is encoded is decoded to the same event', async (t) => {
  const event = fc.oneof(
    fc.record({ data: fc.string({ unit: 'binary' }) }),
    fc.record({ event: fc.stringMatching(/^[a-z_.]{1,20}$/), data: fc.string() }),
  )
  fc.assert(
    fc.property(event, (event) => {
      const expected = { ...event, data: event.data.replaceAll(/\r\n|\r/g, '\n') }
      t.strictSame(decodeAll([bytesOf(encodeSse(event))]), [expected])
    }),
  )
})

t.test('an event longer than the bound is refused, in one line or many, in one piece or many', async (t) => {
  const refuses = (pieces: string[]) => {
    const decoder = new SseDecoder(100)
    t.throws(() => pieces.forEach((piece) => decoder.push(bytesOf(piece))), UpstreamFormatError)
  }
  refuses([`data: ${'a'.repeat(101)}`])
  refuses([`data: ${'a'.repeat(101)}\n`])
  refuses(Array.from({ length: 60 }, () => 'aa'))
  refuses(Array.from({ length: 60 }, () => 'data: a\n'))
})

t.test('an event that is nested too deep or holds too many values is refused before it is read', async (t) => {
  const refuses = (text: string) => t.throws(() => new SseDecoder().push(bytesOf(text)), UpstreamFormatError)
  const deep = '['.repeat(5_000) + ']'.repeat(5_000)
  refuses(`data: {"a":${deep}}\n\n`)
  refuses(`event: x\r\ndata: {"a":${deep}}\r\n\r\n`)
  refuses(`data: {"a":[${'[],'.repeat(60_000)}[]]}\n\n`)
  const prose = JSON.stringify({ text: '"[{,'.repeat(200_000) })
  t.strictSame(new SseDecoder().push(bytesOf(`data: ${prose}\n\n`)), [{ data: prose }])
})

t.test('lines cost more than their text: an event cannot be made of millions of them', async (t) => {
  t.throws(() => new SseDecoder().push(bytesOf('data:\n'.repeat(200_000))), UpstreamFormatError)
  const lines = Array.from({ length: 10_000 }, () => 'data: a\n').join('')
  t.equal(new SseDecoder().push(bytesOf(`${lines}\n`))[0]?.data.length, 19_999)
})

t.test('the bound is for one event, not for the stream', async (t) => {
  const decoder = new SseDecoder(20)
  for (let round = 0; round < 50; round++) {
    t.strictSame(decoder.push(bytesOf(': keep-alive\ndata: 0123456789\n\n')), [{ data: '0123456789' }])
  }
})
