import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'
import {
  amongColours,
  withoutColours,
} from '../../../../../src/domain/guardrails/masking/disguises/terminal-colours.ts'
import { scan } from '../../../../../src/domain/guardrails/masking/scan.ts'
import { takeAll } from '../../../../../src/domain/steps.ts'

const detector = createDetector({ kinds: new Set(['PHONE', 'IBAN', 'SSN', 'IP']), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

/** The last is lost. */
const ESCAPES = [
  '\u001b',
  String.raw`\u001b`,
  String.raw`\\u001B`,
  String.raw`\x1b`,
  String.raw`\033`,
  String.raw`\e`,
  String.raw`\E`,
  String.raw`\u{1b}`,
  '^[',
  '\u241b',
  '',
]
const VALUES = [
  `ghp_${'aB3dE6gH9j'.repeat(4)}`,
  '4111 1111 1111 1111',
  'alice@example.com',
  'DE89370400440532013000',
  '+49 30 901820',
  '192.168.1.17',
]

t.test('a value is found in colours, in any way to write them', async (t) => {
  for (const escape of ESCAPES)
    for (const value of VALUES) {
      const text = `all: ${escape}[1;32m${value}${escape}[0m now`
      t.strictSame(found(text), [value], text)
      t.strictSame(takeAll(detector.detectInSteps(text)), detector.detect(text))
    }
})

t.test('a name tells of its value where both have colours', async (t) => {
  for (const escape of ESCAPES) {
    t.strictSame(found(`${escape}[36mDB_PASSWORD${escape}[0m=${escape}[31mhunter2x${escape}[0m`), ['hunter2x'])
    t.strictSame(found(`${escape}[36mpassword${escape}[39m: ${escape}[32m'hunter2x'${escape}[39m,`), ['hunter2x'])
  }
})

t.test("lines are read behind a container's name in colours", async (t) => {
  const log = ['name,password', 'bob,hunter2x', 'amy,hunter3x'].map((line) => `\u001b[36mapp-1  |\u001b[0m ${line}`)
  t.strictSame(found(log.join('\n')), ['hunter2x', 'hunter3x'])
})

t.test('a value holds what stands within it, and moves to another place part words', async (t) => {
  t.strictSame(found('\u001b[1m4111\u001b[0m 1111 1111 1111\u001b[K'), ['4111\u001b[0m 1111 1111 1111'])
  t.strictSame(found('name\u001b[20Galice@example.com\u001b[2Khere'), ['alice@example.com'])
  t.strictSame(found('a.env:\u001b[01;31m\u001b[KDB_PASSWORD\u001b[m\u001b[K=hunter2x'), ['hunter2x'])
  t.strictSame(found('\u001b[20Gname\u001b[20Galice@example.com'), ['alice@example.com'])
})

t.test('as `tput sgr0` writes them, and with colours of any number', async (t) => {
  const key = `ghp_${'aB3dE6gH9j'.repeat(4)}`
  t.strictSame(found(`all: \u001b(B\u001b[m${key}\u001b(B\u001b[m now`), [key])
  t.strictSame(found(`all: \u001b(B${key}\u001b(B now`), [key])
  t.strictSame(found(`all: \u001b[38:2::255:0:0m${key}\u001b[0m now`), [key])
})

t.test('times in brackets are no colours', async (t) => {
  for (const text of ['rate(x[5m])', 'max_over_time(x[30m:1m])', 'took [10ms]', 'after [5m30s]', 'a[0]'])
    t.notOk(scan(text).isColoured, text)
  t.ok(scan('[32mok[0m').isColoured)
})

t.test('what only begins like one stays', async (t) => {
  for (const text of [
    '\u001b',
    '\u001b[',
    '\u001b[32',
    String.raw`C:\e[x]`,
    String.raw`\u001b`,
    '\u001b[32mdone\u001b[0m',
  ])
    t.strictSame(found(text), [], text)
  t.strictSame(found('\u001b\u001b[0m[0a4111111111111111'), [])
})

t.test('a long text is read in many steps', async (t) => {
  const text = '\u001b[0ma '.repeat(50_000)
  t.ok([...withoutColours(text)].length > 3)
  const uncoloured = takeAll(withoutColours(text))
  t.equal(uncoloured.plain, 'a '.repeat(50_000))
  const findings = Array.from({ length: 50_000 }, (_, index) => ({
    kind: 'KEY',
    rule: 'x',
    start: index * 2,
    end: index * 2 + 1,
  }))
  const steps = [...amongColours(uncoloured, findings)]
  t.ok(steps.length > 3)
  const places = takeAll(amongColours(uncoloured, findings))
  t.ok(places.every(({ start, end }) => text.slice(start, end) === 'a'))
})
