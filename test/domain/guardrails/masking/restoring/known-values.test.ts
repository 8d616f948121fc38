import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { isUnmistakable } from '../../../../../src/domain/guardrails/masking/restoring/known-values.ts'
import { RedactionMap } from '../../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { takeAll } from '../../../../../src/domain/steps.ts'
import { buildBenign } from '../../../../fixtures/masking/benign.ts'
import { countingSuffix } from '../../../../fixtures/masking/counting-suffix.ts'

function newMap(kinds = ['PHONE', 'SSN']): RedactionMap {
  return new RedactionMap({
    detector: createDetector({ kinds: new Set(kinds), custom: [] }),
    tokenSuffix: countingSuffix,
  })
}

/** What the texts of one request become. */
function maskAll(texts: readonly string[], map = newMap()): string[] {
  const masked = texts.map((text) => map.mask(text))
  return maskAgain(
    map,
    texts.map((text) => ({ text })),
    masked,
  )
}

function maskAgain(map: RedactionMap, texts: Parameters<RedactionMap['maskAgain']>[0], masked: string[]): string[] {
  const changed = new Map(masked.entries())
  takeAll(map.maskAgain(texts, changed))
  return [...changed.values()]
}

const UNMISTAKABLE = 'hK9#xyz12 hK9mP2vL5q Tr0ub4dor d8f3a9b2c7e14f6a a1b2c3d4-e5f6 p4ss#word1 S3cr3t!pw'
for (const value of UNMISTAKABLE.split(' ')) {
  t.test(`the password ${value} is found wherever it stands in the request`, async (t) => {
    const texts = [
      `Then ${value}, or "${value}".`,
      `my password is ${value}`,
      `{"a":"x\\n${value}","b":"%20${value}"}`,
      value,
    ]
    const map = newMap()
    const masked = maskAll(texts, map)
    for (const text of masked) t.notOk(text.includes(value), text)
    t.equal(map.size, 1)
    t.strictSame(
      masked.map((text) => map.restore(text)),
      texts,
    )
    t.strictSame(maskAll(masked), masked, 'a token is not masked again')
  })
}

t.test(
  'a value that was told of is found in the colours of a terminal, and one that a command was handed',
  async (t) => {
    const token = '[[LLM_REDACTED_KEY_'
    for (const coloured of ['\u001b[31mhK9#xyz12ab\u001b[0m', String.raw`\u001b[1;31mhK9#xyz12ab\u001b[0m`])
      t.match(maskAll(['my password is hK9#xyz12ab', coloured])[1], token, coloured)
    t.match(maskAll(['echo hK9#xyz12ab | gh secret set NAME', 'got hK9#xyz12ab here'])[1], token)
    t.notMatch(maskAll(['my password is hK9#xyz12ab', 'x31mhK9#xyz12ab'])[1], token)
  },
)

t.test('a value is told by its field, a connection string or a table, too', async (t) => {
  const map = newMap()
  const masked = [
    map.mask('hK9#xyz12', false, Infinity, 'password'),
    map.mask('postgres://app:S3cr3t!pw@db:5432/x\nname,password\nbob,s3cr3tX99'),
    map.mask('hK9#xyz12 S3cr3t!pw s3cr3tX99'),
  ]
  const [, , again] = maskAgain(map, [{ text: '' }, { text: '' }, { text: '' }], masked)
  t.notMatch(again, /hK9|S3cr|s3cr/)
})

t.test('a part of a longer word is another thing', async (t) => {
  const [, beside] = maskAll(['my password is hK9xyz12M', 'ahK9xyz12M hK9xyz12Mb hK9xyz12M_x éhK9xyz12M #hK9xyz12M-'])
  t.match(beside, /^ahK9xyz12M hK9xyz12Mb hK9xyz12M_x éhK9xyz12M #\[\[LLM_REDACTED_KEY_.{8}\]\]-$/)
})

const MISTAKABLE =
  'swordfish hunter2x Summer2024 admin123 postgres15 getUser2FromDb OAuth2Token Uint8Array utf8mb4 sha256withrsa my-service-2024 2024-01-15 web-01.example 10.0.0.1:8080 python3.11 x86_64-linux 12345678 object.(*v1.Secret) a1=b2&c3=d4 LLM_REDACTED_KEY_ab1# ]]hK9#xyz12 contraseña'
for (const value of MISTAKABLE.split(' ')) {
  t.test(`${value} may be something else where it comes again`, async (t) => t.notOk(isUnmistakable(value)))
}

t.test('what looks like a token stays, whatever was told', async (t) => {
  const texts = [
    'my password is abcd2345X#',
    'my ssn is 123456789',
    '[[LLM_REDACTED_KEY_abcd2345]] [[LLM_REDACTED_123456789',
  ]
  t.equal(maskAll(texts)[2], texts[2])
})

t.test('a text that its tokens make too long is one token', async (t) => {
  const map = newMap()
  const text = 'for hK9#xyz12 only'
  const told = map.mask('password: hK9#xyz12')
  const [, again = ''] = maskAgain(map, [{ text: '' }, { text, maxLength: 32 }], [told, text])
  t.match(again, /^\[\[LLM_REDACTED_KEY_.{8}\]\]$/)
  t.equal(map.restore(again), text)
})

t.test("a password of digits is nobody else's number", async (t) => {
  const texts = ['my password is 123456789', '{"order_id":123456789}']
  t.equal(maskAll(texts)[1], texts[1])
})

t.test('no letter of an escape is a part of a value', async (t) => {
  const texts = ['my password is nK9xyz12Q', '{"a":"line\\nK9xyz12Q"}']
  t.equal(maskAll(texts)[1], texts[1])
})

t.test('a word without end that holds a value at every second place is looked at once', async (t) => {
  const map = newMap()
  const value = 'a1'.repeat(200)
  map.mask('hK9#xyz12', false, Infinity, 'password')
  map.mask(`password: ${value}b2`)
  const text = 'a1'.repeat(500_000)
  const searches: number[] = []
  const counted = Object.assign(Object(text), {
    indexOf(searched: string, from: number) {
      searches.push(from)
      return text.indexOf(searched, from)
    },
  })
  t.equal(String(counted), text)
  const masked = new Map<number, string>()
  takeAll(map.maskAgain([{ text: counted }], masked))
  t.equal(masked.size, 0)
  t.ok(searches.length <= 4)
})

t.test('a number that a word told of is found again, where it is asked for', async (t) => {
  const texts = ['My SSN: 123456789', 'Is 123456789 right? Not 1234567890.']
  t.match(maskAll(texts)[1], /^Is \[\[LLM_REDACTED_SSN_.{8}\]\] right\? Not 1234567890\.$/)
  t.equal(maskAll(texts, newMap([]))[1], texts[1])
})

t.test('ordinary texts in one request leave each other alone', async (t) => {
  const texts = buildBenign(3)
  for (const kinds of [[], ['PHONE', 'SSN']]) {
    const alone = texts.map((text) => newMap(kinds).mask(text))
    const masked = maskAll(texts, newMap(kinds))
    t.strictSame(
      masked.filter((text, index) => text === texts[index]),
      alone.filter((text, index) => text === texts[index]),
    )
  }
})

t.test('values without end are kept up to a bound, and a long text is searched in steps', async (t) => {
  const map = newMap()
  const values = Array.from({ length: 1000 }, (_, index) => `hK9#x${index}yz`)
  const told = values.map((value) => `password: ${value}`).join('\n')
  const again = `${values.join(' ')} ${'word '.repeat(20_000)}`
  const masked = new Map([[0, map.mask(told)]])
  let steps = 0
  for (const _ of map.maskAgain([{ text: told }, { text: again }], masked)) steps++
  t.equal(masked.get(1)?.match(/LLM_REDACTED/g)?.length, 32)
  t.ok(steps >= 32)
})
