import fc from 'fast-check'
import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { StreamRestorer } from '../../../../../src/domain/guardrails/masking/restoring/stream-restorer.ts'
import { takeAll } from '../../../../../src/domain/steps.ts'
import { buildBenign } from '../../../../fixtures/masking/benign.ts'
import { buildCorpus } from '../../../../fixtures/masking/corpus.ts'
import { countingSuffix } from '../../../../fixtures/masking/counting-suffix.ts'

const detector = createDetector({ kinds: new Set(['PHONE', 'IBAN', 'SSN', 'IP']), custom: [] })
const newMap = () => new RedactionMap({ detector, tokenSuffix: countingSuffix })

/** Full width, as input methods of East Asia write it. */
const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000')
/** Mathematical letters and digits: bold, without serifs. */
const bold = (text: string): string =>
  text
    .replaceAll(/[A-Z]/g, (letter) => String.fromCodePoint(0x1d5d4 + letter.charCodeAt(0) - 0x41))
    .replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1d5ee + letter.charCodeAt(0) - 0x61))
    .replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0x1d7ec + Number(digit)))
const decimal = (text: string): string => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join('')
const hexadecimal = (text: string): string =>
  [...text].map((sign) => `&#x0${sign.codePointAt(0)?.toString(16)};`).join('')
const percent = (text: string): string => encodeURIComponent(wide(text))
/** Invisible between any two characters. */
const parted = (text: string, invisible: string): string => [...text].join(invisible)
const KEY = `sk-proj-${'Ab3dE6gH9jK2mN5pQ8rS1tU4'.repeat(2)}`

const FOUND: readonly (readonly [name: string, text: string, ...values: string[]])[] = [
  ['a sign of full width', 'mail alice＠example.com now', 'alice＠example.com'],
  ['a small sign', 'mail alice﹫example.com.', 'alice﹫example.com'],
  ['full width', `请联系 ${wide('alice@example.com')}。谢谢`, wide('alice@example.com')],
  ['one letter of full width', 'ａlice@example.com', 'ａlice@example.com'],
  ['an ideographic full stop', '发到 alice@example。com，谢谢', 'alice@example。com'],
  ['a half-width one', '发到 alice@example｡com，谢谢', 'alice@example｡com'],
  ['the end of a sentence', 'alice@example.com。In 2020', 'alice@example.com'],
  ['soft hyphens', 'to ali\u00adce@exam\u00adple.com', 'ali\u00adce@exam\u00adple.com'],
  ['zero width', 'to a\u200bl\u2060ice\ufeff@\u200dexample\u200c.\u200ecom', 'a\u200bl\u2060ice\ufeff@\u200dexample\u200c.\u200ecom'],
  ['tags and selectors', 'ali\u{e0041}\u{e0042}ce@exa\ufe0fmple.com', 'ali\u{e0041}\u{e0042}ce@exa\ufe0fmple.com'],
  ['between letters with accents', 'to mü\u200cüller@example.com', 'mü\u200cüller@example.com'],
  ['escapes of JSON', String.raw`{"a":"alice\uff20example.com","b":"bo\u200Bb@example.com"}`, String.raw`alice\uff20example.com`, String.raw`bo\u200Bb@example.com`],
  ['a card of full width', `カード ${wide('4111 1111 1111 1111')} です`, wide('4111 1111 1111 1111')],
  ['a card with zero width', 'card 4111\u200b 1111\u200b 1111\u200b 1111!', '4111\u200b 1111\u200b 1111\u200b 1111'],
  ['a card with a soft hyphen between blanks', 'card 4144  3975 \u00ad 2421  7667!', '4144  3975 \u00ad 2421  7667'],
  ['a key of full width', `use ${wide(KEY)} now`, wide(KEY)],
  ['a key with a soft hyphen', `use ${KEY.slice(0, 12)}\u00ad${KEY.slice(12)} now`, `${KEY.slice(0, 12)}\u00ad${KEY.slice(12)}`],
  ['a tag at the end of a value, both halves', 'token=21a1pONVhcLN08ahXF83R8Rs\u{e0041}😀', '21a1pONVhcLN08ahXF83R8Rs'],
  ['entities of decimal digits', `<p>${decimal('alice@example.com')}</p>`, decimal('alice@example.com')],
  ['entities of hexadecimal digits', `mail ${hexadecimal('alice@example.com')}!`, hexadecimal('alice@example.com')],
  ['an address in HTML', '<a href="mailto:maria.rossi&#64;example.com">x</a>', 'maria.rossi&#64;example.com'],
  ['a named sign', 'an alice&commat;example&period;com.', 'alice&commat;example&period;com'],
  ['a named letter', 'an m&uuml;ller@example.com', 'm&uuml;ller@example.com'],
  ['an entity escaped twice', 'an alice&amp;#64;example.com und alice&amp;amp;#64;example.com', 'alice&amp;#64;example.com', 'alice&amp;amp;#64;example.com'],
  ['blanks of HTML in a telephone number', 'Tel.&nbsp;+49&nbsp;30&nbsp;901820&nbsp;oder', '+49&nbsp;30&nbsp;901820'],
  ['dots of HTML in a telephone number', 'Tel. +49&#46;30&#46;901820', '+49&#46;30&#46;901820'],
  ['blanks of HTML in an IBAN', 'IBAN&nbsp;DE89&nbsp;3704&nbsp;0044&nbsp;0532&nbsp;0130&nbsp;00.', 'DE89&nbsp;3704&nbsp;0044&nbsp;0532&nbsp;0130&nbsp;00'],
  ['blanks that do not break', 'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000, +49\u00a030\u202f901820', 'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000', '+49\u00a030\u202f901820'],
  ['soft hyphens of HTML', 'card 4111&shy;1111&#8203;1111&zwnj;1111!', '4111&shy;1111&#8203;1111&zwnj;1111'],
  ['a password of HTML', 'Contrase&ntilde;a: Tr0ub4dorx', 'Tr0ub4dorx'],
  ['mathematical letters', `call ${bold('alice')}@${bold('example')}.${bold('com')}, ok`, `${bold('alice')}@${bold('example')}.${bold('com')}`],
  ['mathematical script', 'an ℴ𝓁ℊ𝒶@ℯ𝓍𝒶𝓂𝓅𝓁ℯ.𝒸ℴ𝓂', 'ℴ𝓁ℊ𝒶@ℯ𝓍𝒶𝓂𝓅𝓁ℯ.𝒸ℴ𝓂'],
  ['a mathematical card', `card ${bold('4111 1111 1111 1111')}!`, bold('4111 1111 1111 1111')],
  ['a mathematical key', `use ${bold(KEY)} now`, bold(KEY)],
  ['full width, percent-encoded', `?q=${percent('alice@example.com')}&b=1`, percent('alice@example.com')],
  ['a sign of full width, percent-encoded', '?q=alice%EF%BC%A0example.com&b=1', 'alice%EF%BC%A0example.com'],
  ['a URL', '?tel=%2B49%2030%20901820&n=1', '%2B49%2030%20901820'],
  ['joined to a word before', `my\u200b${parted('4111111111111111', '\u2060')} `, parted('4111111111111111', '\u2060')],
  ['joined to a word behind', `${parted('4111 1111 1111 1111', '\u200b')}\u200bthanks`, parted('4111 1111 1111 1111', '\u200b')],
  ['joined to both', `my\ufeff${parted('+49 30 901820', '\u200d')}\u200bthanks`, parted('+49 30 901820', '\u200d')],
  ['joined in another disguise', `my&#8203;${bold('4111111111111111')}&ZeroWidthSpace;ok`, bold('4111111111111111')],
  ['a telephone number', `Tel. ${wide('+49 30 901820')}`, wide('+49 30 901820')],
] // prettier-ignore

for (const [name, text, ...values] of FOUND) {
  t.test(`found in disguise: ${name}`, async (t) => {
    const found = detector.detect(text).map(({ start, end }) => text.slice(start, end))
    t.strictSame(found, values)
    t.strictSame(takeAll(detector.detectInSteps(text)), detector.detect(text))
  })
}

const LEFT_ALONE: readonly string[] = [
  'من می‌خواهم به خانه‌ام بروم، ایمیل ندارم @ سلام',
  'क्‍ष और श्री‌मान जी',
  'Donau\u00addampf\u00adschiff\u00adfahrts\u00adgesell\u00adschaft und Rind\u00adfleisch',
  'Hello\u200b world\u200b, this\u200b is 12\u200b34 text',
  '我们的公司是ＡＢＣ有限公司，电话在第３页。谢谢！',
  '型番ＡＢ－１２３４－５６、価格は￥１２，０００（税込）です。',
  '发给小王@公司。谢谢大家',
  '关注@nike。It is good',
  '5＠6 and ＠alice said hi',
  '1️⃣ ✉️ 👨‍👩‍👧 #️⃣',
  '\ufeff{"a": 1}',
  '<p>Tom &amp; Jerry&nbsp;&#8211; 100&nbsp;% &lt;b&gt;fun&lt;/b&gt;&#33; &copy;&nbsp;2024, M&uuml;ller&#39;s &euro;&nbsp;5,00</p>',
  'Write `&#64;` or `&commat;` for @, `&amp;#64;` for that; &#; &#x; &#xzz; &#1114112; &#xD800; &bogus; AT&T; R&D',
  'https://example.com/a%20b?q=%D0%BF%D1%80%D0%B8&r=https%3A%2F%2Fexample.org%2F%3Fa%3Db%26c%3D1%2B1&d=50%25&%zz&%EF%BC',
  "if (a && b&c; d) printf('%20d %4d %e\\n', x &amp; y) # 10%40 == 2",
  'Let 𝐱 ∈ ℝ and 𝑓(𝑥) = 𝟐𝑥 + ℏ, 𝛼 ≥ 𝟎; ℹ️ 𝗕𝗢𝗟𝗗 𝗻𝗲𝘄𝘀 №\u00a05 \ud835 end',
  'version\u200b1\u200b.2\u200b.3 of\u200bnode\u200b@20\u200bis\u200bout, 12\u200b34\u200b56',
  `Order number ${parted('4111111111111111', '\u00ad')} has shipped`,
  String.raw`{"text":"two\u200bwords and \uff21 \u00ad"}`,
]

t.test('ordinary texts with such characters are left alone', async (t) => {
  for (const text of LEFT_ALONE) t.strictSame(detector.detect(text), [], text)
})

t.test('of the corpus, 99 % and more are found in each disguise', async (t) => {
  const wideWords = (value: string): string => value.replaceAll(/[A-Za-z0-9@._+-]/g, wide)
  const hyphened = (value: string): string =>
    `${value.slice(0, value.length / 2)}\u00ad${value.slice(value.length / 2)}`
  const spaced = (value: string): string => [...value].join('\u200b')
  // Also where zero-width characters join the value to the words beside it.
  const cases = buildCorpus(3).filter(
    ({ isCore, text, secret }) => isCore && text.includes(secret) && !secret.includes('\n'),
  )
  const entities = (value: string): string => value.replaceAll(/[^A-Za-z0-9\s]/g, decimal)
  for (const disguised of [wideWords, hyphened, spaced, entities, bold]) {
    const missed = cases.filter(({ text, secret }) => {
      const written = text.replaceAll(secret, () => disguised(secret))
      return newMap().mask(written).includes(disguised(secret))
    })
    t.ok(missed.length < cases.length * 0.01, `${disguised.name}: ${missed.length} of ${cases.length} missed`)
  }
})

const WRITINGS: readonly ((sign: string) => string)[] = [wide, decimal, hexadecimal, bold, percent]

/** Every character may be written in another way, and anything invisible may stand between two. */
const disguise = (value: string): fc.Arbitrary<string> => {
  const invisible = fc.string({
    unit: fc.constantFrom('\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u202e', '\ufe0f', '\u{e0061}', '&shy;', '&#8203;', '%E2%80%8B'),
    maxLength: 3,
  }) // prettier-ignore
  const choice = fc.record({
    write: fc.oneof(
      { weight: 2, arbitrary: fc.constant((sign: string) => sign) },
      { weight: 3, arbitrary: fc.constantFrom(...WRITINGS) },
    ),
    after: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, invisible),
  })
  return fc.array(choice, { minLength: value.length, maxLength: value.length }).map((choices) =>
    choices
      .map(({ write, after }, index) => {
        const sign = value.charAt(index)
        const written = /[A-Za-z0-9@._ +-]/.test(sign) ? write(sign) : sign
        return index + 1 < value.length ? written + after : written
      })
      .join(''),
  )
}
const values = fc.constantFrom('alice.b+c@mail.example.com', '4111 1111 1111 1111', '5555-5555-5555-4444', KEY)
const around = fc.string({ unit: 'binary', maxLength: 20 })

t.test('a value in any disguise does not leave, and comes back as it was written', async (t) => {
  fc.assert(
    fc.property(
      values.chain(disguise),
      around,
      around,
      fc.integer({ min: 1, max: 50 }),
      (value, before, after, size) => {
        const text = `${before} is ${value} ok ${after}`
        const map = newMap()
        const masked = map.mask(text)
        const start = before.length + 4
        const isCovered = detector.detect(text).some((one) => one.start <= start && one.end >= start + value.length)
        if (!isCovered || masked.includes(value)) t.fail(JSON.stringify([value, masked]))
        if (map.restore(masked) !== text) t.fail(`not restored: ${JSON.stringify(text)}`)
        const restorer = new StreamRestorer(map)
        let streamed = ''
        for (let at = 0; at < masked.length; at += size)
          streamed += restorer.push('c', 'text', masked.slice(at, at + size))
        if (streamed + restorer.flush('c') !== text) t.fail(`not restored in pieces: ${JSON.stringify(text)}`)
      },
    ),
    { numRuns: 500 },
  )
  t.pass('no counterexample')
})

t.test('far into a long text, in steps, findings are where the value stands', async (t) => {
  const filler = 'so\u00adme wo\u200brds ｏｆ \\u200b text \u{e0041}. '
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4000 }), disguise('alice@example.com'), (count, value) => {
      const text = `${filler.repeat(count)} ${value} ${filler.repeat(4000 - count)}`
      const found = takeAll(detector.detectInSteps(text)).map(({ start, end }) => text.slice(start, end))
      t.strictSame(found, [value])
    }),
    { numRuns: 20 },
  )
})

t.test('no finding parts the halves of a character', async (t) => {
  const [tag, smile] = ['\u{e0041}', '😀']
  const texts = [
    `@alice${bold('a')}@example.com ${bold('a')}lice@example.com${bold('a')} token=${bold('21a1pONVhcLN08ahXF83R8Rs')}`,
    `@alice${tag}@example.com and bob${tag}@example.com`,
    `${smile.repeat(80)}x${smile.repeat(20)}@example.com`,
    `token=21a1pONVhcLN08ahXF83R8Rs${tag}${smile}`,
    `api key: ${smile}${'aB3dE6gH9jK2mN5pQ8rS1tU4vW7x'.repeat(18)}${smile.repeat(90)}`,
  ]
  for (const text of texts)
    for (const { start, end } of detector.detect(text)) t.ok(text.slice(start, end).isWellFormed(), text)
})

t.test('a text full of findings is worked on in many steps, and all are in their places', async (t) => {
  const [open, disguised] = ['ann@b.de', 'an\u200bn@b.de']
  const text = `${open} ${disguised} `.repeat(20_000)
  const steps = detector.detectInSteps(text)
  let count = 0
  for (;;) {
    const step = steps.next()
    count++
    if (step.done !== true) continue
    const found = step.value.map(({ start, end }) => text.slice(start, end))
    t.strictSame([found.length, new Set(found)], [40_000, new Set([open, disguised])])
    break
  }
  t.ok(count > 100, `${count} steps`)
})

t.test('each writing of a value has a token of its own', async (t) => {
  const map = newMap()
  const text = 'alice@example.com, alice＠example.com, alice@example.com'
  const [plain, disguised, again] = map.mask(text).split(', ')
  t.equal(plain, again)
  t.not(plain, disguised)
  t.equal(map.restore(`${disguised}`), 'alice＠example.com')
})

t.test(
  'texts written in HTML, percent-encoded or in mathematical letters hide what they would show in plain',
  async (t) => {
    const html = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;') // prettier-ignore
    for (const written of [html, encodeURIComponent, decimal, bold]) {
      const cases = buildCorpus(2).filter(({ isCore }) => isCore)
      const missed = cases.filter(({ text, secret }) => newMap().mask(written(text)).includes(written(secret)))
      t.ok(missed.length < cases.length * 0.01, `${written.name}: ${missed.length} of ${cases.length} missed`)
    }
  },
)

t.test('ordinary texts written in HTML are left alone, byte for byte', async (t) => {
  const html = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll('  ', '&nbsp; ') // prettier-ignore
  const always = createDetector({ kinds: new Set(), custom: [] })
  const texts = buildBenign(2)
  const altered = texts.filter((text) => {
    const map = new RedactionMap({ detector: always, tokenSuffix: countingSuffix })
    return map.mask(`<p>&#33;&nbsp;${html(text)}</p>`) !== `<p>&#33;&nbsp;${html(text)}</p>`
  })
  t.comment(altered.join('\n'))
  t.ok(altered.length <= texts.length * 0.01, `${altered.length} of ${texts.length} altered`)
})
