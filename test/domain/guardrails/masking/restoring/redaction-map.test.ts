import fc from 'fast-check'
import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { takeAll } from '../../../../../src/domain/steps.ts'
import { countingSuffix } from '../../../../fixtures/masking/counting-suffix.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

function newMap(tokenSuffix = countingSuffix): RedactionMap {
  return new RedactionMap({ detector, tokenSuffix })
}

const PIECES = [
  'bob@example.com',
  'amy@example.org',
  '4111 1111 1111 1111',
  'password=hunter2x',
  ' and ',
  '\n',
  '"',
  '[[',
  ']]',
  'LLM_REDACTED_',
  'text',
]
const someText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 12 })
  .map((pieces) => pieces.join(' '))

t.test('a text that its tokens make longer than allowed is one token, which comes back whole', async (t) => {
  const text = 'tenant/a@b.com'
  const token = '[[LLM_REDACTED_EMAIL_00000000]]'.length
  const roomy = newMap()
  t.match(roomy.mask(text, false, 'tenant/'.length + token), /^tenant\/\[\[LLM_REDACTED_EMAIL_.{8}\]\]$/)
  const tight = newMap()
  const masked = tight.mask(text, false, 'tenant/'.length + token - 1)
  t.match(masked, /^\[\[LLM_REDACTED_EMAIL_.{8}\]\]$/)
  t.equal(tight.restore(masked), text)
  t.strictSame([...tight.counts], [['EMAIL', 1]])
  const already = newMap().mask(text, false, text.length - 1)
  t.match(already, /^tenant\/\[\[/, 'one that was too long before is left to its reader to refuse')
  t.equal(newMap().mask('clean', false, 1), 'clean')
})

t.test('the same value gives the same token, another value another one, and both come back', async (t) => {
  const map = newMap()
  const masked = map.mask('bob@example.com, amy@example.org, bob@example.com')
  const [bob, amy, again] = masked.split(', ')
  t.match(bob, /^\[\[LLM_REDACTED_EMAIL_[a-z0-9]{8}\]\]$/)
  t.equal(bob, again)
  t.not(bob, amy)
  t.equal(map.restore(masked), 'bob@example.com, amy@example.org, bob@example.com')
  t.equal(map.counts.get('EMAIL'), 3)
  t.equal(map.size, 2)
})

t.test('what is said of a restored text is hidden again, also where a pointer escapes it', async (t) => {
  const map = newMap()
  const key = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
  const masked = map.mask(`aws_secret_access_key = ${key}\nbob@example.com`)
  const [secret = '', bob = ''] = masked.match(/\[\[LLM_REDACTED_\w+\]\]/g) ?? []
  t.notMatch(masked, /wJalr/)
  t.equal(
    map.hide(`/${key.replaceAll('/', '~1')}/0 is wrong, so is ${key} of bob@example.com`),
    `/${secret}/0 is wrong, so is ${secret} of ${bob}`,
  )
  t.equal(map.hide('/city is wrong'), '/city is wrong')
  t.equal(map.hide('bob@example.com.au, (bob@example.com)'), `${bob}.au, (${bob})`)
  const findAll = (text: string) => Array.from(text.matchAll(/RED/g), ({ index }) => [index, index + 3] as const)
  const custom = new RedactionMap({
    detector: createDetector({ kinds: new Set(), custom: [{ kind: 'CUSTOM', pattern: { type: 'pattern', findAll } }] }),
    tokenSuffix: countingSuffix,
  })
  const both = custom.mask('RED bob@example.com')
  t.equal(
    custom.hide('bob@example.com is RED'),
    both.split(' ').toReversed().join(' is '),
    'a token is no text to hide in',
  )
})

t.test('values with one suffix get different tokens', async (t) => {
  const map = newMap((_kind, _value, attempt) => `taken00${attempt}`)
  const masked = map.mask('bob@example.com amy@example.org')
  t.equal(masked, '[[LLM_REDACTED_EMAIL_taken000]] [[LLM_REDACTED_EMAIL_taken001]]')
  t.equal(map.restore(masked), 'bob@example.com amy@example.org')
})

t.test("a client's own token-like text is neither changed nor restored", async (t) => {
  const map = newMap()
  const literal = '[[LLM_REDACTED_EMAIL_abcd2345]] [[LLM_REDACTED_KEY_zzzz2222]] [[LLM_REDACTED_'
  t.equal(map.mask(literal), literal)
  t.equal(map.mask('bob@example.com').startsWith('[[LLM_REDACTED_EMAIL_'), true)
  t.equal(map.restore(literal), literal)
})

t.test('a token of another request is an unknown text', async (t) => {
  const token = newMap().mask('bob@example.com')
  const map = newMap()
  map.mask('amy@example.org')
  t.equal(map.restore(token), token)
})

t.test("a value whose token the client wrote takes the next one, and the client's text stays", async (t) => {
  const token = newMap().mask('bob@example.com')
  const map = newMap()
  map.reserve(`earlier: ${token}`)
  const masked = map.mask(`bob@example.com and ${token}`)
  t.notOk(masked.startsWith(token))
  t.equal(map.restore(masked), `bob@example.com and ${token}`)
})

t.test('a look-alike that comes after its token was given out keeps that token from being restored', async (t) => {
  const map = newMap()
  const token = map.mask('bob@example.com')
  map.mask(`I wrote ${token}`)
  t.equal(map.restore(token), token)
  t.strictSame(map.tokens(), [])
})

t.test('a value is escaped where it goes into JSON', async (t) => {
  const map = newMap()
  const key = `-----BEGIN PRIVATE KEY-----\n${'Ab1'.repeat(20)}\n-----END PRIVATE KEY-----`
  const json = JSON.stringify({ key: map.mask(key) })
  t.strictSame(JSON.parse(map.restoreJson(json)), { key })
})

t.test('ordinals make requests equal that differ in values only, and tokens come back for them', async (t) => {
  const [one, other] = [newMap(), newMap()]
  const ordinals = one.toOrdinals(one.mask('From bob@example.com to amy@example.org'))
  t.equal(ordinals, 'From [[LLM_REDACTED_EMAIL_#1]] to [[LLM_REDACTED_EMAIL_#2]]')
  const masked = other.mask('From eve@example.com to dan@example.org')
  t.equal(other.toOrdinals(masked), ordinals)
  t.equal(other.fromOrdinals(ordinals), masked)
  t.equal(
    other.fromOrdinals('[[LLM_REDACTED_EMAIL_#3]] [[LLM_REDACTED_KEY_#1]]'),
    '[[LLM_REDACTED_EMAIL_#3]] [[LLM_REDACTED_KEY_#1]]',
  )
})

// A seed: a token is another neighbour than its value was, which may change the judgement of an unclear one beside it.
t.test('restoring what was masked gives the text back, and masking twice changes nothing, for any text', async (t) => {
  fc.assert(
    fc.property(someText, (text) => {
      const map = newMap()
      const masked = map.mask(text)
      return map.restore(masked) === text && newMap().mask(masked) === masked
    }),
    { numRuns: 500, seed: 1 },
  )
  t.pass()
})

t.test('text outside findings is never lost, for any text', async (t) => {
  fc.assert(
    fc.property(someText, (text) => {
      const masked = newMap().mask(text)
      let rebuilt = ''
      let from = 0
      for (const { start, end } of detector.detect(text)) {
        rebuilt += text.slice(from, start) + '\0'
        from = end
      }
      rebuilt += text.slice(from)
      return (
        masked.replace(/\[\[LLM_REDACTED_[A-Z]+_[a-z0-9]{8}\]\]/g, '\0') ===
        rebuilt.replace(/\[\[LLM_REDACTED_[A-Z]+_[a-z0-9]{8}\]\]/g, '\0')
      )
    }),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('a long text is masked in steps to the same text', async (t) => {
  fc.assert(
    fc.property(someText, (piece) => {
      const text = `${piece} ${'a word, bob@example.com or 4111 1111 1111 1111; '.repeat(1000)}${piece}`
      return takeAll(newMap().maskInSteps(text)) === newMap().mask(text)
    }),
    { numRuns: 30 },
  )
  t.pass()
})

t.test('the longer a text, the more steps masking takes, and none of them makes many tokens', async (t) => {
  let made = 0
  const map = newMap((kind, value, attempt) => {
    made++
    return countingSuffix(kind, value, attempt)
  })
  const text = Array.from({ length: 10_000 }, (_, index) => `u${index}@example.com`).join(' ')
  const masking = map.maskInSteps(text)
  let most = 0
  for (let step = masking.next(), before = 0; step.done !== true; step = masking.next()) {
    most = Math.max(most, made - before)
    before = made
  }
  t.equal(map.size, 10_000)
  t.ok(most < 1000, `${most} in one step`)
})
