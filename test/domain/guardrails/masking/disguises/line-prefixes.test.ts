import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import { amongPrefixes, withoutPrefixes } from '../../../../../src/domain/guardrails/masking/disguises/line-prefixes.ts'
import { scan } from '../../../../../src/domain/guardrails/masking/scan.ts'
import { takeAll } from '../../../../../src/domain/steps.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

const TEXTS: readonly (readonly [text: string, ...secrets: string[]])[] = [
  ['name,password\nbob,hunter2x\namy,swordfish9', 'hunter2x', 'swordfish9'],
  [' id | name | password\n----+------+----------\n  1 | bob  | hunter2x', 'hunter2x'],
  ["INSERT INTO users (name, password) VALUES\n('bob', 'hunter2x'),\n('amy', 'hunter3x');", 'hunter2x', 'hunter3x'],
  ['- name: DB_PASSWORD\n  value: hunter2x\npassword:\n  hunter3x', 'hunter2x', 'hunter3x'],
  ['{\n  "password":\n    "hunter2x",\n  "name": "token",\n  "value": "abc123def456"\n}', 'hunter2x', 'abc123def456'],
]

const WAYS: Readonly<Record<string, (line: string, index: number) => string>> = {
  'numbers and tabs': (line, index) => `${String(index + 98).padStart(6)}\t${line}`,
  'numbers and arrows': (line, index) => `${String(index + 1).padStart(6)}→${line}`,
  'numbers and bars': (line, index) => `${String(index + 8).padStart(4)} | ${line}`,
  'numbers and colons': (line, index) => `${index + 1}: ${line}`,
  'places of grep': (line, index) => `src/a-b/c.txt:${index + 9}:${line}`,
  'what a diff adds': (line) => `+${line}`,
  quotations: (line) => `> ${line}`,
  "a container's name": (line) => `app-1  | ${line}`,
}

for (const [way, write] of Object.entries(WAYS)) {
  t.test(`what is told of over a line's end is found behind ${way}`, async (t) => {
    for (const [text, ...secrets] of TEXTS) {
      const written = text.split('\n').map(write).join('\n')
      t.strictSame(found(written), secrets, written)
      const within = `Here it is:\n${written}\n\nThat is all.`
      t.strictSame(found(within), secrets, within)
      t.strictSame(takeAll(detector.detectInSteps(within)), detector.detect(within))
    }
  })
}

const SECOND: Readonly<Record<string, (line: string, index: number) => string>> = {
  'comment signs of scripts': (line) => `# ${line}`,
  'comment signs without a blank': (line) => `#${line}`,
  'comment signs of C': (line) => `  // ${line}`,
  'comment signs of Javadoc': (line) => ` * ${line}`,
  'comment signs of SQL': (line) => `-- ${line}`,
  'comment signs of INI files': (line) => `; ${line}`,
  'times of a log': (line, index) => `2026-11-28T18:00:0${index}.123Z ${line}`,
  'times of a day': (line, index) => `[18:00:0${index}] ${line}`,
  "a cluster's log": (line, index) => `2026-11-28T18:00:00.${index}Z stdout F ${line}`,
  'times and names of syslog': (line, index) => `Nov 28 18:00:0${index} host app[12]: ${line}`,
  'steps and times of a workflow': (line, index) => `build\tRun x\t2026-11-28T18:00:0${index}.1234567Z ${line}`,
  'a quotation and the sign of a diff': (line) => `> + ${line}`,
  'numbers and the sign of a diff': (line, index) => `${index + 9}: + ${line}`,
  'numbers and comment signs': (line, index) => `${String(index + 1).padStart(6)}\t# ${line}`,
  'what a diff adds as a comment': (line) => `+// ${line}`,
}
const CUT_KEY = `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEpAIBAAKCAQEA7bq3Vx9k'.repeat(2)}\n`.repeat(3)}`.trimEnd()

for (const [way, write] of Object.entries(SECOND)) {
  t.test(`what is told of over a line's end is found behind ${way}`, async (t) => {
    for (const [text, ...secrets] of [
      ['name,password\nbob,hunter2x\namy,swordfish9', 'hunter2x', 'swordfish9'],
      ['password:\n  hunter2x', 'hunter2x'],
      ['- name: DB_PASSWORD\n  value: hunter2x', 'hunter2x'],
      ['recovery codes:\n4821-9375\n1122-3344', ['4821-9375', '1122-3344']],
      [CUT_KEY, CUT_KEY.split('\n')],
    ] as const) {
      const lines = text.split('\n').map(write)
      const written = `Here it is:\n${lines.join('\n')}\n\nThat is all.`
      const expected = secrets.map((secret) =>
        typeof secret === 'string'
          ? secret
          : lines
              .slice(-secret.length)
              .join('\n')
              .slice((lines.at(-secret.length) ?? '').indexOf(secret[0] ?? '')),
      )
      t.strictSame(found(written), expected, written)
      t.strictSame(takeAll(detector.detectInSteps(written)), detector.detect(written))
    }
  })
}

t.test('comments and times of which none tells of the next line are not read again', async (t) => {
  for (const text of [
    '// the password\n// of bob\n',
    '# a key, a token\n# or both\n',
    '2026-11-28T18:00:00Z GET /login\n2026-11-28T18:00:01Z GET /token\n',
  ])
    t.equal(takeAll(withoutPrefixes(text)), undefined, text)
})

t.test('it is found in a hunk of a diff', async (t) => {
  const diff =
    '--- a/x.csv\n+++ b/x.csv\n@@ -1,3 +1,4 @@\n name,password\n-bob,hunter2x\n+bob,hunter3x\n+amy,hunter4x\n\\ No newline'
  t.strictSame(found(diff), ['hunter2x', 'hunter3x', 'hunter4x'])
})

t.test('lines without such a beginning, and one alone, stay as they are', async (t) => {
  for (const text of [
    'one line',
    'a\nb\n',
    '1\ta line alone\nand another',
    '1: a\n3: b',
    'a | b\nc | d',
    '2024: a year\n\n2025: another',
  ])
    t.equal(takeAll(withoutPrefixes(text)), undefined, text)
  t.equal(takeAll(withoutPrefixes('x\r\n1\ta\r\n2\tb\r\n')), 'x\r\na\r\nb\r\n')
  t.equal(takeAll(withoutPrefixes('@@ -1 +1 @@\n a\n-b\n\n+c\nd')), ' -1 +1 @@\na\nb\n\nc\nd')
})

t.test('a diff without its signs is none, whose indentation would be taken for signs', async (t) => {
  const plain = takeAll(withoutPrefixes('@@ -1,2 +1,2 @@ main:\n   a:\n-    b: 1\n+    b: 2\n'))
  t.equal(plain, ' -1,2 +1,2 @@ main:\n  a:\n    b: 1\n    b: 2\n')
  t.equal(takeAll(withoutPrefixes(plain ?? '')), undefined)
  const ofDiff = takeAll(withoutPrefixes('@@ -1 +1,2 @@\n+@@ -7 +7 @@\n+ a\n++b\n'))
  t.equal(takeAll(withoutPrefixes(ofDiff ?? '')), ' -1 +1,2 @@\n -7 +7 @@\na\nb\n')
})

t.test("a column's values that look like such a beginning are found", async (t) => {
  for (const [text, ...secrets] of [
    ['password | user\nhunter2x | bob\nhunter2x | amy', 'hunter2x', 'hunter2x'],
    ['password\tname\n4711123\tbob\n4711124\tamy', '4711123', '4711124'],
  ] as const)
    t.strictSame(found(text), secrets, text)
})

t.test("lines of a container's log are no table", async (t) => {
  t.strictSame(found('web-1  | login password\nweb-1  | started\nweb-1  | ExtUtils::MakeMaker->import2(x);\n'), [])
  t.strictSame(found('user | password\nbob | hunter2x\nbob | hunter3x\n'), ['hunter2x', 'hunter3x'])
  t.strictSame(found('user | password\nuser | hunter2x\nbob | hunter3x\n'), ['hunter2x', 'hunter3x'])
  t.strictSame(found('web-1    | password\nredis-1  | Ready to accept connections tcp4\nweb-1    | x\n'), [])
})

t.test('a finding over several lines holds what stands before them', async (t) => {
  const text = '1\tab\n2\tcd\n3\tef'
  const finding = { kind: 'KEY', rule: 'x', start: 1, end: 4 }
  t.strictSame(takeAll(amongPrefixes(text, [finding])), [{ ...finding, start: 3, end: 8 }])
  t.strictSame(takeAll(amongPrefixes(text, [{ ...finding, start: 6, end: 8 }])), [{ ...finding, start: 12, end: 14 }])
})

t.test('a long text is read in many steps', async (t) => {
  for (const line of ['1\ta\n', '+\n', '> \n', '@@ -1 +1 @@\n+a\n']) {
    const text = line.repeat(400_000 / line.length)
    t.ok([...withoutPrefixes(text)].length > 3, line)
  }
  t.ok([...amongPrefixes('+a\n'.repeat(100_000), [{ kind: 'KEY', rule: 'x', start: 0, end: 199_999 }])].length > 3)
})

t.test(
  'of a long log, read in windows, none that begins within a line is taken for the beginning of one',
  async (t) => {
    const WINDOW = 32 * 1024
    const line = '2026-01-10T12:13:07.123Z INFO [keep] request_id=b86738b4 status=200 pass draw river\n'
    for (const part of ['T', '2', ':', 'I']) {
      const beginning = 'x'.repeat(WINDOW - line.length - line.indexOf(part) - 1)
      const text = `${beginning}\n${line.repeat(1000)}`
      t.ok(text.startsWith(part, WINDOW))
      t.equal(takeAll(withoutPrefixes(text)), undefined)
    }
  },
)

t.test('a line that tells of the next is found wherever a window ends', async (t) => {
  const line = '2026-01-10T12:13:07Z INFO draw river\n'
  const told = '2026-01-10T12:13:07Z password:\n2026-01-10T12:13:07Z   hunter2x\n'
  for (let shift = 0; shift < told.length + 8; shift++) {
    const text = `${line.repeat(1000).slice(-(32 * 1024) - 8 + shift)}${told}`
    t.type(takeAll(withoutPrefixes(text)), 'string', String(shift))
  }
})

t.test("only where a word may tell of something over a line's end are lines read again", async (t) => {
  for (const line of [
    'web-1  | GET /api/v1/users 200',
    '+  return total',
    'alice@example.com logged in',
    '4111 1111 1111 1111',
  ])
    t.notOk(scan(`${line}\n${line}\n`).hasTelling, line)
  const told = [
    'password',
    'the api\n',
    '密码',
    'backup codes\n',
    'AKIAIOSFODNN7EXAMPLQ',
    '-----BEGIN PRIVATE KEY-----',
  ]
  for (const word of told) t.ok(scan(`web-1  | see ${word}`).hasTelling, word)
  t.strictSame(found('12: write to\n13: or alice [at]\n14: example [dot] com'), ['alice [at]\n14: example [dot] com'])
  const cookies = ['.a.de\tTRUE\t/\tTRUE\t0\tremember_me\tabc123def456', '.a.de\tTRUE\t/\tTRUE\t0\tlang\ten']
  t.strictSame(found(cookies.map((line) => `+${line}`).join('\n')), ['abc123def456'])
})

t.test(
  "a place that follows a telling word on the line before stays, and lines of grep's context are read without theirs",
  async (t) => {
    for (const text of [
      'src/a.ts:12:  throw loginError(error, address.password\nsrc/b2.ts:74:    send2: x',
      'a.yml:3:    password:\na.yml:9:    port: 8080',
      'src/a.ts:12:34: password =\nsrc/b2.ts:13:1: error TS2304: token',
      '/src/a.py:12: missing password\n/src/b2.py:44: missing token',
      'src/a.ts-11-  password:\nsrc/a.ts-40-    send2',
    ])
      t.strictSame(found(text), [], text)
    t.strictSame(found('src/a.yml-11-  port: 1\nsrc/a.yml:12:  password:\nsrc/a.yml-13-    hunter2x'), ['hunter2x'])
    t.strictSame(found('password:\nhunter2x'), ['hunter2x'])
  },
)

t.test(
  'a table that blanks align, and what a password is for, tell of the next line behind times and comments, too',
  async (t) => {
    for (const [way, write] of Object.entries(SECOND)) {
      const table = ['NAME   USER   PASSWORD', 'db1    root   hunter2x'].map(write).join('\n')
      t.strictSame(found(table), ['hunter2x'], way)
      const first = ['use this password to proceed to installation:', '', '1f2e3d4c5b6a7988'].map(write).join('\n')
      t.strictSame(found(first), ['1f2e3d4c5b6a7988'], way)
    }
  },
)
