import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('behind a name without a value, the variable of the next line is none', async (t) => {
  for (const text of [
    'DB_PASSWORD=\nDB_PORT=3306\n',
    'DB_PASSWORD=\n\n# DB_PORT=3306\n#DB_PORT=3306\n',
    'DB_PASSWORD=\nS3_BUCKET=\n',
    'root="$PWD"\nlint_tests="${TESTS}"\n',
    'AWS_SECRET_ACCESS_KEY=\nAWS_DEFAULT_REGION=us-east-1\n',
    'spring.datasource.password=\r\nspring.jpa.version=h2x5\r\n',
  ]) {
    t.strictSame(found(text), [], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), [], escaped)
  }
  t.strictSame(found('data:\n  password: |\n    aHVudGVyMg==\n'), ['aHVudGVyMg=='])
})

t.test('how many characters a password has to have stays', async (t) => {
  t.strictSame(found('Password: 8-16 characters\nPasswort: 8-20 Zeichen\nParola: 6–20 karakter'), [])
  t.strictSame(found('Password: 12-345'), ['12-345'])
})

t.test('the name of an algorithm or standard stays', async (t) => {
  for (const name of [
    'PBKDF2-SHA256',
    'pbkdf2_sha256',
    'SCRAM-SHA-256',
    'CRAM-MD5',
    'HMAC-SHA512',
    'RSA-OAEP-256',
    'SHA-512/256',
    'sha512_crypt',
    'UTF-16LE',
    'ISO-8859-1',
    'RFC7617',
    'NTLMv2',
    'WPA2-PSK',
    'WPA2-Enterprise',
    'AES-256-GCM-SIV',
    'caching_sha2_password',
    'keccak256',
    'ripemd160',
    'ChaCha20-Poly1305',
    'SSHA512',
    'BLAKE2b-512',
    'Kerberos5',
    'Ed25519',
  ])
    t.strictSame(found(`Password: ${name}`), [], name)
  for (const password of ['wpa2hacker', 'kerberos5!x', 'sha2024x', 'md5crypt9', 'rfc-2024-x'])
    t.strictSame(found(`Password: ${password}`), [password])
})

t.test('a short name is found behind an escape', async (t) => {
  for (const text of [
    'user: bob\npass: Qwer!234',
    'see\n\npw: Qwer!234\n',
    'access\r\ncreds: bob / Qwer!234',
    'x\n\tpass=Qwer!234',
  ]) {
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), ['Qwer!234'], escaped)
    t.strictSame(found(JSON.stringify({ escaped })), ['Qwer!234'])
  }
  t.strictSame(found('{"text":"x\\nkey: XK4P-9QTZ-M2LW-7VRN"}'), ['XK4P-9QTZ-M2LW-7VRN'])
  t.strictSame(found('C:\\token=Qwer1234Zx'), ['Qwer1234Zx'])
  t.strictSame(found('{"text":"x\\npass: 12, fail: 0\\npass src/a2.ts\\nkey: user_id2"}'), [])
})

t.test('what says where a password is kept stays', async (t) => {
  for (const value of ['`cat /run/secrets/x2`', '`pass show db/prod2`', '`vault read -field=x2 y`'])
    t.strictSame(found(`DB_PASSWORD=${value}`), [], value)
  for (const value of ["'%env(DB_PASSWORD)%'", '"%env(resolve:DB_PASSWORD2)%"', 'ref+awssecrets://prod/db2'])
    t.strictSame(found(`password: ${value}`), [], value)
  t.strictSame(found('password = `gold Fish 7x`'), ['gold Fish 7x'])
})

t.test('of two values behind a name and its user the second is the password', async (t) => {
  for (const text of [
    'Login/PW: jdoe / Qwer!234',
    'Username / Password: admin2 / Qwer!234',
    'Benutzer/Passwort: admin2/Qwer!234',
    'Логин/пароль: admin / Qwer!234',
    'Login/Passwort:\nadmin\nQwer!234\n',
  ])
    t.strictSame(found(text), ['Qwer!234'], text)
  for (const text of [
    'Username/Password: required / 8-20 characters',
    'Username / Password login with OAuth2, SAML / OIDC2.0',
    'Benutzer/Passwort: siehe Wiki / Seite12',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password keeps the sign at its end, in front of its name and behind a user as well', async (t) => {
  for (const text of ['Qwer234! is my password', 'login with jdoe / Qwer234!', 'Login/PW: jdoe / Qwer234!'])
    t.strictSame(found(text), ['Qwer234!'], text)
  t.strictSame(found('Great! is my password safe? Login with a user / password! See docs / README2!'), [])
})

t.test('a key in groups is found behind its name', async (t) => {
  for (const [text, key] of [
    ['License key: XK4P-9QTZ-M2LW-7VRN', 'XK4P-9QTZ-M2LW-7VRN'],
    ['"licenseKey": "A1B2C-D3E4F-G5H6I-J7K8L-M9N0P"', 'A1B2C-D3E4F-G5H6I-J7K8L-M9N0P'],
    ['Windows product key: VK7JG-NPHTM-C97JM-9MPGT-3V66T', 'VK7JG-NPHTM-C97JM-9MPGT-3V66T'],
  ] as const)
    t.strictSame(found(text), [key], text)
  t.strictSame(found('token: 2026-1128-1030, product_key: SKU-1234-ABCD, license_key: apache-2.0, XK4P-9QTZ-M2LW'), [])
})

t.test("a password with a digit in the place of a letter is no placeholder ('my5ql')", async (t) => {
  for (const value of ['my5ql#root', 'my5ecretKey', 'the0ne!xy', 'y0ur-m0m'])
    t.strictSame(found(`password="${value}"`), [value], value)
  for (const value of ['my-password1', 'your-password-2', 'my_secret3', 'example1', 'the-password-1', 'your1'])
    t.strictSame(found(`password="${value}"`), [], value)
})

t.test(
  'two words with a dot between them and a number are a password, other members of objects are code',
  async (t) => {
    for (const password of ['Blue.Sky77', 'Summer.Rain2024']) t.strictSame(found(`Password: ${password}\n`), [password])
    for (const member of [
      'cfg.password2',
      'Config.Password',
      'opts.k1',
      'Settings.Value1',
      'Colors.Blue500',
      'a.Sky77',
    ])
      t.strictSame(found(`  Password: ${member},\n`), [], member)
  },
)
