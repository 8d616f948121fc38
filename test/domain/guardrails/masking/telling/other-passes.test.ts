import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test("names of tests in a runner's report stay", async (t) => {
  for (const text of [
    '=== RUN   TestIndexAny\n--- PASS: TestIndexAny (0.00s)\n    --- PASS: TestIndexAny/sub_1 (0.00s)\nPASS',
    String.raw`{"Action":"output","Output":"    --- PASS: TestAddr/ipv4+zone (0.00s)\n"}`,
    'PASS: gas/elf/group3',
    'PASS: align2\nFAIL: struct3\nXFAIL: api2x7',
    'Running it ...\nXFAIL: struct3\nPASS: align2',
    'PASS: test-1 (0.3 sec)',
    ' PASS  src/components/Button3.test.tsx',
    String.raw`  PASS  Tests\Feature\Login2FATest`,
    'pass: 1024, fail: 3',
    'Pass: 12/12, Fail: 0',
    '{"fail": 3, "pass": 1024}',
  ])
    t.strictSame(found(text), [], text)
})

t.test('the verb and its object stay, and so does one pass of several', async (t) => {
  for (const text of [
    'pass user2Id to the function, pass Int32Array or sqlite3_stmt* to it, it did not pass ES2022 checks',
    'Please pass tests/test8.deb to it, pass key1=value1 as well',
    'do not pass to print a ref to *STDERR; what we pass to Machoreloc1\n',
    'first pass: inline2, Compiler pass: shadow2',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password behind the word is masked', async (t) => {
  for (const text of [
    'user: bob\npass: hunter2x',
    'USER: bob\nPASS: hunter2x\n\nUSER: amy\nPASS: hunter2x',
    'PASS: hunter2x',
    'PASS=hunter2x',
    'login bob pass hunter2x for now',
    'the pass hunter2x',
    'ssh bob@x, my pass hunter2x for now',
    'use root pass hunter2x for it',
  ])
    t.match(found(text), ['hunter2x'], text)
  for (const text of ['use pass hunter2! for now', 'use the same pass: hunter2!', 'the last pass is hunter2!'])
    t.strictSame(found(text), ['hunter2!'], text)
  t.strictSame(found('pass=K9%x!q7'), ['K9%x!q7'])
})

t.test('what is said of one pass of several stays, with a sign too', async (t) => {
  for (const text of ['final pass: done!', 'the first pass: "hello!"', 'last pass: a+b'])
    t.strictSame(found(text), [], text)
})

t.test('what is used to pass something, an option, and a text in its own quotes stay', async (t) => {
  for (const text of [
    'R4..R19 are used to pass int arguments',
    'Pass `-Dfoo2=no` to meson',
    'a path MUST pass `"proxy2"` explicitly',
    'i.e. pass `logger.V(3)` instead of `logger`',
  ])
    t.strictSame(found(text), [], text)
  t.strictSame(found('K9x!q7zz is the pass'), ['K9x!q7zz'])
})

t.test('a long report is read in linear time', async (t) => {
  for (const piece of ['PASS: a1\n', '--- PASS: a1', 'PASS: ', 'pass 1 fail ', '\nPASS: a1'])
    t.ok(found(piece.repeat(20_000)), piece)
})
