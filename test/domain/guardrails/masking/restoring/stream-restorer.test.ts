import fc from 'fast-check'
import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { TOKEN_PREFIX } from '../../../../../src/domain/guardrails/masking/restoring/redaction-token.ts'
import { StreamRestorer } from '../../../../../src/domain/guardrails/masking/restoring/stream-restorer.ts'
import { countingSuffix } from '../../../../fixtures/masking/counting-suffix.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

function setUp() {
  const map = new RedactionMap({ detector, tokenSuffix: countingSuffix })
  const [email = '', card = '', key = ''] = [
    'bob@example.com',
    '4111 1111 1111 1111',
    `-----BEGIN PRIVATE KEY-----\n${'Ab1'.repeat(20)}\n-----END PRIVATE KEY-----`,
  ].map((value) => map.mask(value))
  return { map, email, card, key }
}

function stream(map: RedactionMap, pieces: readonly string[], kind: 'text' | 'json' = 'text'): string {
  const restorer = new StreamRestorer(map)
  return pieces.map((piece) => restorer.push('a', kind, piece)).join('') + restorer.flush('a')
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [
    0,
    ...places.map((place) => place % (text.length + 1)).toSorted((one, other) => one - other),
    text.length,
  ]
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

t.test('a token cut at every place comes back', async (t) => {
  const { map, email } = setUp()
  const text = `Write to ${email}, please`
  for (let place = 0; place <= text.length; place++) {
    t.equal(stream(map, [text.slice(0, place), text.slice(place)]), 'Write to bob@example.com, please')
  }
  t.equal(stream(map, [...text]), 'Write to bob@example.com, please')
})

t.test('whatever the text and its pieces, the stream says what restoring the whole says', async (t) => {
  const { map, email, card } = setUp()
  const piece = fc.constantFrom(
    email,
    card,
    '[',
    '[[',
    ']]',
    TOKEN_PREFIX,
    email.slice(0, -1),
    email.slice(0, 20),
    `${TOKEN_PREFIX}EMAIL_`,
    '[[LLM_REDACTED_EMAIL_zzzzzzzz]]',
    'text ',
    '\n',
    '_',
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (pieces, places) => {
        const text = pieces.join('')
        return stream(map, cut(text, places)) === map.restore(text)
      },
    ),
    { numRuns: 1000 },
  )
  t.pass()
})

t.test('text that begins no token goes out at once', async (t) => {
  const { map } = setUp()
  const restorer = new StreamRestorer(map)
  for (const piece of [
    'Hello ',
    'a[0] = b[1] ',
    'x]] ',
    '[[LLM_REDACTED_EMAIL_zz',
    ' [link](u) ',
    '[[Wiki',
    'LLM_REDACTED_',
  ])
    t.equal(restorer.push('a', 'text', piece), piece)
})

t.test('only an end that a token begins with is held back, and is flushed at the end', async (t) => {
  const { map, email } = setUp()
  const restorer = new StreamRestorer(map)
  t.equal(restorer.push('a', 'text', 'see [['), 'see ')
  t.equal(restorer.push('a', 'text', 'LLM_REDACTED_EMAIL_'), '')
  t.equal(restorer.push('a', 'text', '!'), '[[LLM_REDACTED_EMAIL_!')
  t.equal(restorer.push('a', 'text', email.slice(0, -1)), '')
  t.equal(restorer.flush('a'), email.slice(0, -1))
  t.equal(restorer.flush('a'), '')
})

t.test('channels do not mix', async (t) => {
  const { map, email } = setUp()
  const restorer = new StreamRestorer(map)
  t.equal(restorer.push('a', 'text', email.slice(0, 10)), '')
  t.equal(restorer.push('b', 'text', email.slice(10)), email.slice(10))
  t.equal(restorer.push('a', 'text', email.slice(10)), 'bob@example.com')
})

t.test('JSON stays JSON, whatever the pieces', async (t) => {
  const { map, key } = setUp()
  const json = JSON.stringify({ note: `use ${key}`, n: [[1]] })
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 20 }), (places) => {
      const restored: unknown = JSON.parse(stream(map, cut(json, places), 'json'))
      return JSON.stringify(restored) === JSON.stringify({ note: `use ${map.restore(key)}`, n: [[1]] })
    }),
  )
  t.pass()
})

/** The text as a JSON string says it, with every character for which `hows` says so written as an escape. */
function escaped(text: string, hows: readonly number[]): string {
  const letters = Array.from(text, (letter, index) => {
    const how = hows[index % Math.max(1, hows.length)] ?? 0
    const code = letter.charCodeAt(0).toString(16).padStart(4, '0')
    if (how === 0 || letter.length > 1) return JSON.stringify(letter).slice(1, -1)
    return String.raw`\u${how === 1 ? code : code.toUpperCase()}`
  })
  return `"${letters.join('')}"`
}

const howEscaped = fc.array(fc.constantFrom(0, 0, 1, 2), { maxLength: 40 })

t.test('a token whose characters a model writes as escapes comes back in JSON, whatever the pieces', async (t) => {
  const { map, email, key } = setUp()
  const piece = fc.constantFrom(
    email,
    key,
    email.slice(0, -1),
    email.slice(0, 20),
    '[',
    '[[',
    '\\',
    '"',
    'u005b',
    'é',
    '\n',
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((pieces) => pieces.join('')),
      howEscaped,
      fc.array(fc.nat(), { maxLength: 40 }),
      (text, hows, places) => {
        const json = escaped(text, hows)
        t.equal(JSON.parse(stream(map, cut(json, places), 'json')), map.restore(text))
        t.equal(JSON.parse(stream(map, [...json], 'json')), map.restore(text))
        t.equal(JSON.parse(map.restoreJson(json)), map.restore(text))
      },
    ),
    { numRuns: 300 },
  )
})

t.test('of escapes no more is held back than a token is long with all of it escaped', async (t) => {
  const { map, email } = setUp()
  const longest = 6 * Math.max(...map.tokens().map(({ length }) => length))
  const piece = fc.constantFrom(email.slice(0, -1), email.slice(0, 20), '[', '\\', '"', 'u005', 'text')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), howEscaped, (pieces, hows) => {
      const json = escaped(pieces.join(''), hows)
      const restorer = new StreamRestorer(map)
      let [came, left] = [0, 0]
      for (const letter of json) {
        came += 1
        left += restorer.push('a', 'json', letter).length
        if (came - left >= longest) return false
      }
      return left + restorer.flush('a').length === came
    }),
  )
  const restorer = new StreamRestorer(map)
  for (const piece of ['"a\\n', 'b\\\\', '\\u0041', '\\\\u005b', 'x]"'])
    t.equal(restorer.push('a', 'json', piece), piece, 'begins no token')
  t.equal(restorer.push('a', 'json', '\\u00'), '')
  t.equal(restorer.push('a', 'json', 'e9'), '\\u00e9')
})

t.test('an escape is none outside JSON', async (t) => {
  const { map, email } = setUp()
  const text = escaped(email, [1])
  t.equal(stream(map, [text]), text)
})

t.test('a value that looks like a token is not looked at again', async (t) => {
  const value = `password="${TOKEN_PREFIX}x9"`
  const map = new RedactionMap({
    detector: {
      detect: (text) => [{ kind: 'KEY', start: 0, end: text.length, rule: 'test' }],
      detectByField: () => [],
      detectInSteps: (text) => detector.detectInSteps(text),
    },
    tokenSuffix: countingSuffix,
  })
  const token = map.mask(value)
  t.equal(stream(map, [...token]), value)
})

t.test('nothing is held back where nothing was masked', async (t) => {
  const restorer = new StreamRestorer(new RedactionMap({ detector, tokenSuffix: countingSuffix }))
  t.equal(restorer.push('a', 'text', '[[LLM_RED'), '[[LLM_RED')
})
