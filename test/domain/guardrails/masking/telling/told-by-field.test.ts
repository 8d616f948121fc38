import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { buildBenign } from '../../../../fixtures/masking/benign.ts'
import { countingSuffix } from '../../../../fixtures/masking/counting-suffix.ts'

const detector = createDetector({ kinds: new Set(['PHONE', 'SSN']), custom: [] })

/** As long as a token of AWS. */
const LONG = `IQoJb3JpZ2luX2VjE${'Hoa+XVz/LWVhc3QtMSJ9'.repeat(45)}==`
const WALLET = 'abandon ability able about above absent absorb abstract absurd abuse access accident'

const TOLD: readonly (readonly [name: string, text: string, masked: string, kind: string])[] = [
  ['password', 'hK9#mP2$vL5q', 'hK9#mP2$vL5q', 'KEY'],
  ['DB_PASSWORD', 'Tr0ub4dor&3xyz', 'Tr0ub4dor&3xyz', 'KEY'],
  ['password', 'a"b\\c#9dd', 'a"b\\c#9dd', 'KEY'],
  ['password', ' hK9#mP2$\n', 'hK9#mP2$', 'KEY'],
  ['dbPassword1', 'swordfish', 'swordfish', 'KEY'],
  ['apiKey', 'd8f3a9b2c7e14f6a8b0c1d2e3f4a5b6c', 'd8f3a9b2c7e14f6a8b0c1d2e3f4a5b6c', 'KEY'],
  ['aws_session_token', 'IQoJb3JpZ2luX2VjEHoaCXVzLWVhc3QtMSJH', 'IQoJb3JpZ2luX2VjEHoaCXVzLWVhc3QtMSJH', 'KEY'],
  ['Recovery phrase', WALLET, WALLET, 'KEY'],
  ['SessionToken', LONG, LONG, 'KEY'],
  ['Authorization', `Bearer ${LONG}`, LONG, 'KEY'],
  ['Authorization', `Negotiate ${LONG}`, LONG, 'KEY'],
  ['Authorization', 'Bearer hK9mP2vL5qAbC3dE', 'hK9mP2vL5qAbC3dE', 'KEY'],
  ['密码', 'hK9#mP2$vL5q', 'hK9#mP2$vL5q', 'KEY'],
  ['reset_token', '9f8e7d6c5b4a39281706f5e4d3c2b1a0', '9f8e7d6c5b4a39281706f5e4d3c2b1a0', 'KEY'],
  ['enable_secret', 's3cr3tR0uter', 's3cr3tR0uter', 'KEY'],
  ['resetPassword', 'Summer2024!', 'Summer2024!', 'KEY'],
  ['password', 'min:Sup3rS3cret', 'min:Sup3rS3cret', 'KEY'],
  ['password', 'correct|horse|battery', 'correct|horse|battery', 'KEY'],
  ['clave', 'secreta', 'secreta', 'KEY'],
  ['pass', 'letmein', 'letmein', 'KEY'],
  ['pass', '12345678', '12345678', 'KEY'],
  ['password', 'Summer(2024)', 'Summer(2024)', 'KEY'],
  ['password', 'abc[1]xyz9', 'abc[1]xyz9', 'KEY'],
  ['password', '12-345', '12-345', 'KEY'],
  ['x\npassword', 'hK9#mP2$vL5q', 'hK9#mP2$vL5q', 'KEY'],
  ['remember_me\ncookies', '38afes7a8', '38afes7a8', 'KEY'],
  ['sid\nshop.example\nrequestCookies', '38afes7a8', '38afes7a8', 'KEY'],
  ['value\napi_key', 'abc123def456', 'abc123def456', 'KEY'],
  ['phone', '4155552671', '4155552671', 'PHONE'],
  ['ssn', '123456789', '123456789', 'SSN'],
]

t.test('the field of a header tells of the cookies in it', async (t) => {
  for (const name of ['Cookie', 'Set-Cookie\nheaders', 'set_cookie', 'cookies', 'requestCookies'])
    for (const [text, secret] of [
      ['theme=dark; sid=38afes7a8', '38afes7a8'],
      ['rememberMe=38afes7a8; Path=/; HttpOnly', '38afes7a8'],
      [`theme=${'dark'.repeat(200)}; sid=38afes7a8`, '38afes7a8'],
    ] as const) {
      const map = new RedactionMap({ detector, tokenSuffix: countingSuffix })
      const written = map.mask(text, false, Infinity, name)
      t.notMatch(written, secret, `${name}: ${text}`)
      t.equal(map.restore(written), text)
    }
  const map = new RedactionMap({ detector, tokenSuffix: countingSuffix })
  for (const text of ['theme=dark; consent=yes', 'sid=enabled', 'we use cookies: see a=b'])
    t.equal(map.mask(text, false, Infinity, 'Cookie'), text)
  t.equal(map.mask('sid=38afes7a8', false, Infinity, 'note'), 'sid=38afes7a8')
})

for (const [name, text, masked, kind] of TOLD) {
  t.test(`the name ${name} tells what stands in its field: ${JSON.stringify(text)}`, async (t) => {
    const map = new RedactionMap({ detector, tokenSuffix: countingSuffix })
    const [before = '', after = ''] = text.split(masked)
    const written = map.mask(text, false, Infinity, name)
    t.match(written, new RegExp(`^\\s*(?:Bearer |Negotiate )?\\[\\[LLM_REDACTED_${kind}_.{8}\\]\\]\\s*$`))
    t.ok(written.startsWith(before) && written.endsWith(after))
    t.equal(map.restore(written), text)
    t.equal(map.mask(written, false, Infinity, name), written, 'a token is not masked again')
  })
}

t.test('the more exact kind goes before what the name tells', async (t) => {
  const map = new RedactionMap({ detector, tokenSuffix: countingSuffix })
  t.match(map.mask('bob@example.com', false, Infinity, 'password'), /^\[\[LLM_REDACTED_EMAIL_.{8}\]\]$/)
})

const LEFT: readonly (readonly [name: string, text: string])[] = [
  ['next_page_token', 'CAUQAAhK9mP2vL5qAbC3dE'],
  ['max_tokens', '12345678'],
  ['token_count', '12345678'],
  ['token', 'USD'],
  ['key', 'user:1'],
  ['key', 'projects/demo/locations/eu/keyRings/r1'],
  ['key', 'ArrowLeft'],
  ['code', 'const x = require("y"); foo(x)'],
  ['password', 'required'],
  ['password', 'string'],
  ['password', '${DB_PASSWORD}'],
  ['password', '<your-password>'],
  ['password', 'process.env.PASSWORD'],
  ['password', '[[LLM_REDACTED_KEY_0123abcd]]'],
  ['password', 'min:8'],
  ['password', 'required|min:8|confirmed'],
  ['password', 'VARCHAR(255)'],
  ['pass', '12/12'],
  ['show_password', 'toggle'],
  ['password', '8-64'],
  ['password', '#login-password'],
  ['password', 'input[type=password]'],
  ['password', '//input[@id="pw"]'],
  ['pass', '98.5%'],
  ['requirePassword', 'always'],
  ['passwordField', 'hK9#mP2$vL5q'],
  ['value\npassword', 'swordfish'],
  ['remember_me\ncookies', 'true'],
  ['remember_me\nform', '38afes7a8'],
  ['theme\ncookies', 'dark1234'],
  ['x\npassword', 'Mind. 8 Zeichen'],
  ['tokens', '#3b82f6ff'],
  ['token', 'rgba(0,0,0,0.25)'],
  ['commit', 'd8f3a9b2c7e14f6a8b0c1d2e3f4a5b6c'],
  ['order_number', '4155552671'],
  ['x'.repeat(500) + 'password', 'hK9#mP2$vL5q'],
]

for (const [name, text] of LEFT) {
  t.test(`the name ${name.slice(-24)} leaves ${JSON.stringify(text)}`, async (t) => {
    t.strictSame(detector.detectByField(name, text), [])
  })
}

t.test('beside ordinary names nothing is told of ordinary texts', async (t) => {
  const names = ['text', 'content', 'query', 'key', 'code', 'path', 'url', 'id', 'label', 'token_count', 'page_token']
  for (const text of buildBenign(1, 1))
    for (const name of names) t.strictSame(detector.detectByField(name, text), [], `${name}: ${text}`)
})
